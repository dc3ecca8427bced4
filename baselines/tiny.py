"""Small models that are made on the spot, for machines that reach no hub: a BERT, word vectors, a character language model.

They know nothing but the texts they are made of, which is enough to try a method, and too little to judge it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

TINY = "tiny"
"""Instead of a name or a path."""
_HIDDEN, _LAYERS, _HEADS, _WINDOW, _PIECES = 64, 2, 4, 256, 4000


def make_bert(texts: Sequence[str], marks: Sequence[str] = (), seed: int = 1) -> tuple[Any, Any]:
    """A BERT with random weights, and a tokenizer whose pieces are learned from texts.

    Args:
        texts: to learn pieces from.
        marks: further pieces that are never split.
        seed: of the weights.

    Returns:
        The model, without a head, and its tokenizer.
    """
    import torch  # noqa: PLC0415
    from tokenizers import BertWordPieceTokenizer  # noqa: PLC0415
    from transformers import BertConfig, BertModel, BertTokenizerFast  # noqa: PLC0415

    learned = BertWordPieceTokenizer(lowercase=False, clean_text=False, strip_accents=False)
    learned.train_from_iterator(texts, vocab_size=_PIECES, min_frequency=1, show_progress=False)
    with tempfile.TemporaryDirectory() as folder:
        learned.save_model(folder)
        tokenizer = BertTokenizerFast(
            vocab_file=str(Path(folder) / "vocab.txt"), do_lower_case=False, strip_accents=False, model_max_length=_WINDOW
        )
    tokenizer.add_special_tokens({"additional_special_tokens": list(marks)})
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=_HIDDEN,
        num_hidden_layers=_LAYERS,
        num_attention_heads=_HEADS,
        intermediate_size=2 * _HIDDEN,
        max_position_embeddings=_WINDOW,
    )
    return BertModel(config, add_pooling_layer=False), tokenizer


def make_vectors(sentences: Sequence[Sequence[str]], size: int, seed: int) -> Any:
    """Word vectors by gensim's skip-gram; of every word that occurs twice."""
    from gensim.models import Word2Vec  # noqa: PLC0415

    model = Word2Vec([list(each) for each in sentences], vector_size=size, min_count=2, sg=1, epochs=10, seed=seed, workers=1)
    return model.wv
