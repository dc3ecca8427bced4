"""Sending mail, where a server for it is set. A page never waits for it, so that its time tells nothing."""

from __future__ import annotations

import smtplib
import threading
from collections.abc import Callable
from dataclasses import dataclass
from email.message import EmailMessage
from typing import Protocol
from urllib.parse import unquote, urlsplit

import structlog

from app.settings import Settings

_log = structlog.get_logger()
_SECONDS = 20
_DELAY_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Letter:
    """Plain text for one address."""

    to: str
    subject: str
    text: str


class Mail(Protocol):
    """Something that sends letters."""

    def post(self, compose: Callable[[], Letter | None]) -> None:
        """Compose a letter and send it, soon. Whether there is one, and how long it took to know, tells the page nothing."""


class SmtpMail:
    """By SMTP: `smtp://user:password@host:port` (with STARTTLS where it is offered) or `smtps://…`."""

    def __init__(self, url: str, sender: str) -> None:
        self._url = urlsplit(url)
        self._sender = sender

    def post(self, compose: Callable[[], Letter | None]) -> None:
        """Compose and send in the background, when the page has been sent; a failure goes to the log."""
        waiting = threading.Timer(_DELAY_SECONDS, self._post, (compose,))
        waiting.name, waiting.daemon = "letter", True
        waiting.start()

    def _post(self, compose: Callable[[], Letter | None]) -> None:
        try:
            letter = compose()
        except Exception as bad:
            _log.exception("letter not composed", error=type(bad).__name__)
            return
        if letter is not None:
            self._deliver(letter)

    def _deliver(self, content: Letter) -> None:
        letter = EmailMessage()
        letter["From"], letter["To"], letter["Subject"] = self._sender, content.to, content.subject
        letter.set_content(content.text)
        try:
            kind = smtplib.SMTP_SSL if self._url.scheme == "smtps" else smtplib.SMTP
            with kind(self._url.hostname or "", self._url.port or 0, timeout=_SECONDS) as server:
                if self._url.scheme == "smtp" and server.has_extn("starttls"):
                    server.starttls()
                if self._url.username:
                    server.login(unquote(self._url.username), unquote(self._url.password or ""))
                server.send_message(letter)
        except (OSError, smtplib.SMTPException) as bad:
            _log.warning("mail not sent", error=type(bad).__name__)


def mail_of(settings: Settings) -> Mail | None:
    """The mail of these settings; None where no server is set."""
    return SmtpMail(settings.smtp_url, settings.mail_from) if settings.smtp_url else None
