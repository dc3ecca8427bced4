"""Transformers by a name or a path, with the real loading code, or a tiny one; saved and loaded whole."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from baselines.protocol import BaselineError
from baselines.tiny import TINY, make_bert

_SHORTEST, _LONGEST = 16, 512


def open_checkpoint(name: str, texts: Sequence[str], marks: Sequence[str] = (), seed: int = 1) -> tuple[Any, Any]:
    """A transformer without a head, and its tokenizer.

    Args:
        name: of a checkpoint on a hub, or a path, or `tiny`, which is made of the texts.
        texts: to make it of.
        marks: pieces that are never split.
        seed: of what is made.

    Raises:
        BaselineError: there is none, or its tokenizer cannot say where a piece stands in the text.
    """
    if name == TINY:
        return make_bert(texts, marks, seed)
    return _open(name, marks)


def _open(name: str, marks: Sequence[str]) -> tuple[Any, Any]:
    from transformers import AutoModel, AutoTokenizer  # noqa: PLC0415

    try:
        tokenizer = AutoTokenizer.from_pretrained(name, use_fast=True, add_prefix_space=True, trust_remote_code=False)
        model = AutoModel.from_pretrained(name, trust_remote_code=False)
    except (OSError, ValueError, ImportError) as bad:
        why = str(bad).splitlines()[0][:200] if str(bad) else type(bad).__name__
        raise BaselineError(
            f"model: {name} is no checkpoint that is there, neither a folder nor on a hub that is reached ({why}); "
            f"`{TINY}` is made on the spot"
        ) from bad
    if not tokenizer.is_fast:
        raise BaselineError(
            f"model: the tokenizer of {name} does not say where its pieces stand; one of the fast kind is needed"
        )
    if marks:
        tokenizer.add_special_tokens({"additional_special_tokens": list(marks)})
        model.resize_token_embeddings(len(tokenizer))
    return model, tokenizer


def window_of(model: Any, tokenizer: Any) -> int:
    """How many pieces go through it at once, with the two around them."""
    config = model.config
    positions = getattr(config, "max_position_embeddings", _LONGEST)
    offset = 2 if getattr(config, "model_type", "") in ("roberta", "xlm-roberta", "camembert") else 0
    return int(max(_SHORTEST, min(positions - offset, tokenizer.model_max_length, _LONGEST)))


def save_checkpoint(model: Any, tokenizer: Any, folder: Path) -> None:
    """Into a folder that `load_checkpoint` reads."""
    model.save_pretrained(folder, safe_serialization=True)
    tokenizer.save_pretrained(folder)


def load_checkpoint(folder: Path) -> tuple[Any, Any]:
    """The same again; files of tensors only, no code and no pickle."""
    from transformers import AutoModel, AutoTokenizer, logging  # noqa: PLC0415

    logging.set_verbosity_error()  # it warns of a pooling layer, which nothing here uses
    model = AutoModel.from_pretrained(folder, use_safetensors=True, local_files_only=True, trust_remote_code=False)
    return model, AutoTokenizer.from_pretrained(folder, use_fast=True, local_files_only=True, trust_remote_code=False)
