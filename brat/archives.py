"""What is asked of the members of an archive, whatever its format, before a byte of one is unpacked."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Generic, NoReturn, TypeVar

from brat.problems import RefusedInput, problem, quoted

_MEBIBYTE = 1024 * 1024
_LONGEST_PATH = 500
_LONGEST_NAME = 255
_IGNORED_PARTS = frozenset({"__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini"})
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")  # with the marks that turn the reading direction
_PACKED = (".zip", ".tar", ".gz", ".tgz", ".7z", ".rar", ".xz", ".txz", ".bz2", ".tbz2", ".tbz", ".zst", ".lz4", ".lzma", ".z")
_INSIDE = "pack the folder that holds the .ann files, with relative paths"
_AGAIN = "pack the .ann files again, as a plain zip or tar.gz"

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """What an archive may hold: members, bytes once unpacked, and unpacked bytes per packed byte."""

    members: int = 50_000
    unpacked_bytes: int = 128 * _MEBIBYTE
    ratio: int = 200


class OnDemand(Mapping[str, bytes], Generic[_T]):
    """Files by path, each read when it is asked for, so that memory does not grow with their number."""

    def __init__(self, places: Mapping[str, _T], read: Callable[[_T], bytes]) -> None:
        self._places = places
        self._read = read

    def __getitem__(self, path: str) -> bytes:
        """The content of a file.

        Raises:
            RefusedInput: it is damaged, or not what its header says.
        """
        return self._read(self._places[path])

    def __contains__(self, path: object) -> bool:
        return path in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def refuse(code: str, archive: str, *, message: str = "", found: str = "", expected: str = "", hint: str = "") -> NoReturn:
    """Refuse an upload.

    Raises:
        RefusedInput: always.
    """
    raise RefusedInput(problem(code, archive, message=message, found=found, expected=expected, hint=hint))


def refuse_damaged(archive: str, found: str) -> NoReturn:
    """Refuse an archive that cannot be read to its end.

    Raises:
        RefusedInput: always.
    """
    refuse("archive-unreadable", archive, found=found, expected="a whole archive", hint="pack it again, or send it again")


def check_count(archive: str, count: int, limits: ArchiveLimits) -> None:
    """Called while members are counted, so that a list of millions is never made.

    Raises:
        RefusedInput: there are too many.
    """
    if count > limits.members:
        refuse(
            "archive-too-many-members",
            archive,
            found=f"more than {limits.members:,}",
            expected=f"at most {limits.members:,} members",
            hint="leave out what is neither .ann nor text",
        )


def check_name(archive: str, name: str) -> None:
    """A name that could be written below any folder of any system, and be shown to people.

    Raises:
        RefusedInput: it could not.
    """
    path = name.replace("\\", "/")
    if not _is_unicode(name):
        refuse("archive-bad-name", archive, message="a name is not Unicode", found=quoted(name), expected="names in UTF-8")
    if len(path) > _LONGEST_PATH or any(len(each.encode()) > _LONGEST_NAME for each in path.split("/")):
        expected = f"paths of at most {_LONGEST_PATH} characters, and names of at most {_LONGEST_NAME} bytes"
        refuse("archive-bad-name", archive, message="a name is too long", found=quoted(name), expected=expected)
    if _CONTROL.search(path):
        expected = "names without control characters"
        refuse("archive-bad-name", archive, message="a name has control characters", found=quoted(name), expected=expected)
    if not path or path.startswith("/") or re.match("[A-Za-z]:", path) or ".." in path.split("/"):
        refuse("archive-unsafe-path", archive, found=quoted(name), expected="paths inside the archive", hint=_INSIDE)


def check_kind(archive: str, name: str, kind: str) -> None:
    """Files and folders only, not packed themselves.

    Args:
        archive: the name of the upload.
        name: that of the member.
        kind: "file", "folder", "encrypted" or, for all else, what it is in words.

    Raises:
        RefusedInput: it is something else.
    """
    if kind == "encrypted":
        refuse("archive-encrypted", archive, found=quoted(name), expected="plain files only", hint="pack it without a password")
    if kind not in ("file", "folder"):
        hint = "pack the file itself in its place"
        refuse("archive-link", archive, found=f"{quoted(name)}, {kind}", expected="plain files only", hint=hint)
    if kind == "file" and name.lower().endswith(_PACKED) and not is_ignored(name):
        hint = "unpack it, put the .ann files in directly, and pack once"
        refuse("archive-nested", archive, found=quoted(name), expected=".ann files", hint=hint)


def check_sizes(archive: str, sizes: Iterable[int], *, packed: int, limits: ArchiveLimits) -> None:
    """What the members say they unpack to.

    Raises:
        RefusedInput: it is too much, at all or for the size of the upload.
    """
    total = sum(sizes)
    if total > limits.unpacked_bytes:
        expected = f"at most {limits.unpacked_bytes:,} bytes unpacked"
        hint = "leave out what is neither .ann nor text"
        refuse("archive-too-large", archive, found=f"{total:,} bytes", expected=expected, hint=hint)
    if total > packed * limits.ratio + _MEBIBYTE:
        expected = f"at most {limits.ratio} to 1"
        refuse("archive-ratio", archive, found=f"{total:,} bytes from {packed:,}", expected=expected, hint=_AGAIN)


def is_ignored(name: str) -> bool:
    """Whether a file manager left it behind."""
    parts = name.replace("\\", "/").split("/")
    return any(part in _IGNORED_PARTS for part in parts) or parts[-1].startswith("._")


def arrange(archive: str, members: Iterable[tuple[str, _T]]) -> dict[str, _T]:
    """Members by path, without `./`, without the one folder that everything lies in, and without what is ignored.

    Raises:
        RefusedInput: nothing is left, or two members have one path, here or on a system that is less particular.
    """
    tidy: dict[str, _T] = {}
    for name, member in members:
        if is_ignored(name):
            continue
        path = str(PurePosixPath(name.replace("\\", "/")))
        if path == ".":
            refuse("archive-bad-name", archive, message="a file has no name", found=quoted(name), expected="names", hint=_AGAIN)
        if path in tidy:
            message, expected = "two members have one name", "one file a document"
            refuse("duplicate-document", archive, message=message, found=quoted(path), expected=expected)
        tidy[path] = member
    if not tidy:
        refuse(
            "archive-empty", archive, expected="an .ann file for every document", hint="pack the .ann files and send it again"
        )
    check_collisions(archive, tidy)
    top = _common_folder(tidy)
    return {name.removeprefix(top): member for name, member in tidy.items()}


def check_collisions(archive: str, paths: Iterable[str]) -> None:
    """Paths that are one file where case, or the way an accent is composed, does not count.

    Raises:
        RefusedInput: there are two.
    """
    seen: dict[str, str] = {}
    for path in paths:
        twin = seen.setdefault(unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold()), path)
        if twin != path:
            found = f"{quoted(twin)} and {quoted(path)}"
            refuse("archive-name-collision", archive, found=found, expected="one file a document", hint="remove or rename one")
    for path in seen:
        folder = path.rpartition("/")[0]
        while folder:
            if folder in seen:
                found = f"{quoted(seen[folder])} as a file and as a folder"
                refuse("archive-name-collision", archive, found=found, expected="one or the other", hint="remove or rename one")
            folder = folder.rpartition("/")[0]


def _common_folder(paths: Iterable[str]) -> str:
    first: list[str] | None = None
    for path in paths:
        folders = path.split("/")[:-1]
        if first is None:
            first = folders
        elif folders[: len(first)] != first:
            first = [a for i, a in enumerate(first) if folders[: i + 1] == first[: i + 1]]
    return "".join(f"{each}/" for each in first or ())


def _is_unicode(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
