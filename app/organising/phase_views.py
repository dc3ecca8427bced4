"""Opening, closing, dating and changing phases; whatever teams rely on is announced, and everything is logged."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any, TypeVar

from apiflask import APIBlueprint
from flask import flash, redirect, request, url_for

from app import web
from app.errors import InvalidError
from app.organising.forms import DatesForm
from app.runs.intake import reconsider
from app.runs.services import tracks_used
from app.shared_tasks import audit, phases, services
from app.shared_tasks.deadlines import in_words, parse_moment
from app.shared_tasks.models import Phase
from evaluator.task import Disclosure, Release

_LONGEST_REASON = 200
_Word = TypeVar("_Word", bound=StrEnum)
pages = APIBlueprint("phases", __name__, url_prefix="/tasks/<slug>/organise/phases/<phase>", enable_openapi=False)


def _phase(slug: str) -> Phase:
    return services.find_phase(web.task(), slug)


def _log(action: str, phase: Phase, detail: str) -> None:
    audit.record(web.session(), web.signed_in(), web.task(), action, phase.slug, detail)


def _announce(text: str) -> None:
    services.announce(web.session(), web.task(), text)


def _back(message: str) -> Any:
    web.session().commit()
    flash(message)
    return redirect(url_for("organise.overview", slug=web.task().slug))


@pages.post("/<any(open, close):action>")
def turn(slug: str, phase: str, action: str) -> Any:
    """Open or close a phase now."""
    session, found = web.session(), _phase(phase)
    if action == "open":
        phases.open_phase(session, found)
    else:
        phases.close_phase(session, found)
    _announce(f"**{found.title}** is {found.state.value}.")
    changed = reconsider(session, found)
    _log(f"phase {action}", found, f"late runs changed: {changed}")
    return _back(f"{found.title} is {found.state.value}.")


@pages.post("/dates")
def set_dates(slug: str, phase: str) -> Any:
    """Set or extend the dates of a phase; the reason is announced and logged."""
    session, form, found = web.session(), DatesForm(), _phase(phase)
    opens, closes = (_moment(form[name].data, name) for name in ("opens", "closes"))
    reason = (form.reason.data or "").strip()
    opens, closes = _as_shown(opens, found.opens_at), _as_shown(closes, found.closes_at)
    if found.opens_at is not None and closes != found.closes_at and not reason:
        raise InvalidError("Say why the end of a phase moves; it is told to everyone.", field="reason")
    before, opened = found.closes_at, found.opens_at
    phases.set_dates(session, found, opens, closes)
    end = in_words(closes) if closes else "when it is closed"
    if closes != before and reason:
        _announce(f"**{found.title}** now ends {end}. {reason}")
    elif opens != opened:
        begin = in_words(opens) if opens else "when it is opened"
        words = f"now begins {begin}" if opened is not None else f"begins {begin} and ends {end}"
        _announce(f"**{found.title}** {words}. {reason}".rstrip())
    changed = reconsider(session, found)
    _log("phase dates", found, f"late runs changed: {changed}; opens {opens}, closes {closes} (before: {before}). {reason}")
    return _back(f"{found.title} ends {end}.")


def _as_shown(sent: datetime | None, stored: datetime | None) -> datetime | None:
    """The stored moment if the form sent it back as it was shown: in whole seconds."""
    return stored if stored is not None and sent == stored.replace(microsecond=0) else sent


def _moment(text: str | None, field: str) -> datetime | None:
    if not (text or "").strip():
        return None
    try:
        return parse_moment(text or "")
    except ValueError as bad:
        raise InvalidError(str(bad), field=field) from bad


@pages.post("/rules")
def set_rules(slug: str, phase: str) -> Any:
    """Change what a phase takes, hands out and tells; the changes are announced with the reason, and logged."""
    session, found, form = web.session(), _phase(phase), request.form
    reason = form.get("reason", "").strip()
    if len(reason) > _LONGEST_REASON:
        raise InvalidError(f"At most {_LONGEST_REASON} characters.", field="reason")
    rules = phases.Rules(
        title=form.get("title", ""),
        tracks=tuple(each.id for each in services.definition_of(found.task).tracks if each.id in form.getlist("tracks")),
        releases=_choice(Release, "releases"),
        tells=_choice(Disclosure, "tells"),
        quota=_whole("quota"),
        quota_days=_whole("quota_days"),
        grace_minutes=_whole("grace_minutes") or 0,
    )
    title = found.title
    changes = phases.set_rules(session, found, rules, used=tracks_used(session, found))
    if not changes:
        return _back("Nothing was changed.")
    if not reason:
        raise InvalidError("Say why the phase changes; it is told to everyone.", field="reason")
    reconsider(session, found)
    _announce(f"**{title}** is changed: {'; '.join(changes)}. {reason}")
    _log("phase rules", found, f"{'; '.join(changes)}. {reason}")
    return _back(f"{found.title} is changed.")


def _choice(kind: type[_Word], field: str) -> _Word:
    try:
        return kind(request.form.get(field, ""))
    except ValueError:
        raise InvalidError(f"One of {', '.join(kind)}.", field=field) from None


def _whole(field: str) -> int | None:
    text = request.form.get(field, "").strip()
    if not text:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 6:
        raise InvalidError(f"{text[:40]} is not a whole number.", field=field)
    return int(text)
