"""Pairs of a trigger and an entity judged by a transformer, with marks in their place (participants of ChEMU 2020).

The sentence is read with `@TRIGGER$` for the trigger and `@LABEL$`, the label in capitals, for the entity, so that names do not
matter. Triggers are words of train, as for `cooccurrence`; pairs are those whose labels were linked in train.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from baselines import cooccurrence
from baselines.cooccurrence import Seen
from baselines.epochs import judge_by, key_of
from baselines.links import Link, Pair, linked, links_of, pairs_of, sentences_and_bounds, with_triggers
from baselines.protocol import Asks, BaselineError, Corpus, Quiet, Watch, needs_documents
from baselines.settings import DEVICES, MOST_SEED, one_of, within
from baselines.spaces import Choice, LogUniform, Space, Uniform
from brat.model import Document, Fragment
from evaluator.leakage.occurrences import StringIndex

_FILE, _HEAD, _SEEN, NONE = "relations.json", "head.bin", "seen.json", ""
_TRIGGER = "@TRIGGER$"


@dataclass(frozen=True, slots=True)
class Settings:
    """What it is made of, and how it is trained.

    Attributes:
        model: a checkpoint by its name on a hub or its path, or `tiny`, which is made on the spot.
        negatives: pairs without a relation for each with one, at most; 0: all of them.
        epochs, batch, lr, dropout: of the training, by AdamW.
        mixed: sixteen-bit numbers where they do.
        device: auto, cpu or cuda.
        seed: of weights and order.
    """

    model: str = "tiny"
    negatives: int = 0
    epochs: int = 5
    batch: int = 16
    lr: float = 5e-5
    dropout: float = 0.1
    mixed: bool = False
    device: str = "auto"
    seed: int = 1

    def __post_init__(self) -> None:
        within(self, negatives=(0, 10_000), epochs=(1, 10_000), batch=(1, 4096), lr=(0, 10), dropout=(0, 0.95))
        within(self, seed=(0, MOST_SEED))
        one_of(self, device=DEVICES)


PATHS = ("model",)
"""Settings that may name a file."""
SPACE: Space = {"lr": LogUniform(1e-5, 1e-4), "dropout": Uniform(0.0, 0.5), "batch": Choice((8, 16, 32))}


@dataclass(frozen=True, slots=True)
class Model:
    """The transformer with its tokenizer and head, the relations in the order of their numbers, and what was seen in train."""

    encoder: Any
    tokenizer: Any
    head: Any
    relations: tuple[str, ...]
    seen: Seen
    device: str
    batch: int
    mixed: bool


@dataclass(frozen=True, slots=True)
class _Case:
    """A sentence with marks, and the relation between these: empty for none, and where it is not known."""

    text: str
    relation: str = NONE


def mark(label: str, triggers: frozenset[str]) -> str:
    """What stands in the place of a span."""
    return _TRIGGER if label in triggers else f"@{label.upper()}$"


def with_marks(text: str, sentence: Fragment, pair: Pair, triggers: frozenset[str]) -> str:
    """A sentence with marks in the place of two spans; where they overlap, one after the other stands for both."""
    start, end = sentence
    spots = sorted(
        (
            max(start, each.fragments[0][0]),
            min(max(end, each.fragments[-1][1]), each.fragments[-1][1]),
            mark(each.label, triggers),
        )
        for each in (pair.first, pair.second)
    )
    parts, at = [], start
    for begin, stop, sign in spots:
        parts += [text[at : max(at, begin)], f" {sign} "]
        at = max(at, stop)
    return " ".join("".join([*parts, text[at : max(at, end)]]).split())


def train(corpus: Corpus, settings: Settings, watch: Watch) -> Model:
    """Fine-tune on the pairs of train; the best epoch on dev is kept.

    Raises:
        BaselineError: there is nothing to train on, or no relation in it.
    """
    from baselines.checkpoints import open_checkpoint  # noqa: PLC0415
    from baselines.torch_training import device_of, fine_tune, seed_everything  # noqa: PLC0415

    needs_documents(corpus)
    seen = cooccurrence.train(replace(corpus, dev={}), cooccurrence.Settings(), watch)
    cases = _sampled(list(_cases(seen, corpus.train)), settings)
    if not any(each.relation for each in cases):
        raise BaselineError("there is no relation inside a sentence to train on")
    device = device_of(settings.device)
    seed_everything(settings.seed)
    relations = (NONE, *sorted({each.relation for each in cases} - {NONE}))
    marks = sorted({mark(label, seen.shape.triggers) for _, *labels in seen.links for label in labels})
    texts = [each.text or "" for each in corpus.train.values()]
    encoder, tokenizer = open_checkpoint(settings.model, texts, marks, settings.seed)
    head = make_head(encoder.config.hidden_size, len(relations), settings.dropout)
    model = Model(encoder, tokenizer, head, relations, seen, device, settings.batch, settings.mixed)
    both = _together(model)
    batch = fine_tune(
        both,
        cases,
        lambda chosen: _loss(model, chosen),
        lambda: judge_by(corpus, lambda: predict(model, corpus.dev, Quiet()), Asks.RELATIONS),
        settings,
        key=key_of("relation-transformer", corpus, settings),
        watch=watch,
    )
    return replace(model, batch=batch)


def _cases(seen: Seen, documents: Mapping[str, Document]) -> Iterator[_Case]:
    """The pairs of gold spans that may be linked, with their relations."""
    for document in documents.values():
        relations: dict[tuple[str, str], str] = {}
        for link in links_of(document):
            relations.setdefault((link.first, link.second), link.label)
        for sentence, bounds in sentences_and_bounds(document, list(document.text_bounds)):
            for pair in pairs_of(bounds, seen.shape):
                if seen.labels(pair):
                    text = with_marks(document.text or "", sentence, pair, seen.shape.triggers)
                    yield _Case(text, relations.get((pair.first.id, pair.second.id), NONE))


def _sampled(cases: list[_Case], settings: Settings) -> list[_Case]:
    linked_ = [each for each in cases if each.relation]
    others = [each for each in cases if not each.relation]
    most = settings.negatives * len(linked_)
    if settings.negatives and len(others) > most:
        others = random.Random(settings.seed).sample(others, most)  # noqa: S311 - nothing secret
    return linked_ + others


def make_head(size: int, relations: int, dropout: float) -> Any:
    """A linear layer from the first piece to a score for each relation."""
    from torch import nn  # noqa: PLC0415

    return nn.ModuleDict({"dropout": nn.Dropout(dropout), "linear": nn.Linear(size, relations)})


def _together(model: Model) -> Any:
    from torch import nn  # noqa: PLC0415

    return nn.ModuleDict({"encoder": model.encoder, "head": model.head}).to(model.device)


def _scores(model: Model, cases: Sequence[_Case]) -> Any:
    from baselines.checkpoints import window_of  # noqa: PLC0415

    window = window_of(model.encoder, model.tokenizer)
    texts = [_around(model, each.text, window) for each in cases]
    encoded = model.tokenizer(texts, truncation=True, max_length=window, padding=True, return_tensors="pt")
    hidden = model.encoder(**{key: value.to(model.device) for key, value in encoded.items()}).last_hidden_state
    return model.head["linear"](model.head["dropout"](hidden[:, 0]))


def _around(model: Model, text: str, window: int) -> str:
    """What is around the marks of a sentence that is too long: as many words as fit, from a little before the first mark."""
    words = text.split()
    counts = (
        [len(each) for each in model.tokenizer(words, add_special_tokens=False)["input_ids"]] if len(words) * 2 > window else []
    )
    if sum(counts) <= window - 2:
        return text
    marks = [i for i, word in enumerate(words) if word.startswith("@") and word.endswith("$")]
    first, last = (min(marks), max(marks)) if marks else (0, 0)
    room, start, end = window - 2 - sum(counts[first : last + 1]), first, last + 1
    if room < 0:  # the words between the marks do not fit either: the marks themselves do
        return f"{words[first]} {words[last]}"
    while True:
        before = counts[start - 1] if start else None
        after = counts[end] if end < len(words) else None
        if before is not None and before <= room and (after is None or first - start <= end - last):
            start, room = start - 1, room - before
        elif after is not None and after <= room:
            end, room = end + 1, room - after
        else:
            return " ".join(words[start:end])


def _loss(model: Model, cases: Sequence[_Case]) -> Any:
    import torch  # noqa: PLC0415

    wanted = torch.tensor([model.relations.index(each.relation) for each in cases], device=model.device)
    return torch.nn.functional.cross_entropy(_scores(model, cases).float(), wanted)


def predict(model: Model, documents: Mapping[str, Document], watch: Watch) -> dict[str, Document]:
    """Find triggers, and judge each pair."""
    index, shape = StringIndex(model.seen.words), model.seen.shape
    run: dict[str, Document] = {}
    for number, (id_, document) in enumerate(documents.items()):
        bounds = with_triggers(document, cooccurrence.find_triggers(model.seen, index, document.text or ""), shape)
        pairs = [
            (sentence, pair)
            for sentence, here in sentences_and_bounds(document, bounds)
            for pair in pairs_of(here, shape)
            if model.seen.labels(pair)
        ]
        cases = [_Case(with_marks(document.text or "", sentence, pair, shape.triggers)) for sentence, pair in pairs]
        links = [
            Link(relation, pair.first.id, pair.second.id)
            for (_, pair), relation in zip(pairs, _judge(model, cases), strict=True)
            if relation
        ]
        run[id_] = linked(document, bounds, links, shape)
        watch.step(number + 1, len(documents), "documents")
    return run


def _judge(model: Model, cases: Sequence[_Case]) -> list[str]:
    import torch  # noqa: PLC0415

    from baselines.torch_training import precision  # noqa: PLC0415

    found: list[str] = []
    with torch.no_grad(), precision(model.device, mixed=model.mixed):
        for start in range(0, len(cases), model.batch):
            scores = _scores(model, cases[start : start + model.batch])
            found += [model.relations[each] for each in scores.argmax(dim=-1).tolist()]
    return found


def save(model: Model, folder: Path) -> None:
    """The checkpoint, the head, the relations, and what was seen."""
    from baselines.checkpoints import save_checkpoint  # noqa: PLC0415
    from baselines.torch_training import dump  # noqa: PLC0415

    save_checkpoint(model.encoder, model.tokenizer, folder)
    (folder / _HEAD).write_bytes(dump(model.head.state_dict()))
    cooccurrence.save(model.seen, folder)
    told = {"relations": model.relations, "batch": model.batch, "mixed": model.mixed}
    (folder / _FILE).write_text(json.dumps(told, ensure_ascii=False), encoding="utf-8")


def load(folder: Path, device: str) -> Model:
    """The same again."""
    from baselines.checkpoints import load_checkpoint  # noqa: PLC0415
    from baselines.torch_training import device_of, undump  # noqa: PLC0415

    device = device_of(device)
    told = json.loads((folder / _FILE).read_text(encoding="utf-8"))
    encoder, tokenizer = load_checkpoint(folder)
    head = make_head(encoder.config.hidden_size, len(told["relations"]), 0.0)
    head.load_state_dict(undump((folder / _HEAD).read_bytes(), "cpu"))
    seen = cooccurrence.load(folder, device)
    model = Model(encoder, tokenizer, head, tuple(told["relations"]), seen, device, told["batch"], told["mixed"])
    _together(model).eval()
    return model
