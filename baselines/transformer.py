"""Tokens labelled by a transformer, with or without a conditional random field on top (participants of ChEMU 2020).

A word has the label of its first piece. A sentence that is longer than the model's window is split, and nothing is cut off.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from baselines.epochs import judge_by, key_of
from baselines.protocol import Asks, Corpus, Quiet, Watch, needs_documents
from baselines.sequences import OUTSIDE, Tagged, as_documents, tag_sentences, tell_lost, untagged
from baselines.settings import DEVICES, MOST_SEED, one_of, within
from baselines.spaces import Choice, LogUniform, Space, Uniform
from brat.model import Document
from evaluator.tokens import Sentence

_FILE, _HEAD = "labels.json", "head.bin"
_AROUND = 2
"""Pieces that a tokenizer puts around a sentence."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What it is made of, and how it is trained.

    Attributes:
        model: a checkpoint by its name on a hub or its path, or `tiny`, which is made on the spot.
        crf: whether labels are chosen together.
        epochs, batch, lr, dropout: of the training, by AdamW.
        mixed: sixteen-bit numbers where they do.
        device: auto, cpu or cuda.
        seed: of weights and order.
    """

    model: str = "tiny"
    crf: bool = False
    epochs: int = 10
    batch: int = 16
    lr: float = 5e-5
    dropout: float = 0.1
    mixed: bool = False
    device: str = "auto"
    seed: int = 1

    def __post_init__(self) -> None:
        within(self, epochs=(1, 10_000), batch=(1, 4096), lr=(0, 10), dropout=(0, 0.95), seed=(0, MOST_SEED))
        one_of(self, device=DEVICES)


PATHS = ("model",)
"""Settings that may name a file."""
SPACE: Space = {"lr": LogUniform(1e-5, 1e-4), "dropout": Uniform(0.0, 0.5), "batch": Choice((8, 16, 32))}


@dataclass(frozen=True, slots=True)
class Model:
    """The transformer, its tokenizer, what is on top, and the labels in the order of their numbers."""

    encoder: Any
    tokenizer: Any
    head: Any
    labels: tuple[str, ...]
    device: str
    batch: int
    mixed: bool


def train(corpus: Corpus, settings: Settings, watch: Watch) -> Model:
    """Fine-tune on train; the best epoch on dev is kept.

    Raises:
        BaselineError: there is nothing to train on, no such checkpoint, or no memory for a single sentence.
    """
    from baselines.checkpoints import open_checkpoint, window_of  # noqa: PLC0415
    from baselines.torch_training import device_of, fine_tune, seed_everything  # noqa: PLC0415

    needs_documents(corpus)
    device = device_of(settings.device)
    seed_everything(settings.seed)
    texts = [each.text or "" for each in corpus.train.values()]
    encoder, tokenizer = open_checkpoint(settings.model, texts, seed=settings.seed)
    sentences, lost = tag_sentences(corpus.train, corpus.triggers)
    tell_lost(lost, watch)
    labels = (OUTSIDE, *sorted({label for each in sentences for label in each.labels} - {OUTSIDE}))
    head = make_head(encoder.config.hidden_size, len(labels), settings.dropout, crf=settings.crf)
    model = Model(encoder, tokenizer, head, labels, device, settings.batch, settings.mixed)
    items = [piece for each in sentences for piece in fit(tokenizer, each, window_of(encoder, tokenizer))]
    both = _together(model)
    batch = fine_tune(
        both,
        items,
        lambda chosen: _loss(model, chosen),
        lambda: judge_by(corpus, lambda: predict(model, corpus.dev, Quiet()), Asks.ENTITIES),
        settings,
        key=key_of("transformer", corpus, settings),
        watch=watch,
    )
    return replace(model, batch=batch)


def make_head(size: int, labels: int, dropout: float, *, crf: bool) -> Any:
    """A linear layer from what the transformer says of a token to a score for each label, and the field on top of it."""
    from torch import nn  # noqa: PLC0415

    from baselines.torch_crf import ChainCRF  # noqa: PLC0415

    parts = {"dropout": nn.Dropout(dropout), "linear": nn.Linear(size, labels)}
    return nn.ModuleDict({**parts, "crf": ChainCRF(labels)} if crf else parts)


def _together(model: Model) -> Any:
    from torch import nn  # noqa: PLC0415

    return nn.ModuleDict({"encoder": model.encoder, "head": model.head}).to(model.device)


def fit(tokenizer: Any, sentence: Tagged, window: int) -> list[Tagged]:
    """A sentence as parts that go through a window; a word that is longer than it goes alone, and is read as far as it fits."""
    words = sentence.words
    counts = [max(1, len(each)) for each in tokenizer(words, add_special_tokens=False)["input_ids"]]
    parts: list[tuple[int, int]] = []
    start = used = 0
    for place, count in enumerate(counts):
        if used + count > window - _AROUND and place > start:
            parts.append((start, place))
            start, used = place, 0
        used += count
    parts.append((start, len(counts)))
    if len(parts) == 1:
        return [sentence]
    tokens = sentence.sentence.tokens
    return [
        Tagged(
            sentence.document,
            sentence.text,
            Sentence((tokens[a][0], tokens[b - 1][1]), tokens[a:b]),
            sentence.labels[a:b] if sentence.labels else (),
        )
        for a, b in parts
    ]


def _scores(model: Model, sentences: Sequence[Tagged]) -> tuple[Any, Any]:
    """[sentences, words, labels] scores at the first piece of each word, and [sentences, words] which words are there."""
    import torch  # noqa: PLC0415

    from baselines.checkpoints import window_of  # noqa: PLC0415

    encoded = model.tokenizer(
        [each.words for each in sentences],
        is_split_into_words=True,
        truncation=True,
        max_length=window_of(model.encoder, model.tokenizer),
        padding=True,
        return_tensors="pt",
    )
    most = max(len(each.sentence.tokens) for each in sentences)
    places = torch.zeros(len(sentences), most, dtype=torch.long)
    mask = torch.zeros(len(sentences), most, dtype=torch.bool)
    for row, sentence in enumerate(sentences):
        seen: set[int] = set()
        for piece, word in enumerate(encoded.word_ids(row)):
            if word is not None and word not in seen:
                seen.add(word)
                places[row, word] = piece
        mask[row, : len(sentence.sentence.tokens)] = True  # a word without a piece has the scores of the first one of all
    inputs = {key: value.to(model.device) for key, value in encoded.items()}
    hidden = model.encoder(**inputs).last_hidden_state
    at = places.to(model.device).unsqueeze(-1).expand(-1, -1, hidden.shape[-1])
    return model.head["linear"](model.head["dropout"](hidden.gather(1, at))), mask.to(model.device)


def _loss(model: Model, sentences: Sequence[Tagged]) -> Any:
    import torch  # noqa: PLC0415

    scores, mask = _scores(model, sentences)
    numbers = {label: number for number, label in enumerate(model.labels)}
    labels = torch.zeros(mask.shape, dtype=torch.long)
    for row, sentence in enumerate(sentences):
        labels[row, : len(sentence.labels)] = torch.tensor([numbers[each] for each in sentence.labels])
    labels = labels.to(model.device)
    if "crf" in model.head:
        return model.head["crf"].loss(scores, labels, mask)
    return torch.nn.functional.cross_entropy(scores[mask].float(), labels[mask])


def predict(model: Model, documents: Mapping[str, Document], watch: Watch) -> dict[str, Document]:
    """Tag every sentence."""
    import torch  # noqa: PLC0415

    from baselines.checkpoints import window_of  # noqa: PLC0415
    from baselines.torch_training import precision  # noqa: PLC0415

    window = window_of(model.encoder, model.tokenizer)
    sentences = [piece for each in untagged(documents) for piece in fit(model.tokenizer, each, window)]
    order = sorted(range(len(sentences)), key=lambda i: len(sentences[i].sentence.tokens))  # those of a length together
    labels: list[list[str]] = [[] for _ in sentences]
    batch = max(1, model.batch)
    with torch.no_grad(), precision(model.device, mixed=model.mixed):
        for start in range(0, len(order), batch):
            chosen = order[start : start + batch]
            scores, mask = _scores(model, [sentences[i] for i in chosen])
            if "crf" in model.head:
                found = model.head["crf"].best(scores, mask)
            else:
                lengths = mask.sum(dim=1).tolist()
                found = [row[:n] for row, n in zip(scores.argmax(dim=-1).tolist(), lengths, strict=True)]
            for i, row in zip(chosen, found, strict=True):
                labels[i] = [model.labels[each] for each in row]
            watch.step(start + len(chosen), len(order), "sentences tagged")
    return as_documents(documents, sentences, labels)


def save(model: Model, folder: Path) -> None:
    """The checkpoint, the head, and the labels."""
    from baselines.checkpoints import save_checkpoint  # noqa: PLC0415
    from baselines.torch_training import dump  # noqa: PLC0415

    save_checkpoint(model.encoder, model.tokenizer, folder)
    (folder / _HEAD).write_bytes(dump(model.head.state_dict()))
    told = {"labels": model.labels, "crf": "crf" in model.head, "batch": model.batch, "mixed": model.mixed}
    (folder / _FILE).write_text(json.dumps(told, ensure_ascii=False), encoding="utf-8")


def load(folder: Path, device: str) -> Model:
    """The same again."""
    from baselines.checkpoints import load_checkpoint  # noqa: PLC0415
    from baselines.torch_training import device_of, undump  # noqa: PLC0415

    device = device_of(device)
    told = json.loads((folder / _FILE).read_text(encoding="utf-8"))
    encoder, tokenizer = load_checkpoint(folder)
    head = make_head(encoder.config.hidden_size, len(told["labels"]), 0.0, crf=told["crf"])
    head.load_state_dict(undump((folder / _HEAD).read_bytes(), "cpu"))
    model = Model(encoder, tokenizer, head, tuple(told["labels"]), device, told["batch"], told["mixed"])
    _together(model).eval()
    return model
