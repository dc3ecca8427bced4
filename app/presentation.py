"""What templates have at hand: filters for figures, times and Markdown, and who is signed in."""

from __future__ import annotations

import re
from datetime import datetime
from itertools import pairwise
from typing import Any

from flask import Flask
from markdown_it import MarkdownIt
from markupsafe import Markup

from app import web
from app.guard import own_team, quotas
from app.shared_tasks.deadlines import ANYWHERE_ON_EARTH, PhaseState
from app.version import VERSION
from evaluator import plain_tables
from evaluator.report import figure
from evaluator.strata import layout
from evaluator.task import Disclosure, TaskDefinition

_NO_WORD = re.compile(r"[^a-z0-9]+")
_MARKDOWN = MarkdownIt("js-default")  # the preset for text of strangers: raw HTML is shown, not run


def attach(app: Flask) -> None:
    """Register filters and the context of all templates."""
    app.jinja_env.globals["link"] = web.link
    app.jinja_env.filters["told_figure"] = told_figure
    app.jinja_env.filters["when"] = when
    app.jinja_env.filters["deadline"] = deadline
    app.jinja_env.filters["markdown"] = markdown
    app.jinja_env.filters["thousands"] = "{:,}".format
    app.jinja_env.filters["figure"] = figure
    app.jinja_env.filters["cell"] = plain_tables.told
    app.jinja_env.filters["change"] = layout.cell
    app.jinja_env.filters["signed"] = layout.signed
    app.jinja_env.globals["is_text"] = plain_tables.is_text
    app.jinja_env.globals.update(VERSION=VERSION, Disclosure=Disclosure, PhaseState=PhaseState)

    @app.context_processor
    def who() -> dict[str, Any]:
        return {"person": web.person(), "reader": web.reader(), "quotas": quotas(), "own_team": own_team()}


def told_figure(value: float | None, definition: TaskDefinition, told: Disclosure) -> str:
    """A figure as a page shows it: with the decimals that are told, and 0 for an undefined one where the task says so."""
    if value is None and definition.undefined_as_zero:
        value = 0.0
    return figure(value, definition.headline_places if told is Disclosure.HEADLINE else 4)


def when(moment: datetime | None, *, seconds: bool = False) -> Markup:
    """A moment for people and machines: in UTC, and anywhere on Earth as its title; a script adds the reader's own zone."""
    if moment is None:
        return Markup("–")
    aoe = moment.astimezone(ANYWHERE_ON_EARTH)
    words = moment.strftime("%Y-%m-%d %H:%M:%S UTC" if seconds else "%Y-%m-%d %H:%M UTC"), f"{aoe:%Y-%m-%d %H:%M} AoE"
    return Markup('<time datetime="{}" title="{}">{}</time>').format(moment.isoformat(), words[1], words[0])


def deadline(moment: datetime | None) -> Markup:
    """A moment that people must not miss: in UTC and anywhere on Earth; a script adds the reader's own zone below."""
    if moment is None:
        return Markup("–")
    aoe = f"{moment.astimezone(ANYWHERE_ON_EARTH):%Y-%m-%d %H:%M} AoE"
    return Markup('{}<br>{}<br><span data-here="{}"></span>').format(when(moment), aoe, moment.isoformat())


def markdown(text: str, *, inside: bool = True) -> Markup:
    """Markdown to HTML; raw HTML in it is escaped, and links of unsafe kinds are not made.

    `inside` a page of ours, headings are put below its own; where the text is the page, they can be linked to.
    """
    tokens = _MARKDOWN.parse(text)
    for each, content in pairwise(tokens):
        if not inside and each.type == "heading_open":  # so that a code of a problem can be linked to
            each.attrSet("id", _NO_WORD.sub("-", content.content.lower()).strip("-"))
    for each in tokens:
        if inside and each.type in ("heading_open", "heading_close"):
            each.tag = f"h{min(6, max(3, int(each.tag[1]) + 1))}"
    return Markup(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {}))  # noqa: S704 - the renderer escapes
