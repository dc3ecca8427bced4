"""BRATEval 0.3.2 (READ-BioMed/brateval, commit 17acc16), accident for accident, to compare with published figures.

`compare_entities` is its CompareEntities, `compare_relations` its CompareRelations. Section numbers in this package are those
of the project's description of that program: 2 reading, 3 documents, 4 visiting order, 5 matching, 6 counting, 7 and 8 the
taxonomy and its rows, 9 relations.
"""

from evaluator.brateval.compare import Row, TypeMode, compare_entities
from evaluator.brateval.reader import Aborted
from evaluator.brateval.relations import RelationRow, compare_relations

__all__ = ["Aborted", "RelationRow", "Row", "TypeMode", "compare_entities", "compare_relations"]
