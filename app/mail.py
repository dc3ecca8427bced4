"""Sending mail, where a server for it is set. A page never waits for it, so that its time tells nothing."""

from __future__ import annotations

import smtplib
import threading
from email.message import EmailMessage
from typing import Protocol
from urllib.parse import unquote, urlsplit

import structlog

from app.settings import Settings

_log = structlog.get_logger()
_SECONDS = 20


class Mail(Protocol):
    """Something that sends letters."""

    def send(self, to: str, subject: str, text: str) -> None:
        """Send a letter, soon."""


class SmtpMail:
    """By SMTP: `smtp://user:password@host:port` (with STARTTLS where it is offered) or `smtps://…`."""

    def __init__(self, url: str, sender: str) -> None:
        self._url = urlsplit(url)
        self._sender = sender

    def send(self, to: str, subject: str, text: str) -> None:
        """Send in the background; a failure goes to the log."""
        letter = EmailMessage()
        letter["From"], letter["To"], letter["Subject"] = self._sender, to, subject
        letter.set_content(text)
        threading.Thread(target=self._deliver, args=(letter,), daemon=True).start()

    def _deliver(self, letter: EmailMessage) -> None:
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
