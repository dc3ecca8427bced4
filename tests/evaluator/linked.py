"""Documents with relations and events, written briefly or drawn at random."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from hypothesis import strategies as st

from brat.model import Annotation, Argument, Attribute, Document, Event, Relation, TextBound, covered_text
from brat.parse import parse
from evaluator.criteria import Annotations, parse_criterion
from evaluator.hierarchy import Hierarchy
from evaluator.scores import Score
from evaluator.scoring import Scheme, score
from tests.strategies import LABELS, PARENTS, TEXT

TRIGGERS = frozenset({"B1", "B2", "C"})
HIERARCHY = Hierarchy(PARENTS)
SCHEME = Scheme(annotations=tuple(Annotations), triggers=TRIGGERS, hierarchy=HIERARCHY, relations=HIERARCHY)
CRITERIA = [parse_criterion(span, labels) for span in ("exact", "relaxed") for labels in ("fine", "high", "any")]
_SPANS = (((0, 4),), ((0, 5),), ((5, 11),), ((6, 9),), ((12, 18), (20, 22)), ((12, 18),), ((19, 23),))
_BOUNDS, _EVENTS = 5, 4


def document(*lines: str) -> dict[str, Document]:
    """One document from lines whose columns are parted by a bar; text columns are put in."""
    text = "".join(
        f"{each}\tx\n" if each.startswith("T") else f"{each}\n" for each in (line.replace("|", "\t") for line in lines)
    )
    read, problems = parse(text, document_id="d")
    assert not problems
    return {"d": read}


def rows(
    gold: dict[str, Document], run: dict[str, Document], annotations: str, labels: str = "fine", scheme: Scheme = SCHEME
) -> dict[str, tuple[int, int, int]]:
    """tp, fp, fn by label, under exact spans."""
    found = score(gold, run, [parse_criterion("exact", labels)], scheme).scores
    return {each.label: counts(each) for each in found if each.annotations == annotations}


def counts(each: Score) -> tuple[int, int, int]:
    return each.counts.tp, each.counts.fp, each.counts.fn


@st.composite
def annotations(draw: st.DrawFn) -> list[Annotation]:
    """Text-bound annotations on few spans, and relations, events and modifications on them; some lead nowhere."""
    bounds = [
        TextBound(f"T{i}", draw(st.sampled_from(LABELS)), span, covered_text(TEXT, span))
        for i, span in enumerate(
            draw(st.lists(st.sampled_from(_SPANS), min_size=draw(st.sampled_from([0, 2, 3])), max_size=_BOUNDS)), 1
        )
    ]
    bound_ids = st.sampled_from([f"T{i}" for i in range(1, len(bounds) + 1)] or ["T99"])
    event_ids = st.sampled_from([f"E{i}" for i in range(1, _EVENTS + 1)])
    triggers = st.sampled_from([f"T{i}" for i in range(1, min(len(bounds), 2) + 1)] or ["T99"])  # often the same
    targets = st.one_of(bound_ids, event_ids)
    roles = st.sampled_from(["Theme", "Theme", "Theme2", "Cause"])
    events = [
        Event(f"E{i}", draw(st.sampled_from(LABELS[1:3])), draw(triggers), tuple(arguments))
        for i, arguments in enumerate(
            draw(
                st.lists(
                    st.lists(st.builds(Argument, roles, targets), max_size=2),
                    min_size=draw(st.sampled_from([0, 2, 3])),
                    max_size=_EVENTS,
                )
            ),
            1,
        )
    ]
    relations = [
        Relation(f"R{i}", draw(st.sampled_from(LABELS[:3])), Argument(first, one), Argument(second, other))
        for i, (one, other) in enumerate(draw(st.lists(st.tuples(targets, targets), max_size=4)), 1)
        for first, second in [draw(st.sampled_from([("Arg1", "Arg2"), ("Arg2", "Arg1")]))]
    ]
    attributes = [
        Attribute(f"A{i}", *draw(st.tuples(st.sampled_from(["Negation", "Level"]), event_ids, st.sampled_from([None, "L1"]))))
        for i in range(draw(st.integers(0, 2)))
    ]
    return [*bounds, *events, *relations, *attributes]


@st.composite
def sides(draw: st.DrawFn) -> tuple[dict[str, Document], dict[str, Document]]:
    """Gold and a run of two documents; the run is gold with some lines changed, or has nothing to do with it."""
    gold: dict[str, Document] = {}
    run: dict[str, Document] = {}
    for id_ in ("d1", "d2"):
        ours, theirs = draw(annotations()), draw(annotations())
        if draw(st.integers(0, 3)):
            other = {each.id: each for each in theirs if not hasattr(each, "members")}  # type: ignore[union-attr]
            fates = draw(st.sampled_from([[0, 0, 0, 1, 2], [0] * 8 + [1]]))
            fate = draw(st.lists(st.sampled_from(fates), min_size=len(ours), max_size=len(ours)))
            theirs = [
                other.get(each.id, each) if luck == 1 else each  # type: ignore[union-attr]
                for each, luck in zip(ours, fate, strict=True)
                if luck != 2
            ]
        gold[id_], run[id_] = Document(id_, tuple(ours), TEXT), Document(id_, tuple(theirs), TEXT)
    return gold, run


def renamed(documents: dict[str, Document], seed: int) -> dict[str, Document]:
    """The same with other ids and lines in another order."""
    random = Random(seed)
    found = {}
    for id_, each in documents.items():
        lines = list(each.annotations)
        random.shuffle(lines)
        ids: dict[str, str] = {}
        for number, line in enumerate(lines, random.randint(1, 50)):
            ids[line.id] = f"{line.id[0]}{number}"  # type: ignore[union-attr]
        found[id_] = Document(id_, tuple(_rename(line, ids) for line in lines), each.text)
    return found


def _rename(line: Annotation, ids: dict[str, str]) -> Annotation:
    def to(argument: Argument) -> Argument:
        return Argument(argument.role, ids.get(argument.target, "T9999"))

    match line:
        case TextBound():
            return replace(line, id=ids[line.id])
        case Relation():
            return replace(line, id=ids[line.id], first=to(line.first), second=to(line.second))
        case Event():
            arguments = tuple(to(each) for each in line.arguments)
            return replace(line, id=ids[line.id], trigger=ids.get(line.trigger, "T9999"), arguments=arguments)
        case Attribute():
            return replace(line, id=ids[line.id], target=ids.get(line.target, "E9999"))
    raise AssertionError(line)


def doubled(documents: dict[str, Document]) -> dict[str, Document]:
    """Every line, and after them a copy of every line, the copies linked among themselves; what led nowhere still does."""
    found = {}
    for id_, each in documents.items():
        ids = {line.id: f"{line.id}0000" for line in each.annotations}  # type: ignore[union-attr]
        copies = tuple(_rename(line, ids) for line in each.annotations)
        found[id_] = Document(id_, each.annotations + copies, each.text)
    return found
