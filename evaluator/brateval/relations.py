"""CompareRelations: which predicted relation each gold relation takes, and the rows that are printed (section 9)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from evaluator.brateval.compare import Row, Side, TypeMode, candidates, class_numbers, lay_out
from evaluator.brateval.order import collide, hash_map, spread, visiting_order
from evaluator.brateval.reader import Aborted, Relation, read_document
from evaluator.brateval.taxonomy import Taxonomy, read_taxonomy, rows
from evaluator.criteria import SpanRule
from evaluator.scores import Counts, Json
from evaluator.tables import Ints


@dataclass(frozen=True, slots=True)
class RelationRow(Row):
    """A printed row; `fpm` and `fnm` are the wrong and the missed relations with an argument that nothing matches at all."""

    fpm: int = 0
    fnm: int = 0

    def to_json(self) -> Json:
        """The row as a Score record, with the two further counts."""
        return Row.to_json(self) | {"annotations": "relations", "fpm": self.fpm, "fnm": self.fnm}


@dataclass(frozen=True, slots=True)
class _Placed:
    """A relation with the places of its arguments among the entities of its side."""

    id: str
    label: str
    first: int
    second: int


@dataclass(frozen=True, slots=True)
class _Half:
    """One side: its entities, and for each document its relations in visiting order."""

    entities: Side
    documents: list[list[_Placed]]


def compare_relations(
    gold: Mapping[str, bytes],
    run: Mapping[str, bytes],
    *,
    span: SpanRule = SpanRule.EXACT,
    threshold: float = 1.0,
    types: TypeMode = TypeMode.EXACT,
    conf: bytes | None = None,
    full_taxonomy: bool = False,
) -> list[RelationRow]:
    """The rows that BRATEval's CompareRelations prints; the arguments are those of `compare_entities`.

    It looks into no sub-folder. A label is the name of a relation and the types of both arguments, so the type mode changes
    nothing but `fpm` and `fnm`, and no taxonomy is ever seen when arguments are matched.

    Raises:
        Aborted: where the program stops without printing a row.
    """
    names = [path for path in gold if "/" not in path]
    missing = next((path for path in names if path not in run), None)
    if missing is not None:
        raise Aborted(f"{missing}: BRATEval stops: the run has no such file")
    ours, theirs = _half({path: gold[path] for path in names}, "gold"), _half({path: run[path] for path in names}, "run")
    mode = TypeMode.INEXACT if types is TypeMode.INEXACT else TypeMode.EXACT
    labels = list(dict.fromkeys(each.label for half in (ours, theirs) for each in half.entities.entities))
    classes = class_numbers(labels, mode, Taxonomy())
    forth = _partners(*candidates(ours.entities, theirs.entities, classes, span, threshold))
    back = _partners(*candidates(theirs.entities, ours.entities, classes, span, threshold))
    counts = _count(ours, theirs, forth, back)
    name = f"approximate:{threshold:g}" if span is SpanRule.APPROXIMATE else span.value
    taxonomy = read_taxonomy(conf, "relations") if conf is not None else Taxonomy()
    return list(_rows(name, types, taxonomy, counts, full=full_taxonomy))


def _half(files: Mapping[str, bytes], side: str) -> _Half:
    read = [read_document(data, f"{side}/{path}") for path, data in files.items()]
    entities = lay_out([each for each, _ in read])
    documents, first = [], 0
    for path, (known, relations) in zip(files, read, strict=True):
        place = {entities.ids[at]: at for at in range(first, first + len(known))}
        first += len(known)
        documents.append([_place(id_, relations[id_], place, entities, f"{side}/{path}") for id_ in visiting_order(relations)])
    return _Half(entities, documents)


def _place(id_: str, relation: Relation, place: Mapping[str, int], entities: Side, file: str) -> _Placed:
    for target in (relation.first, relation.second):
        if target not in place:
            raise Aborted(f"{file}: BRATEval stops: {id_} refers to {target}, which is no T line of the file")
    first, second = place[relation.first], place[relation.second]
    label = f"{relation.name}|{entities.entities[first].label}|{entities.entities[second].label}"
    return _Placed(id_, label, first, second)


def _partners(looking: Ints, found: Ints) -> dict[int, list[int]]:
    partners: dict[int, list[int]] = defaultdict(list)
    for one, other in zip(looking.tolist(), found.tolist(), strict=True):
        partners[one].append(other)
    return partners


@dataclass(frozen=True, slots=True)
class _Tally:
    tp: Counter[str]
    fp: Counter[str]
    fn: Counter[str]
    fpm: Counter[str]
    fnm: Counter[str]


def _count(gold: _Half, run: _Half, forth: Mapping[int, list[int]], back: Mapping[int, list[int]]) -> _Tally:
    tally = _Tally(Counter(), Counter(), Counter(), Counter(), Counter())
    for wanted, offered in zip(gold.documents, run.documents, strict=True):
        taken = _take(wanted, offered, forth)
        for number, each in enumerate(wanted):
            if number in taken:
                tally.tp[each.label] += 1
                continue
            tally.fn[each.label] += 1
            tally.fnm[each.label] += not (forth.get(each.first) and forth.get(each.second))
        used = set(taken.values())
        for number, each in enumerate(offered):
            if number not in used:
                tally.fp[each.label] += 1
                tally.fpm[each.label] += not (back.get(each.first) and back.get(each.second))
    return tally


def _take(wanted: Sequence[_Placed], offered: Sequence[_Placed], forth: Mapping[int, list[int]]) -> dict[int, int]:
    """Each gold relation in turn takes the first that is left with its label and matching arguments; places in the lists."""
    by_arguments: dict[tuple[str, int, int], list[int]] = defaultdict(list)
    for number, each in enumerate(offered):
        by_arguments[each.label, each.first, each.second].append(number)
    ids = [each.id for each in offered]
    numbers = {id_: number for number, id_ in enumerate(ids)}
    # Ids that collide make a table in which removing one changes the order of the others.
    left = hash_map(ids) if collide(ids) else None
    taken: dict[int, int] = {}
    gone: set[int] = set()
    for number, each in enumerate(wanted):
        fitting = {
            found
            for first in forth.get(each.first, ())
            for second in forth.get(each.second, ())
            for found in by_arguments.get((each.label, first, second), ())
            if found not in gone
        }
        if not fitting:
            continue
        chosen = min(fitting) if left is None else next(numbers[id_] for id_ in left if numbers[id_] in fitting)
        if left is not None:
            left.remove(ids[chosen], spread(ids[chosen]))
        taken[number] = chosen
        gone.add(chosen)
    return taken


def _rows(name: str, types: TypeMode, taxonomy: Taxonomy, tally: _Tally, *, full: bool) -> Iterator[RelationRow]:
    labels = {*tally.tp, *tally.fp, *tally.fn}
    counts = {label: Counts(tally.tp[label], tally.fp[label], tally.fn[label]) for label in labels}
    more = {label: Counts(tally.fpm[label], tally.fnm[label], 0) for label in labels}
    both = zip(*(rows(taxonomy, each, full=True, indented=False) for each in (counts, more)), strict=True)
    for number, ((label, found), (_, unmatched)) in enumerate(both):
        if full or number >= len(taxonomy.nodes) or found != Counts():
            yield RelationRow(name, types.value, label, found, unmatched.tp, unmatched.fp)
