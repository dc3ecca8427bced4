"""spaCy's entity recogniser, trained from a config, on the tokens that all methods here share."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from baselines.epochs import judge_by, key_of, run_epochs
from baselines.protocol import Asks, BaselineError, Corpus, Quiet, Watch, needs_documents
from baselines.sequences import Tagged, as_documents, spans_of, tag_sentences, tell_lost, untagged
from baselines.settings import MOST_SEED, within
from baselines.spaces import LogUniform, Space, Uniform
from brat.model import Document

_FOLDER = "pipeline"


@dataclass(frozen=True, slots=True)
class Settings:
    """How it is trained, by Adam.

    Attributes:
        language: whose lexical attributes are used, such as `en`.
        width, depth: of the layers below, over hashed words, affixes and shapes.
        epochs, batch, lr, dropout: of the training.
        seed: of weights and order.
    """

    language: str = "en"
    width: int = 96
    depth: int = 4
    epochs: int = 10
    batch: int = 16
    lr: float = 0.001
    dropout: float = 0.2
    seed: int = 1

    def __post_init__(self) -> None:
        within(self, width=(8, 1024), depth=(1, 16), epochs=(1, 10_000), batch=(1, 4096), lr=(0, 10), dropout=(0, 0.95))
        within(self, seed=(0, MOST_SEED))


SPACE: Space = {"lr": LogUniform(1e-4, 1e-2), "dropout": Uniform(0.1, 0.5)}


@dataclass(frozen=True, slots=True)
class Model:
    """A pipeline."""

    nlp: Any


class _Learner:
    """See `baselines.epochs.Learner`."""

    def __init__(self, nlp: Any, examples: Sequence[Any], corpus: Corpus, settings: Settings, watch: Watch) -> None:
        self._nlp, self._examples, self._corpus, self._settings, self._watch = nlp, examples, corpus, settings, watch
        self._optimiser = nlp.initialize(lambda: examples)
        self._optimiser.learn_rate = settings.lr

    def epoch(self, number: int) -> float:
        """All sentences in a new order."""
        order = list(self._examples)
        random.Random(f"{self._settings.seed}/{number}").shuffle(order)  # noqa: S311 - nothing secret
        losses: dict[str, float] = {}
        for start in range(0, len(order), self._settings.batch):
            chosen = order[start : start + self._settings.batch]
            self._nlp.update(chosen, sgd=self._optimiser, drop=self._settings.dropout, losses=losses)
            self._watch.step(start + len(chosen), len(order), f"sentences of epoch {number}")
        return losses.get("ner", 0.0) / max(1, len(order))

    def judge(self) -> float | None:
        """On dev."""
        return judge_by(self._corpus, lambda: predict(Model(self._nlp), self._corpus.dev, Quiet()), Asks.ENTITIES)

    def state(self, *, resume: bool) -> bytes:  # noqa: ARG002 - the moments of Adam begin anew
        """The pipeline."""
        found: bytes = self._nlp.to_bytes()
        return found

    def restore(self, state: bytes) -> None:
        """The same again."""
        self._nlp.from_bytes(state)


def config(settings: Settings) -> dict[str, Any]:
    """The config that the pipeline is made from."""
    layer = {"@architectures": "spacy.HashEmbedCNN.v2", "width": settings.width, "depth": settings.depth, "embed_size": 2000}
    layer |= {"window_size": 1, "maxout_pieces": 3, "subword_features": True, "pretrained_vectors": None}
    ner = {"@architectures": "spacy.TransitionBasedParser.v2", "state_type": "ner", "extra_state_tokens": False}
    ner |= {"hidden_width": 64, "maxout_pieces": 2, "use_upper": True, "nO": None, "tok2vec": layer}
    return {
        "nlp": {"lang": settings.language, "pipeline": ["ner"]},
        "components": {"ner": {"factory": "ner", "model": ner}},
        "training": {"seed": settings.seed, "dropout": settings.dropout},
    }


def train(corpus: Corpus, settings: Settings, watch: Watch) -> Model:
    """Train on train; the best epoch on dev is kept.

    Raises:
        BaselineError: there is nothing to train on, or spaCy does not know the language.
    """
    import spacy  # noqa: PLC0415
    from spacy.training import Example  # noqa: PLC0415
    from spacy.util import fix_random_seed, load_model_from_config  # noqa: PLC0415

    needs_documents(corpus)
    fix_random_seed(settings.seed)
    try:
        blank = spacy.util.get_lang_class(settings.language)
    except ImportError as bad:
        raise BaselineError(f"language: spaCy knows none called {settings.language}") from bad
    nlp = load_model_from_config(blank.Defaults.config.merge(config(settings)), auto_fill=True)
    sentences, lost = tag_sentences(corpus.train, corpus.triggers)
    tell_lost(lost, watch)
    examples = []
    for each in sentences:
        places = {start: i for i, (start, _) in enumerate(each.sentence.tokens)}
        ends = {end: i + 1 for i, (_, end) in enumerate(each.sentence.tokens)}
        reference = _doc(nlp, each)
        reference.set_ents(
            [
                spacy.tokens.Span(reference, places[start], ends[end], label=label)
                for label, (start, end) in spans_of(each.labels, each.sentence.tokens)
            ]
        )
        examples.append(Example(_doc(nlp, each), reference))
    learner = _Learner(nlp, examples, corpus, settings, watch)
    run_epochs(learner, settings.epochs, key_of("spacy", corpus, settings), watch)
    return Model(nlp)


def _doc(nlp: Any, sentence: Tagged) -> Any:
    from spacy.tokens import Doc  # noqa: PLC0415

    tokens = sentence.sentence.tokens
    spaces = [tokens[i][1] < tokens[i + 1][0] for i in range(len(tokens) - 1)] + [False]
    return Doc(nlp.vocab, words=sentence.words, spaces=spaces)


def predict(model: Model, documents: Mapping[str, Document], watch: Watch) -> dict[str, Document]:
    """Tag every sentence."""
    sentences, labels = untagged(documents), []
    for number, doc in enumerate(model.nlp.pipe(_doc(model.nlp, each) for each in sentences)):
        labels.append([f"{token.ent_iob_}-{token.ent_type_}" if token.ent_type_ else "O" for token in doc])
        if number % 200 == 0:
            watch.step(number, len(sentences), "sentences tagged")
    return as_documents(documents, sentences, labels)


def save(model: Model, folder: Path) -> None:
    """As spaCy's own folder, which `spacy.load` reads."""
    model.nlp.to_disk(folder / _FOLDER)


def load(folder: Path, device: str) -> Model:  # noqa: ARG001 - one protocol
    """The same again."""
    import spacy  # noqa: PLC0415

    return Model(spacy.load(folder / _FOLDER))
