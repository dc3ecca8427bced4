"""Answers that a browser saves as a file."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from urllib.parse import quote

from flask import Response

_KINDS = {".csv": "text/csv", ".tex": "application/x-tex", ".json": "application/json", ".zip": "application/zip"}
_ODD = re.compile(r"[^ -!#-.0-\[\]-~]")
"""What a header cannot hold, or a name of a file."""
_ANYTHING = "application/octet-stream"


def attachment(content: str | bytes, name: str, *, plain: bool = False) -> Response:
    """A file of that name; what kind it is, its suffix says.

    Args:
        content: what is in it.
        name: as it is saved.
        plain: whether it is no file of ours, and is handed back as the bytes that it is.
    """
    kind = _ANYTHING if plain else _KINDS.get(PurePosixPath(name).suffix, _ANYTHING)
    answer = Response(content, mimetype=kind)
    plain_name = _ODD.sub("_", name)
    more = {} if plain_name == name else {"filename*": f"UTF-8''{quote(name, safe='')}"}
    answer.headers.set("Content-Disposition", "attachment", filename=plain_name, **more)
    return answer
