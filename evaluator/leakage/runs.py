"""What the leakage of a data set means for runs: their scores on its strata, and the tables of ChEMU 2020 (12 to 14)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

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
from evaluator.strata.model import Strata
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
    """What was known before: the documents of train and dev, and the labels in them that are not those of entities."""

    documents: Collection[Document]
    ignored: frozenset[str] = frozenset()


def stratifications(found: Leakage, known: Known, tables: Tables) -> list[Strata]:
    """The strata of gold and run: source where sources are known, similarity by bins and by quartiles, entropy."""
    near = found.similarity.of_document
    strings = label_strings(distinct_strings(tables), known.documents, known.ignored)
    strata = [
        similarity.by_similarity(near, tables),
        similarity.by_similarity_quartile(near, tables),
        by_entropy(lambda string: strings[string].entropy, tables),
    ]
    if found.sources is None:
        return strata
    unknown, new = set(found.sources.unknown["test"]), set(found.sources.new)
    seen = {id_: None if id_ in unknown else id_ not in new for id_ in tables.documents}
    return [source.by_source(seen, tables), *strata]


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
    return [
        *scored.scores,
        *score_strata(scored.tables, scored.matchings, stratifications(found, known, scored.tables), scheme),
    ]


def paper_tables(runs: Sequence[NamedScores], group: str | None = None) -> list[ChangeTable]:
    """Tables 12 (where sources are known), 13, its counterpart by real quartiles, and 14, of exact spans.

    Args:
        runs: the name of each run and its scores, in the order of the rows.
        group: the labels of the columns with a star, such as `COMPOUND`.

    Raises:
        ValueError: there is no such label or group among the scores.
    """
    labels = {each.label for _, scores in runs for each in scores}
    if group is not None and group not in labels:
        raise ValueError(f"{group} is neither a label nor a group of labels; there are {', '.join(sorted(labels - {'all'}))}")
    found = {each.stratification for _, scores in runs for each in scores}
    tables = []
    if source.NAME in found:
        tables.append(stratum_table(runs, Selection(stratification=source.NAME), source.NEW, group))
    for name in (similarity.BINS, similarity.QUARTILES):
        tables.append(change_table(runs, Selection(stratification=name), similarity.STRATA, percent=True))
    tables.append(change_table(runs, Selection(stratification=ENTROPY), ENTROPY_STRATA, percent=False))
    return tables


def stability(runs: Sequence[NamedScores], table: ChangeTable) -> list[RankStability]:
    """Whether the runs rank alike on the whole set and on each stratum of a table that is not empty."""
    compared = changes(runs, table.selection)
    return [rank_stability(compared, each) for each in strata_of(compared, _STRATA[table.selection.stratification])]
