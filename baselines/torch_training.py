"""What methods on torch share: the device, batches that are halved when memory runs out, epochs, states as bytes."""

from __future__ import annotations

import io
import os
import random
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Generic, Protocol, TypeVar

from baselines.epochs import run_epochs
from baselines.protocol import BaselineError, Watch
from baselines.settings import DEVICES

_Item = TypeVar("_Item")
_CLIP = 5.0
THREADS = "ASSAY_TORCH_THREADS"
"""An environment variable: how many threads torch may use. Tiny models are slower with two."""


def device_of(name: str) -> str:
    """`cuda` where there is one, unless it is said otherwise.

    Raises:
        BaselineError: an unknown device, or one that is not there.
    """
    import torch  # noqa: PLC0415

    if os.environ.get(THREADS, "").isdigit():
        torch.set_num_threads(max(1, int(os.environ[THREADS])))
    if name not in DEVICES:
        raise BaselineError(f"device: one of {', '.join(DEVICES)} is expected, not {name!r}")
    there = torch.cuda.is_available()
    if name.startswith("cuda") and not there:
        raise BaselineError("there is no GPU here that torch can use: say cpu, or auto")
    return ("cuda" if there else "cpu") if name == "auto" else name


def seed_everything(seed: int) -> None:
    """The same numbers every time, as far as the device allows."""
    import numpy as np  # noqa: PLC0415
    import torch  # noqa: PLC0415

    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch.manual_seed(seed)


def precision(device: str, *, mixed: bool) -> AbstractContextManager[Any]:
    """Sixteen bits where they do, or all of them."""
    import torch  # noqa: PLC0415

    return torch.autocast(device.split(":", maxsplit=1)[0], dtype=torch.bfloat16) if mixed else nullcontext()


class TorchLearner(Generic[_Item]):
    """Trains a module, batch by batch (`baselines.epochs.Learner`).

    Attributes:
        batch: items that go through it at once; halved when memory runs out, and it says so.
    """

    def __init__(  # noqa: PLR0913 - what is trained, on what, and how
        self,
        module: Any,
        optimiser: Any,
        items: Sequence[_Item],
        loss_of: Callable[[Sequence[_Item]], Any],
        judge: Callable[[], float | None],
        *,
        batch: int,
        seed: int,
        watch: Watch,
        context: Callable[[], AbstractContextManager[Any]] = nullcontext,
    ) -> None:
        """Prepare.

        Args:
            module: its parameters are trained.
            optimiser: does that.
            items: to learn from.
            loss_of: the mean loss of a batch, to be differentiated.
            judge: see `Learner.judge`.
            batch: items at once.
            seed: of their order.
            watch: follows.
            context: of the forward pass, for mixed precision.
        """
        self.batch = batch
        self._module, self._optimiser, self._items = module, optimiser, items
        self._loss_of, self._judge, self._seed, self._watch, self._context = loss_of, judge, seed, watch, context

    def epoch(self, number: int) -> float:
        """All items in a new order."""
        import torch  # noqa: PLC0415

        self._module.train()
        order = list(range(len(self._items)))
        random.Random(f"{self._seed}/{number}").shuffle(order)  # noqa: S311 - nothing secret
        total, place = 0.0, 0
        while place < len(order):
            chosen = [self._items[i] for i in order[place : place + self.batch]]
            try:
                self._optimiser.zero_grad()
                with self._context():
                    loss = self._loss_of(chosen)
                loss.backward()
                torch.nn.utils.clip_grad_norm_(self._module.parameters(), _CLIP)
                self._optimiser.step()
                total += float(loss.detach()) * len(chosen)
            except torch.OutOfMemoryError as bad:
                self._halve(bad)
                continue
            place += len(chosen)
            self._watch.step(place, len(order), f"items of epoch {number}")
        mean = total / max(1, len(order))
        if mean != mean:  # noqa: PLR0124 - it is not a number
            raise BaselineError("the loss is not a number any more: a lower learning rate is needed")
        return mean

    def _halve(self, bad: Exception) -> None:
        import torch  # noqa: PLC0415

        if self.batch == 1:
            raise BaselineError("one item at a time is too much for the memory of the device") from bad
        self.batch = max(1, self.batch // 2)
        self._optimiser.zero_grad()
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        self._watch.say(f"Out of memory: the batch is halved to {self.batch}.")

    def judge(self) -> float | None:
        """On dev, without learning."""
        self._module.eval()
        return self._judge()

    def state(self, *, resume: bool) -> bytes:
        """The parameters, and what the optimiser knows."""
        import torch  # noqa: PLC0415

        found = {"module": self._module.state_dict(), "batch": self.batch}
        if not resume:
            return dump(found)
        return dump({**found, "optimiser": self._optimiser.state_dict(), "random": torch.get_rng_state()})

    def restore(self, state: bytes) -> None:
        """The same again."""
        known = undump(state, "cpu")
        self._module.load_state_dict(known["module"])
        if "optimiser" in known:
            import torch  # noqa: PLC0415

            self._optimiser.load_state_dict(known["optimiser"])
            torch.set_rng_state(known["random"])
        self.batch = known["batch"]


class Tuned(Protocol):
    """What settings of a fine-tuned transformer have."""

    @property
    def epochs(self) -> int:
        """At most."""

    @property
    def batch(self) -> int:
        """Items at once."""

    @property
    def lr(self) -> float:
        """The learning rate of AdamW."""

    @property
    def mixed(self) -> bool:
        """Sixteen-bit numbers where they do."""

    @property
    def device(self) -> str:
        """auto, cpu or cuda."""

    @property
    def seed(self) -> int:
        """Of the order."""


def fine_tune(
    module: Any,
    items: Sequence[_Item],
    loss_of: Callable[[Sequence[_Item]], Any],
    judge: Callable[[], float | None],
    settings: Tuned,
    *,
    key: str,
    watch: Watch,
) -> int:
    """Train a module by AdamW, and leave it with its best epoch; returns how many items went through it at once in the end.

    The arguments are those of `TorchLearner` and of `baselines.epochs.run_epochs`.
    """
    import torch  # noqa: PLC0415

    device = device_of(settings.device)
    learner = TorchLearner(
        module,
        torch.optim.AdamW(module.parameters(), lr=settings.lr),
        items,
        loss_of,
        judge,
        batch=settings.batch,
        seed=settings.seed,
        watch=watch,
        context=lambda: precision(device, mixed=settings.mixed),
    )
    run_epochs(learner, settings.epochs, key, watch)
    module.eval()
    return learner.batch


def dump(value: Any) -> bytes:
    """Tensors and plain values as bytes."""
    import torch  # noqa: PLC0415

    buffer = io.BytesIO()
    torch.save(value, buffer)
    return buffer.getvalue()


def undump(data: bytes, device: str) -> Any:
    """The same again; nothing but tensors and plain values is read."""
    import torch  # noqa: PLC0415

    return torch.load(io.BytesIO(data), map_location=device, weights_only=True)
