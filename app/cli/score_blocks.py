"""The way of `assay score` for entities: blocks of documents as columns, so that millions of lines fit into little memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from app.cli import inputs
from app.cli.score_groups import Grouped, Groups, count_documents, title_of
from brat.convert.formats import recognise
from evaluator.columnar.adding import Sums
from evaluator.columnar.reading import BothSides, Read, Wishes
from evaluator.criteria import Annotations, Criterion
from evaluator.scoring import Scheme
from evaluator.signature import Signature, digest_documents


@dataclass(frozen=True, slots=True)
class Scored:
    """The scores, what was found while reading, and the ids of gold."""

    grouped: Grouped
    read: Read
    documents: Sequence[str]

    def sign(self, signature: Signature) -> Signature:
        """The signature with the digests of what was read."""
        return replace(
            signature,
            documents=len(self.documents),
            gold=digest_documents(self.read.gold.digests),
            run=digest_documents(self.read.run.digests),
            texts=digest_documents(self.read.texts) if self.read.texts else "",
        )


def score_entities(
    paths: tuple[Path, Path], criteria: Sequence[Criterion], scheme: Scheme, wishes: Wishes, groups: Groups
) -> Scored | None:
    """Score a run, the second path, against gold; None where it is not in BRAT, and is to be converted as a whole.

    The command ends with status 1 when gold has no document, and when either has errors.
    """
    files = inputs.paired_files(*paths)
    both = BothSides(*files)
    if not both.documents:
        inputs.no_documents(paths[0])
    if recognise(files[1]) is not None:
        return None
    strata = groups.strata(both.documents)
    sums = Sums(both.documents, criteria, scheme, strata)
    read = both.read(wishes, sums.take)
    inputs.stop_on_errors_of_both((paths[0], read.gold), (paths[1], read.run))
    groups.tell_unknown(both.documents)
    counts = [(title_of(Annotations.ENTITIES.value, each), of) for each, of in zip(criteria, sums.documents, strict=True)]
    found = Grouped(
        list(sums.scores()), list(sums.strata_scores()), count_documents(strata), groups.compare(both.documents, counts)
    )
    return Scored(found, read, both.documents)
