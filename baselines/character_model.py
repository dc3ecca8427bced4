"""A language model of characters, such as Flair's embeddings rest on, trained on the spot (Akbik et al. 2018)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from baselines.protocol import Watch

_WINDOW, _ROWS, _RATE, _CLIP, _EMBEDDED = 80, 16, 3e-3, 0.25, 32


def make_language_model(texts: Sequence[str], hidden: int, epochs: int, seed: int, watch: Watch, *, forward: bool) -> Any:
    """A model that tells the next character, or the one before.

    Args:
        texts: to learn from.
        hidden: size of its state, which is that of the embeddings.
        epochs: how often it reads them all.
        seed: of its weights.
        watch: follows.
        forward: whether it reads from left to right.
    """
    import flair  # noqa: PLC0415
    import torch  # noqa: PLC0415
    from flair.data import Dictionary  # noqa: PLC0415
    from flair.models import LanguageModel  # noqa: PLC0415

    torch.manual_seed(seed)
    characters = Dictionary()
    stream = "\n".join(texts)
    for each in sorted(set(stream)):
        characters.add_item(each)
    model = LanguageModel(
        characters, is_forward_lm=forward, hidden_size=hidden, nlayers=1, embedding_size=_EMBEDDED, dropout=0.1
    )
    model.to(flair.device)
    numbers = torch.tensor([characters.get_idx_for_item(each) for each in (stream if forward else stream[::-1])])
    steps = max(1, (len(numbers) - 1) // (_ROWS * _WINDOW))
    rows = _ROWS if len(numbers) > _ROWS * 2 else 1
    length = (len(numbers) - 1) // rows
    inputs = numbers[: rows * length].view(rows, length).t()
    wanted = numbers[1 : rows * length + 1].view(rows, length).t()
    optimiser = torch.optim.Adam(model.parameters(), lr=_RATE)
    model.train()
    for epoch in range(epochs):
        state = model.init_hidden(rows)
        for number, start in enumerate(range(0, length, _WINDOW)):
            state = tuple(each.detach() for each in state)
            optimiser.zero_grad()
            scores, _, state = model.forward(inputs[start : start + _WINDOW].to(flair.device), state)
            there = wanted[start : start + _WINDOW].to(flair.device)
            loss = torch.nn.functional.cross_entropy(scores.reshape(-1, len(characters)), there.reshape(-1))
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), _CLIP)
            optimiser.step()
            watch.step(epoch * steps + min(number + 1, steps), epochs * steps, "windows of characters")
    model.eval()
    return model
