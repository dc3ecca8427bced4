"""Errors to people: one shape in the API, one page elsewhere. No stack trace reaches anybody."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

import structlog
from apiflask import APIFlask, HTTPError
from flask import Response, flash, jsonify, redirect, render_template, request
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import HTTPException, RequestEntityTooLarge

from app import web
from app.errors import DomainError, shortage

_log = structlog.get_logger()
_API = "/api/"
_MOST_FLASHED = 700
"""Characters of a message that a cookie has room for, whatever they are."""
_MESSAGES = {404: "There is nothing at this address.", 429: "Too many requests. Wait a minute and try again."}


def attach(app: APIFlask) -> None:
    """Register the handlers."""
    app.register_error_handler(DomainError, _domain_error)
    app.register_error_handler(CSRFError, _csrf_error)
    app.register_error_handler(RequestEntityTooLarge, _too_large)
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(Exception, _fault)
    app.error_processor(_library_error)


def error_body(code: str, message: str, details: object = None) -> dict[str, object]:
    """The one shape of errors in the API."""
    return {"error": {"code": code, "message": message, "details": details if details is not None else {}}}


def _answer(status: int, code: str, message: str, details: object = None) -> tuple[Response | str, int]:
    if request.path.startswith(_API):
        return jsonify(error_body(code, message, details)), status
    return render_template("error.html", status=status, title=HTTPStatus(status).phrase, message=message, back=_back()), status


def _back() -> str | None:
    """The page that a form was sent from, where it has the same address."""
    return request.path if request.method == "POST" and request.endpoint in ("runs.upload", "accounts.register") else None


def _sent_from() -> str | None:
    """The page of ours that a form was sent from, as the browser says."""
    sent_from = urlsplit(request.referrer or "")
    if request.method != "POST" or request.path.startswith(_API) or sent_from.netloc != request.host:
        return None
    return f"{sent_from.path}?{sent_from.query}" if sent_from.query else sent_from.path


def _domain_error(bad: DomainError) -> Any:
    back = _sent_from()
    if back is not None and bad.status in (HTTPStatus.UNPROCESSABLE_ENTITY, HTTPStatus.CONFLICT):
        flash(bad.message if len(bad.message) <= _MOST_FLASHED else f"{bad.message[:_MOST_FLASHED]} …", "bad")
        return redirect(back)
    return _answer(bad.status, bad.code, bad.message, {"field": bad.field} if bad.field else None)


def _csrf_error(bad: CSRFError) -> tuple[Response | str, int]:
    del bad
    return _answer(
        400, "form-expired", "This form has expired or cookies are switched off. Go back, reload the page and send it again."
    )


def _too_large(bad: RequestEntityTooLarge) -> tuple[Response | str, int]:
    del bad
    if (request.content_length or 0) <= web.context().settings.upload_bytes:
        return _answer(413, "too-large", "The form has more or longer fields than any of ours.")
    limit = web.context().settings.upload_bytes // (1024 * 1024)
    return _answer(413, "too-large", f"The upload is larger than {limit} MiB. Send the .ann files only, as one zip.")


def _http_error(bad: HTTPException) -> tuple[Response | str, int] | HTTPException:
    status = bad.code or 500
    if status < 400:
        return bad
    return _answer(status, HTTPStatus(status).phrase.lower().replace(" ", "-"), _MESSAGES.get(status, bad.description or ""))


def _library_error(bad: HTTPError) -> Any:
    """What APIFlask raises: input of the API that does not fit its schema, and any HTTP error it wraps."""
    code = HTTPStatus(bad.status_code).phrase.lower().replace(" ", "-")
    message, details = _MESSAGES.get(bad.status_code, bad.message or ""), dict[str, Any](bad.detail)
    if bad.status_code == HTTPStatus.UNPROCESSABLE_ENTITY:  # {place: {field: [messages]}} from marshmallow
        fields = {field: " ".join(told) for place in details.values() for field, told in place.items()}
        code, details = "invalid", {"field": next(iter(fields), ""), "fields": fields}
        message = "; ".join(f"{field}: {told}" for field, told in fields.items()) or message
    answer = _answer(bad.status_code, code, message, details)
    return *answer, bad.headers


def _fault(bad: Exception) -> tuple[Response | str, int] | tuple[Response | str, int, dict[str, str]]:
    short = shortage(bad)
    if short is not None:
        _log.error("request refused", path=request.path, error=str(bad))
        message = f"{short} Nothing was changed, and nothing you sent counts. Try again in a minute."
        return *_answer(503, "unavailable", message), {"Retry-After": "60"}
    _log.exception("request failed", path=request.path, error=type(bad).__name__)
    return _answer(500, "fault", "Something went wrong on our side. Nothing you sent was changed; try again in a moment.")
