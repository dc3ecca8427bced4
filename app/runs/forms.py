"""Forms of runs."""

from __future__ import annotations

from flask_wtf import FlaskForm
from flask_wtf.file import FileField
from wtforms import BooleanField, HiddenField, SelectField, StringField, SubmitField, TextAreaField
from wtforms.validators import InputRequired, Length


class UploadForm(FlaskForm):
    """A run for a phase and track."""

    phase = SelectField("Phase")
    track = SelectField("Track")
    name = StringField("Name of the run", [Length(max=100)], description="For your own board. The file's name if left empty.")
    file = FileField(
        "Annotations",
        description="A .zip or .tar.gz with one .ann file for every document, or a single .ann file. CoNLL, PubTator, BioC, "
        "span TSV and JSON lines are understood too.",
        render_kw={"accept": ".zip,.tgz,.gz,.tar,.ann,.conll,.iob,.tsv,.txt,.xml,.json,.jsonl"},
    )
    again = BooleanField("Send it although it is the same as an earlier run")
    trial = SubmitField("Check only")
    submit = SubmitField("Submit")


class SubmitForm(FlaskForm):
    """Submitting what is here already."""

    corrected = HiddenField()
    again = HiddenField()


class DescribeForm(FlaskForm):
    """What a run is called, and the system behind it."""

    name = StringField("Name", [InputRequired(), Length(max=100)])
    description = TextAreaField(
        "Description of the system",
        description="Markdown; raw HTML is shown as it is. Everybody sees it once the run is published.",
        render_kw={"rows": 6, "maxlength": 10_000},
    )
