"""What most of several runs say: spans with labels, and relations (METHODS, section 1: an ensemble of a participant)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from baselines.protocol import Asks, BaselineError, Corpus, Watch
from baselines.sequences import text_bound
from baselines.settings import within
from brat.model import Argument, Document, Event, Fragment, Relation, TextBound, as_column, covered_text

_Key = tuple[str, tuple[Fragment, ...]]
_RelationKey = tuple[str, str, _Key, str, _Key]


@dataclass(frozen=True, slots=True)
class Settings:
    """Who votes.

    Attributes:
        methods: names with `/` between them; each is trained with its defaults.
        runs: on a server, instead: ids of runs with `/` between them, or `teams` for the newest scored run of each.
        threshold: the share of voters that an annotation needs more than.
    """

    methods: str = "dictionary/crf"
    runs: str = ""
    threshold: float = 0.5

    def __post_init__(self) -> None:
        within(self, threshold=(0, 0.999))
        for name in self.methods.split("/"):
            _check_voter(name.strip())


def _check_voter(name: str) -> None:
    from baselines.methods import find_method  # noqa: PLC0415 - it knows this module by name

    if find_method(name).asks is not Asks.ENTITIES or name == "majority-vote":
        raise BaselineError(f"{name} cannot vote: methods for entities can")


@dataclass(frozen=True, slots=True)
class Model:
    """The models that vote, each with its method, and the threshold."""

    parts: tuple[tuple[str, Any], ...]
    threshold: float


def train(corpus: Corpus, settings: Settings, watch: Watch) -> Model:
    """Train each method.

    Raises:
        BaselineError: there is nothing to train on.
    """
    from baselines.methods import find_method, import_method  # noqa: PLC0415 - it knows this module by name

    if settings.runs:
        raise BaselineError("runs: they are on a server; `assay baseline vote RUN RUN …` lets files vote")
    parts = []
    for name in settings.methods.split("/"):
        about = find_method(name.strip())
        method = import_method(about)
        parts.append((about.name, method.train(corpus, method.Settings(), watch)))
    return Model(tuple(parts), settings.threshold)


def predict(model: Model, documents: Mapping[str, Document], watch: Watch) -> dict[str, Document]:
    """Let all of them tag, and vote."""
    from baselines.methods import find_method, import_method  # noqa: PLC0415

    runs = [import_method(find_method(name)).predict(part, documents, watch) for name, part in model.parts]
    return vote(documents, runs, model.threshold)


def vote(documents: Mapping[str, Document], runs: Sequence[Mapping[str, Document]], threshold: float) -> dict[str, Document]:
    """The annotations that more than this share of runs have.

    Spans agree by label and fragments, relations by label and by the spans they lead from and to, which must be voted for too.

    Args:
        documents: with texts; each is in the answer.
        runs: a document that a run lacks is empty in it.
        threshold: at .5 more than half are needed.

    Raises:
        BaselineError: there is no run, or one has events, which are not voted on.
    """
    if not runs:
        raise BaselineError("there is no run to vote")
    return {
        id_: _vote(document, [run.get(id_, Document(id_)) for run in runs], threshold) for id_, document in documents.items()
    }


def _vote(document: Document, runs: Sequence[Document], threshold: float) -> Document:
    if any(isinstance(each, Event) for run in runs for each in run.annotations):
        raise BaselineError(f"{document.id}: events are not voted on, spans and relations are")
    least = threshold * len(runs)
    spans = Counter(key for run in runs for key in {_key(each) for each in run.text_bounds})
    text = document.text or ""
    chosen = sorted((key for key, count in spans.items() if count > least), key=lambda each: (each[1], each[0]))
    bounds = {key: _bound(number, key, text) for number, key in enumerate(chosen, 1)}
    relations = Counter(key for run in runs for key in set(_relations(run)))
    kept = [key for key, count in relations.items() if count > least and key[2] in bounds and key[4] in bounds]
    links = tuple(
        Relation(f"R{number}", label, Argument(role, bounds[first].id), Argument(other, bounds[second].id))
        for number, (label, role, first, other, second) in enumerate(sorted(kept), 1)
    )
    return Document(document.id, (*bounds.values(), *links), document.text)


def _key(bound: TextBound) -> _Key:
    return bound.label, tuple(sorted(bound.fragments))


def _bound(number: int, key: _Key, text: str) -> TextBound:
    label, fragments = key
    if len(fragments) == 1:
        return text_bound(number, label, fragments[0], text)
    return TextBound(f"T{number}", label, fragments, as_column(covered_text(text, fragments)))


def _relations(run: Document) -> list[_RelationKey]:
    bounds = {each.id: _key(each) for each in run.text_bounds}
    found: list[_RelationKey] = []
    for each in run.annotations:
        if isinstance(each, Relation):
            first, second = each.in_order
            if first.target in bounds and second.target in bounds:
                found.append((each.label, first.role, bounds[first.target], second.role, bounds[second.target]))
    return found


def save(model: Model, folder: Path) -> None:
    """Each model in a folder of its own."""
    from baselines.methods import find_method, import_method  # noqa: PLC0415

    (folder / "threshold").write_text(repr(model.threshold))
    for number, (name, part) in enumerate(model.parts):
        below = folder / f"{number}-{name}"
        below.mkdir()
        import_method(find_method(name)).save(part, below)


def load(folder: Path, device: str) -> Model:
    """The same again."""
    from baselines.methods import find_method, import_method  # noqa: PLC0415

    parts = []
    for below in sorted((each for each in folder.iterdir() if each.is_dir()), key=lambda each: int(each.name.split("-")[0])):
        name = below.name.split("-", 1)[1]
        parts.append((name, import_method(find_method(name)).load(below, device)))
    return Model(tuple(parts), float((folder / "threshold").read_text()))
