"""A method, or one for entities and one for relations in a row such as `crf+cooccurrence`: trained, saved, loaded, run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from baselines.methods import About, find_method, import_method, module_of
from baselines.protocol import Asks, BaselineError, Corpus, Quiet, Watch
from baselines.settings import parse_settings, to_json, unknown
from brat.model import Document

_FILE, _FORMAT = "model.json", 1
_QUIET = Quiet()


@dataclass(frozen=True, slots=True)
class Part:
    """A method with its settings and its model."""

    about: About
    settings: Any
    model: Any


@dataclass(frozen=True, slots=True)
class Trained:
    """A recipe that was trained.

    Attributes:
        parts: in the order in which they run.
        triggers: labels that were those of triggers.
        documents: how many it was trained on, and picked by.
    """

    parts: tuple[Part, ...]
    triggers: frozenset[str]
    documents: tuple[int, int]

    @property
    def name(self) -> str:
        """Of the recipe."""
        return "+".join(each.about.name for each in self.parts)

    @property
    def settings(self) -> dict[str, Any]:
        """All settings of all parts as plain values."""
        return {
            f"{part.about.name}.{key}" if len(self.parts) > 1 else key: value
            for part in self.parts
            for key, value in to_json(part.settings).items()
        }


def parse_recipe(name: str) -> tuple[About, ...]:
    """The methods of a recipe by its name.

    Raises:
        BaselineError: a name is unknown, or they do not go together.
    """
    found = tuple(find_method(each.strip()) for each in name.split("+"))
    if [each.asks for each in found] not in ([Asks.ENTITIES], [Asks.RELATIONS], [Asks.ENTITIES, Asks.RELATIONS]):
        raise BaselineError(f"{name}: a method, or one for entities + one for relations, is expected")
    return found


def parse_all(recipe: tuple[About, ...], given: Mapping[str, str]) -> tuple[Any, ...]:
    """The settings of each method; a name that several have, or that could be anybody's, has its method before it: `crf.c2`.

    Raises:
        BaselineError: a name is unknown, or a value unusable.
    """
    kinds = [module_of(each).Settings for each in recipe]
    known = [{each.name for each in fields(kind)} for kind in kinds]
    shares: list[dict[str, str]] = [{} for _ in recipe]
    for key, value in given.items():
        method, dot, name = key.partition(".")
        takers = [
            i for i, about in enumerate(recipe) if (method == about.name and name in known[i] if dot else key in known[i])
        ]
        if not takers:
            every = {name for each in known for name in each}
            if dot and method not in [each.name for each in recipe]:
                raise BaselineError(unknown("method in this recipe", method, dict.fromkeys(each.name for each in recipe)))
            raise BaselineError(unknown("setting", name if dot else key, dict.fromkeys(every)))
        for i in takers:
            shares[i][name if dot else key] = value
    return tuple(parse_settings(kind, share) for kind, share in zip(kinds, shares, strict=True))


def path_settings(recipe: tuple[About, ...]) -> frozenset[str]:
    """The settings of a recipe that may name files, with and without their method before them."""
    names = [(each.name, name) for each in recipe for name in getattr(module_of(each), "PATHS", ())]
    return frozenset(name for _, name in names) | frozenset(f"{method}.{name}" for method, name in names)


def train(name: str, corpus: Corpus, given: Mapping[str, str], watch: Watch = _QUIET) -> Trained:
    """Train a recipe.

    Args:
        name: of the recipe.
        corpus: what to train on.
        given: settings as texts.
        watch: follows.

    Raises:
        BaselineError: the name or a setting is not known, something is not installed, or there is nothing to train on.
        StoppedError: the watch says so.
    """
    recipe = parse_recipe(name)
    methods = [import_method(each) for each in recipe]
    settings = parse_all(recipe, given)
    parts = []
    for about, method, each in zip(recipe, methods, settings, strict=True):
        watch.say(f"Training {about.name} on {len(corpus.train):,} documents, {len(corpus.dev):,} of dev.")
        parts.append(Part(about, each, method.train(corpus, each, watch)))
    return Trained(tuple(parts), corpus.triggers, (len(corpus.train), len(corpus.dev)))


def predict(trained: Trained, documents: Mapping[str, Document], watch: Watch = _QUIET) -> dict[str, Document]:
    """A run of a recipe.

    Args:
        trained: a recipe.
        documents: with texts; where it starts with a method for relations, with entities too, which the run has as well.
        watch: follows.

    Raises:
        BaselineError: entities are needed, and no document has any.
        StoppedError: the watch says so.
    """
    run = dict(documents)
    first = trained.parts[0].about
    if first.asks is Asks.ENTITIES:
        run = {id_: Document(id_, (), each.text) for id_, each in documents.items()}
    elif documents and not any(True for each in documents.values() for _ in each.text_bounds):
        raise BaselineError(
            f"{first.name} links entities, and there is none in what it is given; crf+{first.name} finds them too"
        )
    for part in trained.parts:
        run = import_method(part.about).predict(part.model, run, watch)
    return run


def save(trained: Trained, folder: Path) -> None:
    """Write a recipe into a folder, which is made.

    Raises:
        BaselineError: the folder is there and not empty.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BaselineError(f"{folder}: not empty: a model is written into a folder of its own")
    folder.mkdir(parents=True, exist_ok=True)
    for number, part in enumerate(trained.parts):
        below = folder / f"{number}-{part.about.name}"
        below.mkdir()
        import_method(part.about).save(part.model, below)
    told = {
        "format": _FORMAT,
        "recipe": trained.name,
        "settings": [to_json(part.settings) for part in trained.parts],
        "triggers": sorted(trained.triggers),
        "documents": list(trained.documents),
    }
    (folder / _FILE).write_text(json.dumps(told, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def load(folder: Path, device: str = "auto") -> Trained:
    """The recipe in a folder.

    Models are files that this project wrote; some toolkits keep them as pickles, so one from a stranger must not be loaded.

    Raises:
        BaselineError: there is none, it is of another version, or what it needs is not installed.
    """
    try:
        told = json.loads((folder / _FILE).read_text(encoding="utf-8"))
        recipe = parse_recipe(told["recipe"])
        if told["format"] != _FORMAT:
            raise BaselineError(f"{folder}: a model of format {told['format']}; this version reads {_FORMAT}")
        settings = [import_method(about).Settings(**each) for about, each in zip(recipe, told["settings"], strict=True)]
        parts = [
            Part(about, each, import_method(about).load(folder / f"{number}-{about.name}", device))
            for number, (about, each) in enumerate(zip(recipe, settings, strict=True))
        ]
        return Trained(tuple(parts), frozenset(told["triggers"]), (told["documents"][0], told["documents"][1]))
    except FileNotFoundError as bad:
        raise BaselineError(f"{folder}: no model is there ({Path(bad.filename).name} is missing)") from bad
    except (KeyError, TypeError, json.JSONDecodeError) as bad:
        raise BaselineError(f"{folder / _FILE}: not the description of a model") from bad
    except BaselineError:
        raise
    except Exception as bad:  # toolkits have exceptions of their own for files that are broken
        why = str(bad).splitlines()[0][:200] if str(bad) else type(bad).__name__
        raise BaselineError(f"{folder}: the model cannot be read ({why})") from bad
