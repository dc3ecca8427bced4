"""Bytes by their SHA-256. Gold and runs live here, and have no URL."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

import fsspec

from app.clock import now


class Storage:
    """A folder, local or remote, of immutable files named by what is in them."""

    def __init__(self, url: str) -> None:
        self._fs, root = fsspec.core.url_to_fs(url)
        self._root = str(root).rstrip("/")

    def put(self, data: bytes) -> str:
        """Keep the bytes; returns their digest. Keeping the same bytes twice is one file."""
        digest = hashlib.sha256(data).hexdigest()
        path = self._path(digest)
        if self._fs.exists(path):
            self._fs.touch(path, truncate=False)  # in use again, for `remove`
        else:
            self._fs.makedirs(path.rpartition("/")[0], exist_ok=True)
            unfinished = f"{path}.{secrets.token_hex(8)}"
            self._fs.pipe_file(unfinished, data)
            self._fs.mv(unfinished, path)  # a reader sees the whole file or none
        return digest

    def get(self, digest: str) -> bytes:
        """The bytes of a digest.

        Raises:
            FileNotFoundError: they are not here.
        """
        data: bytes = self._fs.cat_file(self._path(digest))
        return data

    def remove(self, digest: str, unused_for: timedelta = timedelta(hours=1)) -> bool:
        """Delete what nobody refers to any more, unless it was put here again just now; returns whether it was deleted."""
        path = self._path(digest)
        if not self._fs.exists(path) or now() - self._fs.modified(path) < unused_for:
            return False
        self._fs.rm_file(path)
        return True

    def _path(self, digest: str) -> str:
        return f"{self._root}/{digest[:2]}/{digest[2:]}"
