"""The corpus of the demonstration, from a seed, with what is planted in it written down."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from types import MappingProxyType

from app.demo import chemistry
from app.demo.steps import add_steps
from brat.model import Document, Fragment, TextBound, covered_text

SEED = 20201
SIZES = MappingProxyType({"train": 120, "dev": 30, "test": 50, "test-2": 50})
_DOCUMENTS_PER_SOURCE = 3
_SHARED_IN_TEST = 20
"""Test documents whose source is a training source too."""
_COPIES_IN_TEST = 4
_HARD_SHARE = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What is known of a document: source, a group that is harder (`pilot` scale) and one that is not (`office`)."""

    split: str
    source: str
    scale: str
    office: str


@dataclass(slots=True)
class Planted:
    """What the generator did on purpose. Ids are those of documents.

    Attributes:
        shared_sources: of each blind split, its sources that occur in train too.
        near_copies: (document of a blind split, document of train) that differ in one amount.
        exact_copies: pairs within train with the same text.
        reserved: entity strings that only blind splits may have.
        nested, discontinuous: documents with such annotations.
        non_ascii: documents whose text is not ASCII.
        astral: documents with a character outside the Basic Multilingual Plane.
        harder: (attribute, value) of the group whose entities are harder.
        no_harder: (attribute, value, value) of groups that do not differ.
    """

    shared_sources: dict[str, list[str]] = field(default_factory=dict)
    near_copies: list[tuple[str, str]] = field(default_factory=list)
    exact_copies: list[tuple[str, str]] = field(default_factory=list)
    reserved: set[str] = field(default_factory=set)
    nested: list[str] = field(default_factory=list)
    discontinuous: list[str] = field(default_factory=list)
    non_ascii: list[str] = field(default_factory=list)
    astral: list[str] = field(default_factory=list)
    harder: tuple[str, str] = ("scale", "pilot")
    no_harder: tuple[str, str, str] = ("office", "east", "west")


@dataclass(frozen=True, slots=True)
class DemoCorpus:
    """Documents of every split, what is known of each, and what is planted."""

    splits: dict[str, dict[str, Document]]
    about: dict[str, About]
    planted: Planted


@dataclass(slots=True)
class _Writer:
    """Text that grows piece by piece, with the spans of its entities."""

    text: str = ""
    entities: list[tuple[str, tuple[Fragment, ...]]] = field(default_factory=list)

    def say(self, *pieces: str | tuple[str, str]) -> None:
        """Add plain pieces and entities, which are (label, string)."""
        for piece in pieces:
            if isinstance(piece, tuple):
                label, string = piece
                self.entities.append((label, ((len(self.text), len(self.text) + len(string)),)))
                self.text += string
            else:
                self.text += piece

    def document(self, id_: str) -> Document:
        """The annotations in the order of their place, longer ones first."""
        ordered = sorted(self.entities, key=lambda each: (each[1][0][0], -each[1][-1][1], each[0]))
        bounds = (
            TextBound(f"T{number}", label, fragments, covered_text(self.text, fragments))
            for number, (label, fragments) in enumerate(ordered, 1)
        )
        return Document(id_, tuple(bounds), self.text)


def generate(seed: int = SEED) -> DemoCorpus:
    """The corpus of this seed; the same seed always gives the same documents."""
    random = Random(seed)  # noqa: S311 - nothing is secret here
    corpus = DemoCorpus({}, {}, Planted())
    sources = {"train": [f"DP-{number:04}" for number in range(SIZES["train"] // _DOCUMENTS_PER_SOURCE)]}
    first = 0
    for split, size in SIZES.items():
        if split not in sources:
            sources[split] = [f"DP-{split}-{number:02}" for number in range(size // _DOCUMENTS_PER_SOURCE + 1)]
        documents: dict[str, Document] = {}
        for place in range(size):
            id_ = f"{first + place:04}"
            own = sources[split][place // _DOCUMENTS_PER_SOURCE]
            shared = split.startswith("test") and place >= size - _SHARED_IN_TEST
            source = sources["train"][(place * 7) % len(sources["train"])] if shared else own
            about = About(
                split=split,
                source=source,
                scale="pilot" if random.random() < _HARD_SHARE else "bench",
                office=random.choice(("east", "west")),
            )
            documents[id_] = _snippet(id_, about, random, corpus.planted)
            corpus.about[id_] = about
        corpus.splits[split] = documents
        first += size
    _plant_copies(corpus, random)
    _write_down(corpus)
    corpus.splits.update(
        {split: {id_: add_steps(each) for id_, each in documents.items()} for split, documents in corpus.splits.items()}
    )
    return corpus


def _snippet(id_: str, about: About, random: Random, planted: Planted) -> Document:
    writer = _Writer()
    blind, hard = about.split.startswith("test"), about.scale == "pilot"

    def name() -> str:
        if blind and random.random() < (0.5 if hard else 0.2):
            found = chemistry.reserved_name(random)
            planted.reserved.add(found)
            return found
        return chemistry.long_name(random) if random.random() < (0.6 if hard else 0.2) else chemistry.common_name(random)

    product = name()
    _title(writer, random, product)
    _charge(writer, random, name, planted, id_)
    _conditions(writer, random)
    _workup(writer, random)
    _outcome(writer, random, product, planted, id_)
    return writer.document(id_)


def _title(writer: _Writer, random: Random, product: str) -> None:
    label = f"{random.randint(1, 90)}{random.choice(('', 'a', 'b', '-2'))}"
    opening = random.choice(("Example ", "Intermediate ", "Run ", "Entry "))
    writer.say(
        opening,
        ("EXAMPLE_LABEL", label),
        random.choice((": making ", ". Route to ", " – ")),
        ("REACTION_PRODUCT", product),
        "\n",
    )


def _charge(writer: _Writer, random: Random, name: Callable[[], str], planted: Planted, id_: str) -> None:
    solvent = random.choice(chemistry.AMBIGUOUS if random.random() < 0.2 else chemistry.SOLVENTS)
    reagent = random.choice(chemistry.AMBIGUOUS if random.random() < 0.15 else chemistry.REAGENTS)
    writer.say(random.choice(("A vessel was charged with ", "Into a dry flask went ", "The reactor took up ")))
    if random.random() < 0.12:
        _pair(writer, random)
        planted.discontinuous.append(id_)
    else:
        writer.say(("STARTING_MATERIAL", name()))
    writer.say(f" ({chemistry.amount(random)}) and ", ("SOLVENT", solvent), f" ({chemistry.amount(random)})")
    writer.say(
        random.choice((", and then ", "; next ")), ("REAGENT_CATALYST", reagent), f" ({chemistry.amount(random)}) was let in. "
    )
    if random.random() < 0.4:
        writer.say("A portion of ", ("STARTING_MATERIAL", name()), f" ({chemistry.amount(random)}) followed by and by. ")


def _pair(writer: _Writer, random: Random) -> None:
    """Two compounds that share a stem: `2- and 3-bromopyridine`, the first in two fragments."""
    stem = f"bromo{random.choice(('pyridine', 'aniline', 'thiophene'))}"
    start = len(writer.text)
    writer.text += f"2- and 3-{stem}"
    end = len(writer.text)
    writer.entities.append(("STARTING_MATERIAL", ((start, start + 2), (end - len(stem), end))))
    writer.entities.append(("STARTING_MATERIAL", ((end - len(stem) - 2, end),)))


def _conditions(writer: _Writer, random: Random) -> None:
    warm, long = ("TEMPERATURE", chemistry.temperature(random)), ("TIME", chemistry.time(random))
    match random.randrange(3):
        case 0:
            writer.say("The batch was held at ", warm, " and stirred for ", long, ". ")
        case 1:
            writer.say("Stirring went on for ", long, " at ", warm, ". ")
        case _:
            writer.say("After ", long, " at ", warm, " no educt was left. ")


def _workup(writer: _Writer, random: Random) -> None:
    wash, dry = ("OTHER_COMPOUND", random.choice(chemistry.OTHERS)), ("OTHER_COMPOUND", random.choice(chemistry.OTHERS))
    match random.randrange(3):
        case 0:
            writer.say("It was shaken with ", wash, ", and what floated was passed over ", dry, ". ")
        case 1:
            writer.say("The cold mass was poured onto ", wash, " and rinsed with ", dry, ". ")
        case _:
            third = ("OTHER_COMPOUND", random.choice(chemistry.AMBIGUOUS))
            writer.say("Layers were parted after ", wash, " had been added; ", dry, " and ", third, " took out the rest. ")


def _outcome(writer: _Writer, random: Random, product: str, planted: Planted, id_: str) -> None:
    writer.say(random.choice(("This left ", "In the end there was ", "Obtained: ")))
    if random.random() < 0.15:
        start = len(writer.text)
        writer.say("hydrochloride of ", ("STARTING_MATERIAL", product))
        writer.entities.append(("REACTION_PRODUCT", ((start, len(writer.text)),)))
        planted.nested.append(id_)
    else:
        writer.say(("REACTION_PRODUCT", random.choice((product, "the target", "the named compound"))))
    mass = f"{random.uniform(0.05, 4):.2f} g"
    writer.say(" as a ", random.choice(("pale oil", "white powder", "tan foam")), " (", ("YIELD_OTHER", mass))
    if random.random() < 0.75:
        writer.say(", ", ("YIELD_PERCENT", f"{random.randint(21, 98)}%"))
    writer.say(").")
    if random.random() < 0.06:
        writer.say(" Rotation: 𝛼 not measured.")


def _plant_copies(corpus: DemoCorpus, random: Random) -> None:
    train = corpus.splits["train"]
    ids = list(train)
    for split in ("test", "test-2"):
        documents = corpus.splits[split]
        for place, original in enumerate(random.sample(ids[10:], _COPIES_IN_TEST)):
            copy = list(documents)[place]
            documents[copy] = _with_other_yield(train[original], copy)
            corpus.planted.near_copies.append((copy, original))
    first, second = ids[3], ids[70]
    train[second] = Document(second, train[first].annotations, train[first].text)
    corpus.planted.exact_copies.append((first, second))


def _with_other_yield(original: Document, id_: str) -> Document:
    """The same snippet with another digit in its mass."""
    text = original.text or ""
    mass = next(each for each in original.text_bounds if each.label == "YIELD_OTHER")
    at = mass.fragments[0][0]
    text = text[:at] + str((int(text[at]) + 1) % 10) + text[at + 1 :]
    bounds = (
        TextBound(each.id, each.label, each.fragments, covered_text(text, each.fragments)) for each in original.text_bounds
    )
    return Document(id_, tuple(bounds), text)


def _write_down(corpus: DemoCorpus) -> None:
    """What can only be said once everything is there."""
    planted = corpus.planted
    train_sources = {about.source for about in corpus.about.values() if about.split == "train"}
    for split in ("test", "test-2"):
        mine = {about.source for about in corpus.about.values() if about.split == split}
        planted.shared_sources[split] = sorted(mine & train_sources)
    everything = {id_: document for documents in corpus.splits.values() for id_, document in documents.items()}
    strings = {each.text for document in everything.values() for each in document.text_bounds}
    planted.reserved &= {each for each in strings if each is not None}
    planted.nested = [id_ for id_, document in everything.items() if _is_nested(document)]
    planted.discontinuous = [
        id_ for id_, document in everything.items() if any(len(b.fragments) > 1 for b in document.text_bounds)
    ]
    planted.non_ascii = [id_ for id_, document in everything.items() if not (document.text or "").isascii()]
    planted.astral = [id_ for id_, document in everything.items() if max(document.text or "") > "\uffff"]


def _is_nested(document: Document) -> bool:
    spans = [each.fragments[0] for each in document.text_bounds if len(each.fragments) == 1]
    return any(a != b and a[0] <= b[0] and b[1] <= a[1] for a in spans for b in spans)
