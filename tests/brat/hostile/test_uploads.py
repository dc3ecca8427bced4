"""Nothing that is refused is unpacked first, and each refusal says what to do."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from brat.files import ArchiveLimits, read_bytes
from brat.problems import RefusedInput
from tests.brat.hostile.uploads import Upload, uploads

_LIMITS = ArchiveLimits(members=100, unpacked_bytes=10_000_000, ratio=50)
_UPLOADS = uploads()


def read_all(files: Mapping[str, bytes]) -> dict[str, bytes]:
    return dict(files.items())


@pytest.mark.parametrize("upload", _UPLOADS, ids=[each.id for each in _UPLOADS])
def test_an_upload_is_refused_with_its_own_code_and_words(upload: Upload) -> None:
    with pytest.raises(RefusedInput) as caught:
        read_all(read_bytes(upload.data, upload.name, _LIMITS))

    assert caught.value.problem.code == upload.code, str(caught.value)
    assert upload.says in str(caught.value)
    assert len(str(caught.value)) < 800
