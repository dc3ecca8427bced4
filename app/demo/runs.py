"""Runs of known quality: gold with faults of one kind, more of them in the harder group."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from app.demo.corpus import About, DemoCorpus
from app.demo.steps import COMPOUNDS, REACTION_STEP, ROLES, TRIGGERS, WORKUP, entities_of, relation
from baselines import dictionary
from baselines.protocol import Corpus, Quiet
from brat.files import pack_zip
from brat.model import Argument, Document, Relation, TextBound, covered_text
from brat.write import write

MEMORISER = "memoriser"
TRACKS = ("ner", "ee", "e2e")
"""Entities; triggers and relations for the entities of gold; all three."""
_HARDER = 2.5
"""How many times as often a system errs in the harder group."""
_Fault = Callable[[TextBound, str, Random], TextBound | None]
_RelationFault = Callable[[Relation, Mapping[str, TextBound], Random], Relation]


@dataclass(frozen=True, slots=True)
class System:
    """The kind of fault a system makes in each kind of annotation, and how often it makes it in the easier group."""

    entity: _Fault
    trigger: _Fault
    relation: _RelationFault
    often: float


def _lost(_: TextBound, __: str, ___: Random) -> TextBound | None:
    return None


def _moved(bound: TextBound, text: str, random: Random) -> TextBound | None:
    start, end = bound.fragments[0][0], bound.fragments[-1][1]
    start, end = max(0, start - random.randint(0, 3)), min(len(text), end + random.randint(1, 3))
    return TextBound(bound.id, bound.label, ((start, end),), covered_text(text, ((start, end),)).replace("\n", " "))


def _confused(bound: TextBound, _: str, random: Random) -> TextBound | None:
    if bound.label not in COMPOUNDS:
        return bound
    label = random.choice([each for each in COMPOUNDS if each != bound.label])
    return TextBound(bound.id, label, bound.fragments, bound.text)


def _other_step(bound: TextBound, _: str, __: Random) -> TextBound | None:
    return replace(bound, label=WORKUP if bound.label == REACTION_STEP else REACTION_STEP)


def _kept(found: Relation, _: Mapping[str, TextBound], __: Random) -> Relation:
    return found


def _neighbour(found: Relation, bounds: Mapping[str, TextBound], random: Random) -> Relation:
    """The relation to the entity before or after, of those that can have one."""
    order = _by_place(each for each in bounds.values() if each.label in ROLES)
    here = order.index(bounds[found.second.target])
    beside = order[max(0, here - 1) : here] + order[here + 1 : here + 2]
    return relation(found.id, bounds[found.first.target], random.choice(beside)) if beside else found


def _other_role(found: Relation, _: Mapping[str, TextBound], __: Random) -> Relation:
    return replace(found, label="ARGM" if found.label == "ARG1" else "ARG1")


SYSTEMS: Mapping[str, System] = {
    "careful": System(_lost, _lost, _kept, 0.05),
    "off-by-some": System(_moved, _moved, _neighbour, 0.20),
    "label-mixer": System(_confused, _other_step, _other_role, 0.20),
}


def predict(
    system: str, documents: Mapping[str, Document], about: Mapping[str, About], seed: int, track: str = "ner"
) -> dict[str, Document]:
    """What a system of known quality gives for these documents in a track; the same seed gives the same run.

    The entities of `e2e` are those of `ner`, and a relation goes with the trigger or entity that it has lost. Annotations
    of `ee` and `e2e` are numbered anew, entities by their place, then triggers and relations.
    """
    its = SYSTEMS[system]
    random = Random(f"{system} {seed}")  # noqa: S311 - nothing is secret here
    steps = Random(f"{system} {seed} {track}")  # noqa: S311 - one of its own, so that steps leave the entities as they are
    found: dict[str, Document] = {}
    for id_, document in documents.items():
        chance = its.often * (_HARDER if about[id_].scale == "pilot" else 1)
        text = document.text or ""
        entities = tuple(entities_of(document).text_bounds)
        if track != "ee":
            entities = _with_faults(its.entity, entities, text, chance, random)
        if track == "ner":
            found[id_] = Document(id_, entities, text)
            continue
        gold = (each for each in document.text_bounds if each.label in TRIGGERS)
        triggers = _with_faults(its.trigger, gold, text, chance, steps)
        bounds = {each.id: each for each in (*entities, *triggers)}
        relations = [
            its.relation(each, bounds, steps) if steps.random() < chance else each
            for each in document.annotations
            if isinstance(each, Relation) and each.first.target in bounds and each.second.target in bounds
        ]
        found[id_] = Document(id_, _numbered(entities, triggers, relations), text)
    return found


def _with_faults(fault: _Fault, bounds: Iterable[TextBound], text: str, chance: float, random: Random) -> tuple[TextBound, ...]:
    given = [fault(each, text, random) if random.random() < chance else each for each in bounds]
    return tuple(each for each in given if each is not None)


def _numbered(
    entities: Sequence[TextBound], triggers: Sequence[TextBound], relations: Iterable[Relation]
) -> tuple[TextBound | Relation, ...]:
    """Everything with new ids. Of relations that say the same, which is what a fault can lead to, the first is kept."""
    ordered = [*_by_place(entities), *_by_place(triggers)]
    new = {each.id: f"T{number}" for number, each in enumerate(ordered, 1)}
    said = dict.fromkeys((each.label, new[each.first.target], new[each.second.target]) for each in relations)
    return (
        *(replace(each, id=new[each.id]) for each in ordered),
        *(
            Relation(f"R{number}", label, Argument("Arg1", first), Argument("Arg2", second))
            for number, (label, first, second) in enumerate(said, 1)
        ),
    )


def _by_place(bounds: Iterable[TextBound]) -> list[TextBound]:
    return sorted(bounds, key=lambda each: (each.fragments[0][0], -each.fragments[-1][1], each.label))


def pack_run(system: str, split: str, corpus: DemoCorpus, seed: int, track: str = "ner") -> bytes:
    """The upload of a system for a split and track: a zip of .ann files."""
    return _pack(predict(system, corpus.splits[split], corpus.about, seed, track))


def pack_memoriser(split: str, corpus: DemoCorpus) -> bytes:
    """The upload of a system that only tags what train says, entities alone: good on what leaked, and on nothing else."""
    train = Corpus({id_: entities_of(each) for id_, each in corpus.splits["train"].items()})
    model = dictionary.train(train, dictionary.Settings(), Quiet())
    return _pack(dictionary.predict(model, corpus.splits[split], Quiet()))


def _pack(predicted: Mapping[str, Document]) -> bytes:
    return pack_zip((f"{id_}.ann", write(each).encode()) for id_, each in predicted.items())
