"""Forms of the organiser's page."""

from __future__ import annotations

from flask_wtf import FlaskForm
from wtforms import BooleanField, StringField, TextAreaField
from wtforms.validators import Length


class DatesForm(FlaskForm):
    """When a phase takes runs, and why that changes."""

    opens = StringField("Opens", description="2026-11-30 23:59, in UTC, or with AoE behind it; empty: not yet.")
    closes = StringField("Closes", description="As above; empty: until it is closed by hand.")
    reason = StringField("Reason", [Length(max=200)], description="Told to everyone with the new dates.")


class OptionsForm(FlaskForm):
    """Switches of a task."""

    anonymous = BooleanField("Teams have aliases on boards until every phase has closed")
    approves_teams = BooleanField("A team uploads only after an organiser has approved it")
    archived = BooleanField("The task is archived: it takes no runs and is shown to its organisers and teams only")


class TextForm(FlaskForm):
    """A text in Markdown."""

    text = TextAreaField("Text", description="Markdown; raw HTML is shown as it is.", render_kw={"rows": 6})
