"""Relations and events of a run against a configuration: their labels, their roles, and the types of their arguments."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache

from brat.conf import RelationType, Types
from brat.model import Document, Equiv, Event, Relation, TextBound, role_name
from brat.problems import Problem, ProblemList, problem, quoted

_MANY_LABELS = 200
_LONGEST_LABEL = 200


@dataclass(slots=True)
class Structure:
    """The relations and events of a run, document after document; None where they are not asked for, or any is welcome."""

    relations: Mapping[str, tuple[RelationType, ...]] | None
    events: Mapping[str, Mapping[str, Types]] | None
    spans: bool = False
    related: bool = False
    happened: bool = False

    def add(self, sent: Document, asked: Document, file: str, problems: ProblemList) -> None:
        """Look at the relations and events of a document that are asked for; their arguments are what was sent."""
        self.spans |= any(True for _ in sent.text_bounds)
        self.related |= any(isinstance(each, Relation) for each in sent.annotations)
        self.happened |= any(isinstance(each, Event) for each in sent.annotations)
        types = {each.id: each.label for each in sent.annotations if not isinstance(each, Equiv)}
        for each in asked.annotations:
            if isinstance(each, Relation) and self.relations is not None:
                _check_relation(each, self.relations, types, file, problems)
            elif isinstance(each, Event) and self.events is not None:
                _check_event(each, self.events, types, file, problems)

    def problems(self) -> Iterator[Problem]:
        """A run without anything of a kind that is asked for."""
        hint = "did you send your entities only?" if self.spans else ""
        if self.relations is not None and not self.related:
            yield problem("no-relations", "", expected="lines such as R1<tab>LABEL Arg1:T1 Arg2:T2", hint=hint)
        if self.events is not None and not self.happened:
            yield problem("no-events", "", expected="lines such as E1<tab>LABEL:T1", hint=hint)


def _check_relation(
    each: Relation,
    relations: Mapping[str, tuple[RelationType, ...]],
    types: Mapping[str, str],
    file: str,
    problems: ProblemList,
) -> None:
    """Arguments are taken in the order of their roles, as they are scored: nothing else rests on their names."""
    alternatives = relations.get(each.label)
    if alternatives is None:
        tell_unknown(each, relations, file, problems)
        return
    first, second = (types.get(argument.target) for argument in each.in_order)
    if first is None or second is None:  # undefined, which is told elsewhere
        return
    if not alternatives or _fit(alternatives, first, second):
        return
    if not problems.only_counts("argument-type"):
        found = f"{_shown(each.label)} from {_shown(first)} to {_shown(second)}"
        expected = " or ".join(f"from {_any_of(one)} to {_any_of(other)}" for (_, one), (_, other) in alternatives)
        hint = "the arguments are the wrong way round" if _fit(alternatives, second, first) else ""
        column = len(each.id) + 2
        problems.append(problem("argument-type", file, each.line, column, found=found, expected=expected, hint=hint))


def _fit(alternatives: Sequence[RelationType], first: str, second: str) -> bool:
    return any(_is(first, one) and _is(second, other) for (_, one), (_, other) in alternatives)


def _is(label: str, types: Types) -> bool:
    return types is None or label in types


def _check_event(
    each: Event, events: Mapping[str, Mapping[str, Types]], types: Mapping[str, str], file: str, problems: ProblemList
) -> None:
    roles = events.get(each.label)
    if roles is None:
        tell_unknown(each, events, file, problems)
        return
    if not roles and not any(events.values()):  # the configuration has no roles at all, so it says nothing about them
        return
    column = len(each.id) + 2
    for argument in each.arguments:
        role = argument.role if argument.role in roles else role_name(argument.role)
        type_ = types.get(argument.target)
        if role not in roles:
            if not problems.only_counts("unknown-role"):
                found = f"{_shown(each.label)} with {_shown(argument.role)}:{_shown(argument.target)}"
                expected = f"one of {', '.join(sorted(roles))}" if roles else "no argument"
                hint = nearest_label(role, roles)
                problems.append(problem("unknown-role", file, each.line, column, found=found, expected=expected, hint=hint))
        elif type_ is not None and not _is(type_, roles[role]) and not problems.only_counts("argument-type"):
            found = f"{_shown(each.label)} with {_shown(argument.role)} {_shown(type_)}"
            expected = f"{role} {_any_of(roles[role])}"
            problems.append(problem("argument-type", file, each.line, column, found=found, expected=expected))


def tell_unknown(each: TextBound | Relation | Event, labels: Collection[str], file: str, problems: ProblemList) -> None:
    """A label that is not among those of its kind, with the one that was probably meant."""
    if not problems.only_counts("unknown-label"):
        expected = f"one of {', '.join(sorted(labels))}"
        hint, found = nearest_label(each.label, labels), quoted(each.label)
        problems.append(problem("unknown-label", file, each.line, len(each.id) + 2, found=found, expected=expected, hint=hint))


def tell_not_asked(each: Relation | Event, lost: Mapping[str, str], file: str, problems: ProblemList) -> None:
    """A relation or an event one of whose arguments is `lost`."""
    if not problems.only_counts("argument-not-asked"):
        target = next(target for target in targets_of(each) if target in lost)
        found, column = f"{_shown(target)} is {_shown(lost[target])}", len(each.id) + 2
        problems.append(problem("argument-not-asked", file, each.line, column, found=found, hint="ignored"))


def nearest_label(label: str, labels: Collection[str]) -> str:
    """A hint with the label that was probably meant."""
    if len(label) > _LONGEST_LABEL or len(labels) > _MANY_LABELS:
        return ""
    return _nearest(label, frozenset(labels))


@lru_cache(maxsize=1_000)  # a converter's fault is repeated in every document
def _nearest(label: str, labels: frozenset[str]) -> str:
    plain = {each.casefold(): each for each in sorted(labels)}
    near = get_close_matches(label.casefold(), plain, 1, 0.7)
    return f"did you mean {plain[near[0]]}?" if near else ""


def resting_on(document: Document, labels: Collection[str]) -> dict[str, str]:
    """Annotations with one of the labels, and relations and events that rest on these, however indirectly: label by id."""
    found = {each.id: each.label for each in document.annotations if not isinstance(each, Equiv) and each.label in labels}
    if not found:
        return found
    users: dict[str, list[Relation | Event]] = {}
    for each in document.annotations:
        if isinstance(each, Relation | Event):
            for target in targets_of(each):
                users.setdefault(target, []).append(each)
    waiting = list(found)
    while waiting:
        for user in users.pop(waiting.pop(), ()):
            if user.id not in found:
                found[user.id] = user.label
                waiting.append(user.id)
    return found


def targets_of(each: Relation | Event) -> tuple[str, ...]:
    """The ids that a relation or an event refers to."""
    if isinstance(each, Relation):
        return each.first.target, each.second.target
    return each.trigger, *(argument.target for argument in each.arguments)


def _any_of(types: Types) -> str:
    return "any" if types is None else "|".join(sorted(types)) or "nothing"


def _shown(name: str) -> str:
    """A name from a run for a message, without what would garble it."""
    return quoted(name)[1:-1]
