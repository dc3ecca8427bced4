"""Names and addresses as they are stored: what a page shows is what was typed, and two that look the same are the same."""

from __future__ import annotations

import re
import unicodedata

from app.errors import InvalidError

_EMAIL = re.compile(r"^[^\s@]+@[^\s@]+\.[^\s@]+$")
# Characters that are printable to Python and show nothing: two names must not look the same because of them.
_INVISIBLE = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")


def clean_email(email: str) -> str:
    """An address as it is stored.

    Raises:
        InvalidError: it is none.
    """
    email = email.strip().lower()
    if len(email) > 254 or not _EMAIL.match(email) or not email.isprintable():
        raise InvalidError("Enter an e-mail address such as name@lab.org.", field="email")
    return email


def clean_affiliation(affiliation: str) -> str:
    """An affiliation, or nothing.

    Raises:
        InvalidError: it is too long, or cannot be shown.
    """
    return clean_name(affiliation, "affiliation", 200) if affiliation.strip() else ""


def clean_name(name: str, field: str, longest: int) -> str:
    """A name on one line, without control characters, in composed Unicode.

    Raises:
        InvalidError: nothing is left of it, or it is too long.
    """
    name = " ".join(unicodedata.normalize("NFC", name).split())
    if not name or len(name) > longest or not name.isprintable() or _INVISIBLE.search(name):
        raise InvalidError(f"Enter 1 to {longest} printable characters.", field=field)
    return name
