"""Flair's BiLSTM-CRF over word vectors, language models of characters, a transformer, or several (METHODS, section 2)."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from baselines.epochs import judge_by, key_of, run_epochs
from baselines.protocol import Asks, BaselineError, Corpus, Quiet, Watch, needs_documents
from baselines.sequences import Tagged, as_documents, tag_sentences, tell_lost, untagged
from baselines.settings import DEVICES, MOST_SEED, one_of, within
from baselines.spaces import Choice, LogUniform, Space, Uniform
from baselines.tiny import TINY
from brat.model import Document

_FILE = "tagger.pt"
KINDS = ("word", "flair", "transformer")


@dataclass(frozen=True, slots=True)
class Settings:
    """What it is made of, and how it is trained.

    Attributes:
        embeddings: word, flair or transformer, or several with `/` between them, which are stacked.
        vectors: of words: a file that gensim reads, or `tiny`, which is trained on the texts.
        forward, backward: language models of characters: files that Flair reads, or `tiny`, which are trained on the texts.
        model: a transformer by its name on a hub or its path, or `tiny`.
        size: of vectors and language models that are made on the spot.
        lm_epochs: of language models that are.
        fine_tune: whether the transformer learns too.
        hidden, layers, dropout: of the BiLSTM.
        optimiser: adamw, or sgd, which the study used.
        epochs, batch, lr: of the training.
        device: auto, cpu or cuda.
        seed: of weights and order.
    """

    embeddings: str = "word"
    vectors: str = TINY
    forward: str = TINY
    backward: str = TINY
    model: str = TINY
    size: int = 100
    lm_epochs: int = 2
    fine_tune: bool = False
    hidden: int = 256
    layers: int = 1
    dropout: float = 0.3
    epochs: int = 25
    batch: int = 32
    optimiser: str = "adamw"
    lr: float = 0.005
    device: str = "auto"
    seed: int = 1

    def __post_init__(self) -> None:
        within(self, size=(4, 4096), lm_epochs=(1, 1000), hidden=(4, 8192), layers=(1, 8), dropout=(0, 0.95))
        within(self, epochs=(1, 10_000), batch=(1, 4096), lr=(0, 10), seed=(0, MOST_SEED))
        one_of(self, optimiser=("adamw", "sgd"), device=DEVICES)
        for each in self.kinds:
            if each not in KINDS:
                raise BaselineError(f"embeddings: some of {', '.join(KINDS)} are expected, with / between them, not {each!r}")

    @property
    def kinds(self) -> list[str]:
        """The embeddings that are stacked."""
        return [each.strip() for each in self.embeddings.split("/")]


PATHS = ("vectors", "forward", "backward", "model")
"""Settings that may name a file."""
SPACE: Space = {
    "dropout": Uniform(0.1, 0.9),
    "hidden": Choice((128, 256, 512, 1024)),
    "lr": LogUniform(1e-4, 1e-1),
    "fine_tune": Choice((True, False)),
}
"""The ranges of the study of gender bias in chemical NER, appendix A.2."""


@dataclass(frozen=True, slots=True)
class Model:
    """A tagger of Flair's."""

    tagger: Any
    batch: int


@contextmanager
def _on(device: str) -> Iterator[Any]:
    """Flair, which keeps its device in a variable of its own."""
    import flair  # noqa: PLC0415
    import torch  # noqa: PLC0415

    flair.device = torch.device(device)
    logging.getLogger("flair").setLevel(logging.ERROR)
    yield flair


def train(corpus: Corpus, settings: Settings, watch: Watch) -> Model:
    """Train on train; the best epoch on dev is kept.

    Raises:
        BaselineError: there is nothing to train on, or embeddings are not there.
    """
    from baselines.torch_training import TorchLearner, device_of, seed_everything  # noqa: PLC0415

    needs_documents(corpus)
    device = device_of(settings.device)
    with _on(device):
        import torch  # noqa: PLC0415
        from flair.data import Dictionary  # noqa: PLC0415
        from flair.models import SequenceTagger  # noqa: PLC0415

        seed_everything(settings.seed)
        sentences, lost = tag_sentences(corpus.train, corpus.triggers)
        tell_lost(lost, watch)
        labels = Dictionary(add_unk=False)
        labels.span_labels = True  # B- and I- are made of them
        for each in sorted({label.split("-", 1)[1] for one in sentences for label in one.labels if label != "O"}):
            labels.add_item(each)
        tagger = SequenceTagger(
            embeddings=_embeddings(settings, sentences, watch),
            tag_dictionary=labels,
            tag_type="entity",
            tag_format="BIO",
            hidden_size=settings.hidden,
            rnn_layers=settings.layers,
            use_crf=True,
            dropout=settings.dropout,
            word_dropout=0.0,
            locked_dropout=0.0,
            init_from_state_dict=False,
        )
        seed_everything(settings.seed)
        learner = TorchLearner(
            tagger,
            (torch.optim.AdamW if settings.optimiser == "adamw" else torch.optim.SGD)(
                [each for each in tagger.parameters() if each.requires_grad], lr=settings.lr
            ),
            sentences,
            lambda chosen: _loss(tagger, chosen),
            lambda: judge_by(corpus, lambda: predict(Model(tagger, settings.batch), corpus.dev, Quiet()), Asks.ENTITIES),
            batch=settings.batch,
            seed=settings.seed,
            watch=watch,
        )
        run_epochs(learner, settings.epochs, key_of("bilstm-crf", corpus, settings), watch)
        tagger.eval()
    return Model(tagger, learner.batch)


def _embeddings(settings: Settings, sentences: Sequence[Tagged], watch: Watch) -> Any:
    from flair.embeddings import StackedEmbeddings  # noqa: PLC0415

    made = [one for kind in settings.kinds for one in _of_kind(kind, settings, sentences, watch)]
    return made[0] if len(made) == 1 else StackedEmbeddings(made)


def _of_kind(kind: str, settings: Settings, sentences: Sequence[Tagged], watch: Watch) -> list[Any]:
    if kind == "word":
        return [_word_embeddings(settings, sentences, watch)]
    if kind == "flair":
        return [_character_model(settings, sentences, watch, forward=forward) for forward in (True, False)]
    return [_transformer(settings, sentences)]


def _word_embeddings(settings: Settings, sentences: Sequence[Tagged], watch: Watch) -> Any:
    from flair.embeddings import WordEmbeddings  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as folder:
        path = Path(settings.vectors)
        if settings.vectors == TINY:
            from baselines.tiny import make_vectors  # noqa: PLC0415

            watch.say("Trains word vectors on the texts.")
            path = Path(folder) / "vectors.gensim"
            words = [[each.lower() for each in one.words] for one in sentences]
            make_vectors(words, settings.size, settings.seed).save(str(path))
        elif not path.exists():
            raise BaselineError(f"vectors: there is no file {settings.vectors}; `{TINY}` are trained on the texts")
        try:
            return WordEmbeddings(str(path), stable=False)
        except Exception as bad:
            raise BaselineError(f"vectors: {settings.vectors} is no file of vectors that gensim reads") from bad


def _character_model(settings: Settings, sentences: Sequence[Tagged], watch: Watch, *, forward: bool) -> Any:
    from flair.embeddings import FlairEmbeddings  # noqa: PLC0415

    name = settings.forward if forward else settings.backward
    if name == TINY:
        from baselines.character_model import make_language_model  # noqa: PLC0415

        words = f"{'forward' if forward else 'backward'} language model of characters"
        watch.say(f"Trains a {words} on the texts.")
        texts = [each.text[slice(*each.sentence.span)] for each in sentences]
        found = make_language_model(texts, settings.size, settings.lm_epochs, settings.seed, watch, forward=forward)
        return FlairEmbeddings(found)
    if not Path(name).exists():
        which = "forward" if forward else "backward"
        raise BaselineError(f"{which}: there is no file {name}; `{TINY}` is trained on the texts")
    return FlairEmbeddings(name)


def _transformer(settings: Settings, sentences: Sequence[Tagged]) -> Any:
    from flair.embeddings import TransformerWordEmbeddings  # noqa: PLC0415

    from baselines.checkpoints import open_checkpoint, save_checkpoint  # noqa: PLC0415

    texts = list(dict.fromkeys(each.text for each in sentences))
    with tempfile.TemporaryDirectory() as folder:
        save_checkpoint(*open_checkpoint(settings.model, texts, seed=settings.seed), Path(folder))
        return TransformerWordEmbeddings(folder, layers="-1", fine_tune=settings.fine_tune, allow_long_sentences=True)


def _sentence(tagged: Tagged) -> Any:
    """Flair's own, of the same tokens, with its entities."""
    from flair.data import Sentence  # noqa: PLC0415

    sentence = Sentence(tagged.words, use_tokenizer=False)
    start = -1
    for place, label in enumerate([*tagged.labels, "O"] if tagged.labels else []):
        if start >= 0 and not label.startswith("I-"):
            sentence[start:place].add_label("entity", tagged.labels[start][2:])
            start = -1
        if label.startswith("B-"):
            start = place
    return sentence


def _loss(tagger: Any, chosen: Sequence[Tagged]) -> Any:
    loss, _ = tagger.forward_loss([_sentence(each) for each in chosen])
    return loss / len(chosen)


def predict(model: Model, documents: Mapping[str, Document], watch: Watch) -> dict[str, Document]:
    """Tag every sentence."""
    sentences = untagged(documents)
    labels: list[list[str]] = []
    for start in range(0, len(sentences), model.batch * 4):
        given = [_sentence(each) for each in sentences[start : start + model.batch * 4]]
        model.tagger.predict(given, mini_batch_size=model.batch, embedding_storage_mode="none", label_name="found")
        labels += [_labels(each) for each in given]
        watch.step(len(labels), len(sentences), "sentences tagged")
    return as_documents(documents, sentences, labels)


def _labels(sentence: Any) -> list[str]:
    found = ["O"] * len(sentence)
    for span in sentence.get_spans("found"):
        for place, token in enumerate(span.tokens):
            found[token.idx - 1] = f"{'I' if place else 'B'}-{span.get_label('found').value}"
    return found


def save(model: Model, folder: Path) -> None:
    """As Flair's own file, a pickle."""
    model.tagger.save(folder / _FILE)
    (folder / "batch").write_text(str(model.batch))


def load(folder: Path, device: str) -> Model:
    """The same again. It is a pickle: a stranger's must not be loaded."""
    from baselines.torch_training import device_of  # noqa: PLC0415

    with _on(device_of(device)):
        from flair.models import SequenceTagger  # noqa: PLC0415

        return Model(SequenceTagger.load(folder / _FILE), int((folder / "batch").read_text()))
