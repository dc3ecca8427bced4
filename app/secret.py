"""What nobody can guess, in links and tokens; only a digest of it is stored."""

from __future__ import annotations

import hashlib
import secrets


def new_secret() -> str:
    """A new one, fit for an address."""
    return secrets.token_urlsafe(32)


def digest(secret: str) -> str:
    """What is stored of it, in hexadecimal digits."""
    return hashlib.sha256(secret.encode()).hexdigest()
