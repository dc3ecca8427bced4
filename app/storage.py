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
        self._fs.makedirs(path.rpartition("/")[0], exist_ok=True)
        unfinished = f"{path}.{secrets.token_hex(8)}"
        self._fs.pipe_file(unfinished, data)
        self._fs.mv(unfinished, path)  # a reader sees the whole file or none; written anew, it is not old (`remove`)
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
        aside = f"{path}.{secrets.token_hex(8)}"
        try:
            if now() - self._fs.modified(path) < unused_for:
                return False
            self._fs.mv(path, aside)  # whoever puts it from now on makes another file
        except FileNotFoundError:
            return False
        again = now() - self._fs.modified(aside) < unused_for
        if again and not self._fs.exists(path):  # it was put between the two looks
            self._fs.mv(aside, path)
            return False
        self._fs.rm_file(aside)
        return not again

    def _path(self, digest: str) -> str:
        return f"{self._root}/{digest[:2]}/{digest[2:]}"
