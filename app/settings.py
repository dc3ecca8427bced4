"""Settings: one frozen object, read from the environment once, typed; a bad value stops the start with its name."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import fsspec
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from brat.files import ArchiveLimits

_MEBIBYTE = 1024 * 1024
_SHORTEST_SECRET = 32


class SettingsError(Exception):
    """A setting is missing or cannot be used; the message starts with its name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the server needs to know.

    Attributes:
        data: folder of the database, the queue and the stored files.
        database_url: SQLAlchemy URL.
        storage_url: fsspec URL of the folder for stored bytes.
        secret_key: signs sessions and forms.
        https: whether browsers reach the server by HTTPS; cookies are then sent by it only.
        upload_bytes: the largest request body.
        archive: what an uploaded archive may hold.
        lease_seconds: how long a worker may be silent before its run is given to another.
        attempts: how often scoring a run is tried before it is called failed.
        rate_limits: whether sign-in, registration, invitations, resets and uploads are limited by address.
        smtp_url: where mail is sent, `smtp://…` or `smtps://…`; empty: no mail.
        mail_from: the sender of mail.
        proxies: how many proxies stand before the server and say by whom and by what address it was called.
        url: the address people reach the server by, for links made in the terminal.
    """

    data: Path
    database_url: str
    storage_url: str
    secret_key: str
    https: bool = True
    upload_bytes: int = 64 * _MEBIBYTE
    archive: ArchiveLimits = field(default_factory=ArchiveLimits)
    lease_seconds: float = 15.0
    attempts: int = 3
    rate_limits: bool = True
    smtp_url: str = ""
    mail_from: str = ""
    proxies: int = 0
    url: str = "http://127.0.0.1:8000"

    @property
    def queue_file(self) -> Path:
        """The file of the embedded queue."""
        return self.data / "queue.db"


def from_environment(environ: Mapping[str, str]) -> Settings:
    """Settings from `ASSAY_…` variables.

    Raises:
        SettingsError: a value is missing or unusable.
    """
    data = Path(environ.get("ASSAY_DATA", "var")).resolve()
    return Settings(
        data=data,
        database_url=_database_url(environ.get("ASSAY_DATABASE_URL", f"sqlite:///{data / 'assay.db'}")),
        storage_url=_storage_url(environ.get("ASSAY_STORAGE_URL", f"file://{data / 'objects'}")),
        secret_key=_secret(environ, data),
        https=_flag(environ, "ASSAY_HTTPS", default=True),
        upload_bytes=int(_number(environ, "ASSAY_UPLOAD_MEBIBYTES", 64) * _MEBIBYTE),
        lease_seconds=_number(environ, "ASSAY_LEASE_SECONDS", 15),
        rate_limits=_flag(environ, "ASSAY_RATE_LIMITS", default=True),
        smtp_url=_smtp(environ),
        mail_from=environ.get("ASSAY_MAIL_FROM", ""),
        proxies=_whole(environ, "ASSAY_PROXIES", 0),
        url=environ.get("ASSAY_URL", "http://127.0.0.1:8000").rstrip("/"),
    )


def make_secret(data: Path) -> None:
    """Write a random secret key into the data folder, readable by its owner only, unless one is there."""
    file = data / "secret-key"
    data.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not file.is_file() or not file.read_text().strip():
        unfinished = file.with_suffix(".new")
        unfinished.touch(mode=0o600)
        unfinished.write_text(secrets.token_urlsafe(48))
        unfinished.replace(file)


def _secret(environ: Mapping[str, str], data: Path) -> str:
    value = environ.get("ASSAY_SECRET_KEY", "")
    file = data / "secret-key"
    if not value and file.is_file():
        value = file.read_text().strip()
    if len(value) < _SHORTEST_SECRET:
        raise SettingsError(
            f"ASSAY_SECRET_KEY: it is not set to {_SHORTEST_SECRET} random characters or more, and there is no {file}; "
            "run `assay migrate` first, which writes one"
        )
    return value


def _database_url(url: str) -> str:
    try:
        make_url(url).get_dialect().import_dbapi()
    except (ArgumentError, NoSuchModuleError, ImportError) as bad:
        reason = str(bad).partition("\n")[0]
        raise SettingsError(f"ASSAY_DATABASE_URL: expected a URL such as sqlite:////data/assay.db ({reason})") from bad
    return url


def _storage_url(url: str) -> str:
    try:
        fsspec.core.url_to_fs(url)
    except (ValueError, ImportError) as bad:
        raise SettingsError(f"ASSAY_STORAGE_URL: expected a URL such as file:///data/objects ({bad})") from bad
    return url


def _smtp(environ: Mapping[str, str]) -> str:
    url = environ.get("ASSAY_SMTP_URL", "")
    if url and not url.startswith(("smtp://", "smtps://")):
        raise SettingsError("ASSAY_SMTP_URL: expected smtp://HOST:PORT or smtps://HOST:PORT")
    if url and "@" not in environ.get("ASSAY_MAIL_FROM", ""):
        raise SettingsError("ASSAY_MAIL_FROM: expected an e-mail address, since ASSAY_SMTP_URL is set")
    return url


def _flag(environ: Mapping[str, str], name: str, *, default: bool) -> bool:
    value = environ.get(name, "1" if default else "0").lower()
    if value not in ("1", "0", "true", "false", "yes", "no"):
        raise SettingsError(f"{name}: expected 1 or 0, found {value!r}")
    return value in ("1", "true", "yes")


def _whole(environ: Mapping[str, str], name: str, default: int) -> int:
    value = environ.get(name, str(default))
    if not value.isdecimal() or int(value) > 10:
        raise SettingsError(f"{name}: expected a whole number from 0 to 10, found {value!r}")
    return int(value)


def _number(environ: Mapping[str, str], name: str, default: float) -> float:
    value = environ.get(name, str(default))
    try:
        number = float(value)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise SettingsError(f"{name}: expected a number above 0, found {value!r}")
    return number
