"""The best epoch is kept, training goes on where it was killed, and a batch is halved when memory runs out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
import torch

from baselines.epochs import key_of, run_epochs
from baselines.protocol import BaselineError, Corpus, Quiet, StoppedError
from baselines.torch_training import TorchLearner
from baselines.transformer import Settings
from brat.model import Document, TextBound


class Counting:
    """Learns by counting: its state is how many epochs it has seen, and F1 on dev is what the list says."""

    def __init__(self, judged: Sequence[float | None], fail_at: int = 0) -> None:
        self.seen, self.judged, self.fail_at, self.log = 0, judged, fail_at, []

    def epoch(self, number: int) -> float:
        if number == self.fail_at:
            raise StoppedError
        self.seen += 1
        self.log.append(number)
        return 1.0

    def judge(self) -> float | None:
        return self.judged[self.seen - 1]

    def state(self, *, resume: bool) -> bytes:
        return str(self.seen).encode()

    def restore(self, state: bytes) -> None:
        self.seen = int(state)


class Kept(Quiet):
    def __init__(self, folder: Path | None = None) -> None:
        self.folder, self.said = folder, []

    def say(self, message: str) -> None:
        self.said.append(message)


@pytest.mark.parametrize(
    ("judged", "best"), [([0.1, 0.5, 0.3], 2), ([0.1, 0.2, 0.3], 3), ([None] * 3, 3), ([0.4, 0.4, 0.1], 1), ([0.0] * 3, 1)]
)
def test_the_best_epoch_on_dev_is_kept_else_the_last(judged: list[float | None], best: int) -> None:
    learner = Counting(judged)
    run_epochs(learner, 3, "key", Quiet())
    assert learner.seen == best


def test_a_killed_training_goes_on(tmp_path: Path) -> None:
    judged = [0.5, 0.9, 0.1, 0.2]
    with pytest.raises(StoppedError):
        run_epochs(Counting(judged, fail_at=4), 4, "key", Kept(tmp_path))
    again, watch = Counting(judged), Kept(tmp_path)
    run_epochs(again, 4, "key", watch)
    assert again.log == [4]
    assert again.seen == 2, "the best one was before it was killed"
    assert watch.said[0] == "Goes on after epoch 3."
    other = Counting(judged)
    run_epochs(other, 4, "other", Kept(tmp_path))
    assert other.log == [1, 2, 3, 4], "another corpus or other settings are another training"


def test_the_key_follows_from_everything() -> None:
    one = Document("d", (TextBound("T1", "X", ((0, 4),), "acid"),), "acid")
    keys = {
        key_of("transformer", corpus, settings)
        for corpus in (Corpus({"d": one}), Corpus({"d": Document("d", (), "acid")}), Corpus({}, {"d": one}))
        for settings in (Settings(), Settings(seed=2))
    }
    assert len(keys) == 6


def make(loss_of: object, watch: Quiet, batch: int = 8) -> TorchLearner[float]:
    module = torch.nn.Linear(1, 1)
    optimiser = torch.optim.SGD(module.parameters(), lr=0.01)
    items = [float(i) for i in range(10)]
    return TorchLearner(
        module, optimiser, items, lambda chosen: loss_of(module, chosen), lambda: None, batch=batch, seed=1, watch=watch
    )  # type: ignore[operator]


def test_out_of_memory_halves_the_batch_and_no_item_is_lost() -> None:
    seen: list[float] = []

    def loss_of(module: torch.nn.Module, chosen: Sequence[float]) -> torch.Tensor:
        if len(chosen) > 3:
            raise torch.OutOfMemoryError
        seen.extend(chosen)
        return module(torch.tensor([[each] for each in chosen])).pow(2).mean()

    watch = Kept()
    learner = make(loss_of, watch)
    learner.epoch(1)
    assert learner.batch == 2
    assert sorted(seen) == [float(i) for i in range(10)]
    assert watch.said == ["Out of memory: the batch is halved to 4.", "Out of memory: the batch is halved to 2."]


def test_where_one_item_is_too_much_it_says_so() -> None:
    def loss_of(module: torch.nn.Module, chosen: Sequence[float]) -> torch.Tensor:
        raise torch.OutOfMemoryError

    with pytest.raises(BaselineError, match="one item at a time is too much"):
        make(loss_of, Kept(), 2).epoch(1)


def test_a_loss_that_is_no_number_ends_it() -> None:
    def loss_of(module: torch.nn.Module, chosen: Sequence[float]) -> torch.Tensor:
        return module(torch.tensor([[each] for each in chosen])).mean() * float("nan")

    with pytest.raises(BaselineError, match="lower learning rate"):
        make(loss_of, Kept()).epoch(1)
