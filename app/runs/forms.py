"""The upload form."""

from __future__ import annotations

from flask_wtf import FlaskForm
from flask_wtf.file import FileField
from wtforms import SelectField, StringField
from wtforms.validators import Length


class UploadForm(FlaskForm):
    """A run for a phase and track."""

    phase = SelectField("Phase")
    track = SelectField("Track")
    name = StringField("Name of the run", [Length(max=100)], description="For your own board. The file's name if left empty.")
    file = FileField(
        "Annotations",
        description="A .zip or .tar.gz with one .ann file for every document, or a single .ann file.",
        render_kw={"accept": ".zip,.tgz,.gz,.tar,.ann"},
    )
