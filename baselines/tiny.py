"""Small models that are made on the spot, for machines that reach no hub: a BERT, word vectors, a character language model.

They know nothing but the texts they are made of, which is enough to try a method, and too little to judge it.
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

TINY = "tiny"
"""Instead of a name or a path."""
_HIDDEN, _LAYERS, _HEADS, _WINDOW, _PIECES = 64, 2, 4, 256, 4000
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_ENDINGS, _LEAST = (2, 3, 4), 2
_WORD = re.compile(r"[^\W_]+|\S")


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
    from transformers import BertConfig, BertModel, BertTokenizerFast  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "vocab.txt"
        file.write_text("\n".join(find_pieces(texts)) + "\n", encoding="utf-8")
        tokenizer = BertTokenizerFast(vocab_file=str(file), do_lower_case=False, strip_accents=False, model_max_length=_WINDOW)
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


def find_pieces(texts: Sequence[str]) -> list[str]:
    """The pieces of a WordPiece tokenizer: all characters, frequent words, and frequent endings of words.

    They are counted here since the trainers of `tokenizers` give other pieces each time, whatever the seed.
    """
    words = Counter(word for text in texts for word in _WORD.findall(text))
    endings: Counter[str] = Counter()
    for word, count in words.items():
        for size in _ENDINGS:
            if len(word) > size:
                endings[f"##{word[-size:]}"] += count
    characters = sorted({each for word in words for each in word})
    pieces = dict.fromkeys([*_SPECIAL, *characters, *(f"##{each}" for each in characters)])
    frequent = {**words, **endings}
    for piece in sorted(frequent, key=lambda each: (-frequent[each], each)):
        if frequent[piece] < _LEAST or len(pieces) >= _PIECES:
            break
        pieces[piece] = None
    return list(pieces)


def make_vectors(sentences: Sequence[Sequence[str]], size: int, seed: int) -> Any:
    """Word vectors by gensim's skip-gram; of every word that occurs twice."""
    from gensim.models import Word2Vec  # noqa: PLC0415

    model = Word2Vec([list(each) for each in sentences], vector_size=size, min_count=2, sg=1, epochs=10, seed=seed, workers=1)
    return model.wv
