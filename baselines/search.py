"""Random search over the settings of a method (METHODS, section 2, Models): each draw is trained, and judged on dev.

Draws follow from the seed and their number alone, and each result is kept as soon as it is there, so that a search goes on
where it was interrupted.
"""

from __future__ import annotations

import json
import random
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from baselines import recipes
from baselines.methods import import_method
from baselines.protocol import Asks, BaselineError, Corpus, StoppedError, Watch
from baselines.spaces import Space
from brat.model import Document
from evaluator.criteria import Annotations, Criterion
from evaluator.scores import ALL
from evaluator.scoring import Scheme, score

_RESULTS, BEST = "results.jsonl", "best"


@dataclass(frozen=True, slots=True)
class Result:
    """A draw, and what came of it.

    Attributes:
        number: of the draw, from 1.
        settings: that were drawn.
        f1: on dev, exact spans and fine labels; None where nothing was found or could be, or it could not be trained.
        seconds: it took.
        note: why there is no figure.
    """

    number: int
    settings: dict[str, Any]
    f1: float | None
    seconds: float
    note: str = ""


def draw(space: Space, seed: int, number: int) -> dict[str, Any]:
    """The settings of one draw."""
    source = random.Random(f"{seed}/{number}")  # noqa: S311 - nothing secret
    return {name: each.draw(source) for name, each in space.items()}


def dev_f1(gold: Mapping[str, Document], run: Mapping[str, Document], asks: Asks, triggers: frozenset[str]) -> float | None:
    """F1 of exact spans and fine labels: of entities, or of relations between exact spans."""
    kind = Annotations.ENTITIES if asks is Asks.ENTITIES else Annotations.RELATIONS
    scheme = Scheme(triggers=triggers, annotations=(kind,))
    found = score(gold, run, [Criterion()], scheme).scores
    return next((each.counts.f1 for each in found if each.label == ALL), None)


def search(
    name: str,
    corpus: Corpus,
    fixed: Mapping[str, str],
    folder: Path,
    *,
    samples: int,
    seed: int,
    watch: Watch,
    tell: Callable[[Result], None],
) -> list[Result]:
    """Train and judge so many draws; the best model is in `folder/best`.

    Args:
        name: of a method.
        corpus: with dev.
        fixed: settings that are not drawn.
        folder: results are kept in; those that are there already are not trained again.
        samples: how many draws.
        seed: of the draws.
        watch: follows.
        tell: is told each result.

    Returns:
        The results, the best first.

    Raises:
        BaselineError: the method has nothing to search, there is no dev, or the folder is of another search.
    """
    about, *others = recipes.parse_recipe(name)
    if others:
        raise BaselineError(f"{name}: one method at a time can be searched")
    space: Space = {key: each for key, each in getattr(import_method(about), "SPACE", {}).items() if key not in fixed}
    if not space:
        raise BaselineError(f"{about.name} has no setting to search")
    if not corpus.dev:
        raise BaselineError("a search needs documents of dev to judge by: --dev")
    folder.mkdir(parents=True, exist_ok=True)
    ranges = {key: repr(each) for key, each in space.items()}
    known = _known(folder, {"method": name, "seed": seed, "fixed": dict(fixed), "space": ranges})
    gold = corpus.dev
    # Methods without epochs learn from dev too, where they are given it: what judges them must not be among that.
    learned = corpus if about.epochs else replace(corpus, dev={})
    for number in range(1, samples + 1):
        if number in known:
            tell(known[number])
            continue
        settings = draw(space, seed, number)
        watch.say(f"Draw {number} of {samples}: {settings}")
        started = time.monotonic()
        try:
            trained = recipes.train(name, learned, {**fixed, **{k: str(v) for k, v in settings.items()}}, watch)
            run = recipes.predict(trained, gold, watch)
            f1, note = dev_f1(gold, run, about.asks, corpus.triggers), ""
        except StoppedError:
            raise
        except (RuntimeError, ValueError) as bad:  # a draw that diverges is a result
            f1, note, trained = None, str(bad).splitlines()[0][:200] if str(bad) else type(bad).__name__, None
        result = Result(number, settings, f1, round(time.monotonic() - started, 2), note)
        if trained is not None and _is_best(result, known):
            _keep(trained, folder)
        known[number] = result
        with (folder / _RESULTS).open("a", encoding="utf-8") as file:
            file.write(json.dumps(_to_json(result), ensure_ascii=False) + "\n")
        tell(result)
    found = [known[number] for number in sorted(known) if number <= samples]
    return sorted(found, key=lambda each: (-(each.f1 if each.f1 is not None else -1), each.number))


def _is_best(result: Result, known: Mapping[int, Result]) -> bool:
    return result.f1 is not None and all(each.f1 is None or each.f1 < result.f1 for each in known.values())


def _keep(trained: recipes.Trained, folder: Path) -> None:
    """The model as the best so far; the one before it goes only when it is whole."""
    fresh, best, old = folder / f"{BEST}.new", folder / BEST, folder / f"{BEST}.old"
    for each in (fresh, old):
        remove(each)
    recipes.save(trained, fresh)
    if best.exists():
        best.rename(old)
    fresh.rename(best)
    remove(old)


def remove(folder: Path) -> None:
    """A folder with all that is in it, if it is there."""
    shutil.rmtree(folder, ignore_errors=True)


def _known(folder: Path, about: dict[str, Any]) -> dict[int, Result]:
    """The results that are there; what they are of is written down for the next time."""
    told = folder / "search.json"
    if told.exists() and json.loads(told.read_text(encoding="utf-8")) != json.loads(json.dumps(about)):
        raise BaselineError(f"{folder}: it holds another search; {told.name} says which")
    told.write_text(json.dumps(about, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    file = folder / _RESULTS
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    found: dict[int, Result] = {}
    for line in lines:
        try:
            each = Result(**json.loads(line))
        except (json.JSONDecodeError, TypeError):
            continue  # cut off while it was written
        found[each.number] = each
    return found


def _to_json(result: Result) -> dict[str, Any]:
    return {
        "number": result.number,
        "settings": result.settings,
        "f1": result.f1,
        "seconds": result.seconds,
        "note": result.note,
    }
