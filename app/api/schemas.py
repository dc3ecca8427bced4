"""The shapes of the API."""

from __future__ import annotations

from typing import Any

from apiflask import Schema
from apiflask.fields import Boolean, Dict, File, Float, Integer, List, Nested, String


class ErrorDetail(Schema):
    """What went wrong."""

    code = String(required=True)
    message = String(required=True)
    details = Dict()


class ErrorOut(Schema):
    """The one shape of errors."""

    error = Nested(ErrorDetail, required=True)


class PhaseOut(Schema):
    """A phase."""

    id = String(required=True)
    title = String(required=True)
    split = String(required=True)
    state = String(required=True)
    opens_at = String(allow_none=True)
    closes_at = String(allow_none=True)
    quota = Integer(allow_none=True)
    tells = String(required=True)
    tracks = List(String(), required=True)
    releases = String(required=True)
    starts = Dict(keys=String(), values=String(), metadata={"description": "Runs to fill in that you may download, by track."})


class SplitOut(Schema):
    """A split and what of it may be downloaded by the reader."""

    name = String(required=True)
    documents = Integer(required=True)
    blind = Boolean(required=True)
    texts = String(allow_none=True)
    gold = String(allow_none=True)


class TaskOut(Schema):
    """A task in a list."""

    id = String(required=True)
    title = String(required=True)
    version = String(required=True)
    summary = String(required=True)


class TrackOut(Schema):
    """A track."""

    id = String(required=True)
    title = String(required=True)
    given = List(String(), required=True)
    asks = List(String(), required=True)
    ranks_by = String(required=True, metadata={"description": "The annotations that boards rank by."})


class TaskDetailOut(TaskOut):
    """A task in full."""

    labels = Dict(keys=String(), values=String())
    relations = Dict(keys=String(), values=String())
    tracks = List(Nested(TrackOut), required=True)
    phases = List(Nested(PhaseOut), required=True)
    splits = List(Nested(SplitOut), required=True)


class ScoreOut(Schema):
    """A Score record; counts are null where a phase tells rounded figures only."""

    annotations = String(required=True)
    span = String(required=True)
    labels = String(required=True)
    matching = String(required=True)
    stratification = String(required=True)
    stratum = String(required=True)
    label = String(required=True)
    tp = Integer(allow_none=True)
    fp = Integer(allow_none=True)
    fn = Integer(allow_none=True)
    precision = Float(allow_none=True)
    recall = Float(allow_none=True)
    f1 = Float(allow_none=True)


class ProblemOut(Schema):
    """A problem found by checking."""

    code = String(required=True)
    severity = String(required=True)
    file = String(required=True)
    line = Integer(required=True)
    column = Integer(required=True)
    message = String(required=True)
    found = String(required=True)
    expected = String(required=True)
    hint = String(required=True)


class StateOut(Schema):
    """When a run came into a state."""

    state = String(required=True)
    at = String(required=True)
    note = String(required=True)


class RunIn(Schema):
    """A run to upload."""

    phase = String(required=True)
    track = String(required=True)
    name = String(load_default="")
    again = Boolean(load_default=False, metadata={"description": "send it although it is the same as an earlier run"})
    trial = Boolean(load_default=False, metadata={"description": "check it only: nothing is scored, and it costs no try"})
    anyway = Boolean(load_default=False, metadata={"description": "score it although its offsets are systematically off"})
    file = File(required=True)  # type: ignore[no-untyped-call]


class SubmitIn(Schema):
    """Submitting what is here already."""

    corrected = Boolean(load_default=False, metadata={"description": "the corrected run, not the one that was sent"})
    again = Boolean(load_default=False, metadata={"description": "send it although it is the same as an earlier run"})


class ExplanationOut(Schema):
    """What explains spans that are off."""

    code = String(required=True)
    words = String(required=True)
    explained = Integer(required=True)
    of = Integer(required=True)
    fixable = Boolean(required=True)
    guess = Boolean(required=True)


class RunOut(Schema):
    """A run as far as the reader may see it."""

    id = String(required=True)
    task = String(required=True)
    phase = String(required=True)
    track = String(required=True)
    team = String(required=True)
    baseline = Boolean(required=True)
    name = String(required=True)
    state = String(required=True)
    submitted_at = String(required=True)
    published = Boolean(required=True)
    late = Boolean(required=True)
    description = String(required=True)
    told = String(required=True)
    problems = List(Nested(ProblemOut))
    problem_counts = Dict(keys=String(), values=Integer())
    diagnosis = List(Nested(ExplanationOut))
    corrected = String(allow_none=True)
    trial = Boolean(required=True)
    signature = String(allow_none=True)
    scores = List(Nested(ScoreOut))
    history = List(Nested(StateOut))


class ConfusionIn(Schema):
    """Which confusion matrix."""

    kind = String(load_default="", metadata={"description": "entities or triggers; the first there is if not given"})


class ExampleOut(Schema):
    """An annotation that is off the diagonal."""

    document = String(required=True)
    gold_label = String(required=True)
    run_label = String(required=True)
    fragments = List(List(Integer()), required=True)
    text = String(required=True)
    before = String(required=True)
    after = String(required=True)


class ConfusionOut(Schema):
    """A confusion matrix: rows are labels of gold, columns labels of the run, NEG last."""

    kind = String(required=True)
    kinds = List(String(), required=True)
    labels = List(String(), required=True)
    counts = List(List(Integer()), required=True)
    examples = List(Nested(ExampleOut), required=True)


class ChoiceIn(Schema):
    """The runs and the criterion that a board is about; what is not said is the first there is."""

    phase = String()
    track = String()
    annotations = String(metadata={"description": "what is ranked; if not given, what the track ranks by"})
    span = String()
    labels = String()
    runs = String(metadata={"description": "all, or official for the official run of every team"})


class BoardIn(ChoiceIn):
    """What a leaderboard is about."""

    board = String(load_default="public", metadata={"description": "public, or team for all runs of your own team"})


class EntryOut(Schema):
    """A run on a leaderboard."""

    rank = Integer(allow_none=True)
    team = String(required=True)
    baseline = Boolean(required=True)
    run = String(required=True)
    name = String(required=True)
    state = String(required=True)
    late = Boolean(required=True)
    official = Boolean(required=True)
    scored_runs = Integer(required=True)
    score = Nested(ScoreOut, allow_none=True)


class BoardOut(Schema):
    """A leaderboard."""

    task = String(required=True)
    phase = String(required=True)
    track = String(required=True)
    annotations = String(required=True)
    span = String(required=True)
    labels = String(required=True)
    figure = String(required=True)
    told = String(required=True)
    entries = List(Nested(EntryOut), required=True)


def errors(*codes: int) -> dict[int | str, dict[str, str | dict[str, dict[str, Any]]]]:
    """What the description says of answers with these codes."""
    return {code: {"description": "error", "content": {"application/json": {"schema": ErrorOut}}} for code in codes}
