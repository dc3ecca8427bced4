"""CompareEntities: which prediction each gold entity takes, and the rows that are printed (sections 3, 5, 6, 8, 10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from rapidfuzz.distance import Levenshtein

from evaluator.brateval.order import collide, hash_map, spread, utf16_units, visiting_order
from evaluator.brateval.reader import Aborted, Entity, read_entities
from evaluator.brateval.taxonomy import Taxonomy, read_taxonomy, rows
from evaluator.criteria import SpanRule
from evaluator.overlaps import expand_ranges, group_keys, points_in_ranges
from evaluator.scores import ALL, Counts, Json, MatchingRule
from evaluator.tables import Ints


class TypeMode(StrEnum):
    """BRATEval's type modes exact, inexact and hierarchical, by the names that Assay's `--labels` gives them."""

    EXACT = "fine"
    INEXACT = "any"
    HIERARCHICAL = "hierarchical"


@dataclass(frozen=True, slots=True)
class Row:
    """A printed row. The figures are 0 where nothing was counted, and F1 is computed from precision and recall."""

    span: str
    labels: str
    label: str
    counts: Counts

    @property
    def precision(self) -> float:
        """Tp / (tp + fp)."""
        return self.counts.precision or 0.0

    @property
    def recall(self) -> float:
        """Tp / (tp + fn)."""
        return self.counts.recall or 0.0

    @property
    def f1(self) -> float:
        """2pr / (p + r), in the order of operations of the program."""
        p, r = self.precision, self.recall
        return 2 * p * r / (p + r) if p + r else 0.0

    def to_json(self) -> Json:
        """The row as a Score record; `label` is written as it is printed, indentation included."""
        return {
            "annotations": "entities",
            "span": self.span,
            "labels": self.labels,
            "matching": MatchingRule.BRATEVAL.value,
            "stratification": ALL,
            "stratum": ALL,
            "label": self.label,
            "tp": self.counts.tp,
            "fp": self.counts.fp,
            "fn": self.counts.fn,
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
        }


@dataclass(frozen=True, slots=True)
class Side:
    """One side's entities in visiting order, document by document; fragments in columns."""

    entities: list[Entity]
    ids: list[str]
    document: Ints
    owner: Ints
    start: Ints
    end: Ints


def compare_entities(
    gold: Mapping[str, bytes],
    run: Mapping[str, bytes],
    *,
    span: SpanRule = SpanRule.EXACT,
    threshold: float = 1.0,
    types: TypeMode = TypeMode.EXACT,
    conf: bytes | None = None,
    full_taxonomy: bool = False,
) -> list[Row]:
    """The rows that BRATEval's CompareEntities prints.

    Args:
        gold, run: the content of the files whose names end in `.ann`, by path below the folder.
        span: EXACT, RELAXED (BRATEval's OVERLAP) or APPROXIMATE.
        threshold: the similarity that APPROXIMATE asks for.
        types: its type mode.
        conf: the content of the annotation.conf given with `-config`, None where there is none.
        full_taxonomy: its `-print-full-taxonomy`.

    Raises:
        Aborted: where the program stops without printing a row.
    """
    missing = next((path for path in gold if path not in run), None)
    if missing is not None:
        raise Aborted(f"{missing}: BRATEval stops: the run has no such file")
    taxonomy = read_taxonomy(conf) if conf is not None else Taxonomy()
    gold_side = lay_out([read_entities(data, f"gold/{path}") for path, data in gold.items()])
    runs = [read_entities(run[path], f"run/{path}") for path in gold]
    run_side = lay_out(runs)
    labels = list(dict.fromkeys(each.label for side in (gold_side, run_side) for each in side.entities))
    g, r = candidates(gold_side, run_side, class_numbers(labels, types, taxonomy), span, threshold)
    pairs = _take_first(g, r, len(run_side.entities))
    for number, document in enumerate(runs):
        if collide(document):
            _take_while_order_changes(number, document, g, r, gold_side, run_side, pairs)
    own = _count(gold_side, run_side, pairs, labels)
    name = f"approximate:{threshold:g}" if span is SpanRule.APPROXIMATE else span.value
    return [Row(name, types.value, label, counts) for label, counts in rows(taxonomy, own, full=full_taxonomy)]


def lay_out(documents: Sequence[Mapping[str, Entity]]) -> Side:
    """The entities of documents, one document after the other, each in its visiting order."""
    entities: list[Entity] = []
    ids: list[str] = []
    sizes: list[int] = []
    for document in documents:
        ordered = visiting_order(document)
        ids += ordered
        entities += [document[id_] for id_ in ordered]
        sizes.append(len(document))
    fragments = np.array([pair for each in entities for pair in each.spans], dtype=np.int64).reshape(-1, 2)
    counts = np.fromiter((len(each.spans) for each in entities), dtype=np.int64, count=len(entities))
    return Side(
        entities,
        ids,
        np.repeat(np.arange(len(sizes), dtype=np.int64), sizes),
        np.repeat(np.arange(len(entities), dtype=np.int64), counts),
        fragments[:, 0].copy(),
        fragments[:, 1].copy(),
    )


def class_numbers(labels: Sequence[str], types: TypeMode, taxonomy: Taxonomy) -> dict[str, int]:
    """A number for each label; labels with the same one match under the type mode."""
    match types:
        case TypeMode.INEXACT:
            return dict.fromkeys(labels, 0)
        case TypeMode.EXACT:
            return {label: i for i, label in enumerate(labels)}
        case TypeMode.HIERARCHICAL:
            classes = {label: taxonomy.class_of(label) for label in labels}
            number = {name: i for i, name in enumerate(dict.fromkeys(classes.values()))}
            return {label: number[name] for label, name in classes.items()}


def candidates(gold: Side, run: Side, classes: Mapping[str, int], span: SpanRule, threshold: float) -> tuple[Ints, Ints]:
    """All pairs that match, sorted by gold and then run place in visiting order."""
    kinds = [np.array([classes[each.label] for each in side.entities], dtype=np.int64) for side in (gold, run)]
    g_group, r_group = group_keys((gold.document, run.document), (kinds[0], kinds[1]))
    g_group, r_group = g_group[gold.owner], r_group[run.owner]
    g, r = _exact(gold, run, g_group, r_group)
    if span is not SpanRule.EXACT:
        near_g, near_r = _touching(gold, run, g_group, r_group)
        if span is SpanRule.APPROXIMATE:
            similar = np.array(
                [
                    _similar(gold.entities[i].text, run.entities[j].text, threshold)
                    for i, j in zip(near_g.tolist(), near_r.tolist(), strict=True)
                ],
                dtype=bool,
            )
            near_g, near_r = near_g[similar], near_r[similar]
        g, r = _unique_pairs(np.concatenate([g, near_g]), np.concatenate([r, near_r]))
    return g, r


def _exact(gold: Side, run: Side, g_group: Ints, r_group: Ints) -> tuple[Ints, Ints]:
    """Every fragment of the gold entity is one of the prediction's, which may have more."""
    firsts = np.flatnonzero(np.diff(gold.owner, prepend=-1))
    g_key, r_key = group_keys((g_group[firsts], r_group), (gold.start[firsts], run.start), (gold.end[firsts], run.end))
    order = np.argsort(r_key, kind="stable")
    low = np.searchsorted(r_key[order], g_key, side="left").astype(np.int64)
    high = np.searchsorted(r_key[order], g_key, side="right").astype(np.int64)
    at, position = expand_ranges(low, high)
    g, r = _unique_pairs(gold.owner[firsts[at]], run.owner[order[position]])
    many = np.bincount(gold.owner, minlength=len(gold.entities))[g] > 1
    whole = ~many
    for i in np.flatnonzero(many).tolist():
        whole[i] = set(gold.entities[g[i]].spans) <= set(run.entities[r[i]].spans)
    return g[whole], r[whole]


def _touching(gold: Side, run: Side, g_group: Ints, r_group: Ints) -> tuple[Ints, Ints]:
    """The program's overlap test of two fragments: one starts in the other, or ends in it (its end counting as inside)."""
    found_g, found_r = [], []
    for low, high, point_gold, point_run in ((0, 0, gold.start, run.start), (1, 1, gold.end, run.end)):
        g, r = points_in_ranges(g_group, gold.start + low, gold.end + high, r_group, point_run)
        found_g.append(g)
        found_r.append(r)
        r, g = points_in_ranges(r_group, run.start + low, run.end + high, g_group, point_gold)
        found_g.append(g)
        found_r.append(r)
    return _unique_pairs(gold.owner[np.concatenate(found_g)], run.owner[np.concatenate(found_r)])


def _unique_pairs(g: Ints, r: Ints) -> tuple[Ints, Ints]:
    if not len(g):
        return g, r
    width = int(r.max()) + 1
    keys = np.unique(g * width + r)
    return keys // width, keys % width


def _similar(gold_text: str, run_text: str, threshold: float) -> bool:
    a, b = utf16_units(gold_text), utf16_units(run_text)
    longer = max(len(a), len(b))
    if not longer:
        return False
    allowed = int((1.0 - threshold) * longer)  # in doubles, as the program does, so that one edit can be lost
    distance = Levenshtein.distance(a, b, score_cutoff=allowed)
    return (1.0 - distance / longer if distance <= allowed else 0.0) >= threshold


def _take_first(g: Ints, r: Ints, runs: int) -> dict[int, int]:
    """Each gold entity in turn takes the first of its candidates that is left: gold place to run place."""
    taken = bytearray(runs)
    pairs: dict[int, int] = {}
    for i, j in zip(g.tolist(), r.tolist(), strict=True):
        if i not in pairs and not taken[j]:
            taken[j] = 1
            pairs[i] = j
    return pairs


def _take_while_order_changes(  # noqa: PLR0917 - all that the pairs depend on
    number: int, document: Mapping[str, Entity], g: Ints, r: Ints, gold: Side, run: Side, pairs: dict[int, int]
) -> None:
    """Redo the pairs of a document whose run ids collide: there, removing a prediction can change the order of the others."""
    left = hash_map(document)
    first = int(np.searchsorted(run.document, number))
    place = {run.ids[at]: at for at in range(first, first + len(document))}
    for i in np.flatnonzero(gold.document == number).tolist():
        pairs.pop(i, None)
        low, high = np.searchsorted(g, [i, i + 1])
        candidates = set(r[low:high].tolist())
        taken = next((id_ for id_ in left if place[id_] in candidates), None)
        if taken is not None:
            pairs[i] = place[taken]
            left.remove(taken, spread(taken))


def _count(gold: Side, run: Side, pairs: Mapping[int, int], labels: Sequence[str]) -> dict[str, Counts]:
    tp, fp, fn = (dict.fromkeys(labels, 0) for _ in range(3))
    for i, entity in enumerate(gold.entities):
        (tp if i in pairs else fn)[entity.label] += 1
    used = set(pairs.values())
    for j, entity in enumerate(run.entities):
        if j not in used:
            fp[entity.label] += 1
    return {label: Counts(tp[label], fp[label], fn[label]) for label in labels}
