"""What the leakage of a data set means for runs: their scores on its strata, and the tables of ChEMU 2020 (12 to 14)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from brat.model import Document
from evaluator.criteria import Criterion, LabelRule
from evaluator.leakage.entropy import label_strings
from evaluator.leakage.leakage import Leakage
from evaluator.scores import Score
from evaluator.scoring import Scheme, score
from evaluator.strata import similarity, source
from evaluator.strata.changes import Selection, changes, strata_of
from evaluator.strata.entropy import NAME as ENTROPY
from evaluator.strata.entropy import STRATA as ENTROPY_STRATA
from evaluator.strata.entropy import by_entropy, distinct_strings
from evaluator.strata.model import Strata, is_known
from evaluator.strata.ranking import RankStability, rank_stability
from evaluator.strata.tables import ChangeTable, change_table, stratum_table
from evaluator.strata.tallying import score_strata
from evaluator.tables import Tables

NamedScores = tuple[str, Sequence[Score]]
_STRATA = {
    source.NAME: source.STRATA,
    similarity.BINS: similarity.STRATA,
    similarity.QUARTILES: similarity.STRATA,
    ENTROPY: ENTROPY_STRATA,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What was known before.

    Attributes:
        documents: of train and dev.
        ignored: the labels in them that are not those of entities.
        triggers: those of triggers; a trigger is in the stratum of what training says of its string as a trigger.
    """

    documents: Collection[Document]
    ignored: frozenset[str] = frozenset()
    triggers: frozenset[str] = frozenset()


def stratifications(found: Leakage, known: Known, tables: Tables) -> list[Strata]:
    """The strata of gold and run: source where sources are known, similarity by bins and by quartiles, entropy."""
    near = found.similarity.of_document
    asked = distinct_strings(tables)
    strings = label_strings(asked, known.documents, known.ignored)
    labels = {each.label for document in known.documents for each in document.text_bounds}
    triggers = (
        label_strings(asked, known.documents, labels - known.triggers) if known.triggers & set(tables.labels) else strings
    )
    strata = [
        similarity.by_similarity(near, tables),
        similarity.by_similarity_quartile(near, tables),
        by_entropy(lambda string: strings[string].entropy, tables, known.triggers, lambda string: triggers[string].entropy),
    ]
    if found.sources is None:
        return strata
    unknown, new = set(found.sources.unknown["test"]), set(found.sources.new)
    seen = {id_: None if id_ in unknown else id_ not in new for id_ in tables.documents}
    return [source.by_source(seen, tables), *strata]


def clean_and_easy(stratification: str, strata: Sequence[str]) -> tuple[str, str] | None:
    """Of strata that are not empty, the one that training helps least with, and the one that it helps most with.

    None where there are not two; `unknown` is neither.
    """
    known = [each for each in strata_named(stratification) if each in strata and is_known(each)]
    if len(known) < 2:
        return None
    return (known[-1], known[0]) if stratification == ENTROPY else (known[0], known[-1])


def score_run(
    found: Leakage,
    known: Known,
    gold: Mapping[str, Document],
    run: Mapping[str, Document],
    scheme: Scheme,
    criteria: Iterable[Criterion] = (Criterion(), Criterion(labels=LabelRule.HIGH)),
) -> list[Score]:
    """The scores of a run on the whole test set and on every stratum. It is matched once a criterion."""
    scored = score(gold, run, criteria, scheme)
    strata = stratifications(found, known, scored.tables)
    return [*scored.scores, *score_strata(gold, run, scored.tables, scored.matchings, strata, scheme)]


def paper_tables(
    runs: Sequence[NamedScores], group: str | None = None, selection: Selection | None = None
) -> list[ChangeTable]:
    """Tables 12, 13, its counterpart by real quartiles, and 14: those of them whose strata the runs have scores on.

    Args:
        runs: the name of each run and its scores, in the order of the rows.
        group: the labels of the columns with a star, such as `COMPOUND`.
        selection: which scores, whatever its stratification; the paper's exact spans and fine labels where not given.

    Raises:
        ValueError: there is no such label or group among the scores.
    """
    labels = {each.label for _, scores in runs for each in scores}
    if group is not None and group not in labels:
        raise ValueError(f"{group} is neither a label nor a group of labels; there are {', '.join(sorted(labels - {'all'}))}")
    chosen = {each: replace(selection or Selection(stratification=each), stratification=each) for each in _STRATA}
    found = {name for name, each in chosen.items() for _, scores in runs if any(map(each.holds_on_part, scores))}
    tables = []
    if source.NAME in found:
        tables.append(stratum_table(runs, chosen[source.NAME], source.NEW, group))
    for name in (similarity.BINS, similarity.QUARTILES):
        if name in found:
            tables.append(change_table(runs, chosen[name], similarity.STRATA, percent=True))
    if ENTROPY in found:
        tables.append(change_table(runs, chosen[ENTROPY], ENTROPY_STRATA, percent=False))
    return tables


def strata_named(stratification: str) -> tuple[str, ...]:
    """The names of the strata of one of these stratifications, in order; none of another."""
    return _STRATA.get(stratification, ())


def stability(runs: Sequence[NamedScores], table: ChangeTable) -> list[RankStability]:
    """Whether the runs rank alike on the whole set and on each stratum of a table that is not empty."""
    compared = changes(runs, table.selection)
    return [rank_stability(compared, each) for each in strata_of(compared, strata_named(table.selection.stratification))]
