"""annotation.conf: the labels of a corpus and how they hang together.

Read as brat reads it (nlplab/brat, `server/src/projectconfig.py`): the depth of a label is the number of white space
characters before it, and its parent is the last label one level up. Unlike brat, a bad line costs that line only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

from brat.parse import split_lines
from brat.problems import Problem, problem, quoted

_SECTIONS = MappingProxyType(
    {"entities": "entities", "spans": "entities", "relations": "relations", "events": "events", "attributes": "attributes"}
)
_HEADER = re.compile(r"^\s*\[([^\s\]]+)\]\s*$")
_SEPARATOR = re.compile(r"^\s*-+\s*$")
_MACRO = re.compile(r"^<([A-Za-z_-]+)>=(.*)$")
_ARGUMENT = re.compile(r"^([^\s:]+):(\S+)$")
_NOT_IN_A_LABEL = re.compile(r"[^A-Za-z0-9_-]")
_SPECIAL_LABELS = frozenset({"<OVERLAP>", "ENTITY-NESTING"})
_REPETITION = re.compile(r"(?:[?*+]|\{[^{}]*\})$")

Types: TypeAlias = frozenset[str] | None
"""The labels that an argument may have, those below a group included; None where any will do."""
RelationType: TypeAlias = tuple[tuple[str, Types], tuple[str, Types]]
"""Role and types of the first argument, then of the second."""


@dataclass(frozen=True, slots=True)
class Node:
    """One line of a section: a label, its place in the hierarchy and its arguments as written (`key`, types)."""

    label: str
    parent: str | None
    depth: int
    selectable: bool = True
    synonyms: tuple[str, ...] = ()
    arguments: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class Configuration:
    """The four sections of an annotation.conf, each in file order."""

    entities: tuple[Node, ...] = ()
    relations: tuple[Node, ...] = ()
    events: tuple[Node, ...] = ()
    attributes: tuple[Node, ...] = ()

    def parents(self) -> dict[str, str | None]:
        """Parent of every label of text-bound annotations: entities, then event triggers. The first mention counts."""
        found: dict[str, str | None] = {}
        for node in self.entities + self.events:
            found.setdefault(node.label, node.parent)
        return found

    def relation_parents(self) -> dict[str, str | None]:
        """Parent of every label of relations. The first mention counts."""
        found: dict[str, str | None] = {}
        for node in self._relations():
            found.setdefault(node.label, node.parent)
        return found

    def relation_types(self) -> dict[str, tuple[RelationType, ...]]:
        """What every relation may hold between: one alternative a line, and two where the relation is symmetric.

        A label without a pair of arguments has no alternative, which says nothing about its arguments.
        """
        names = self._names()
        found: dict[str, tuple[RelationType, ...]] = {}
        for node in self._relations():
            if node.selectable:
                found[node.label] = found.get(node.label, ()) + _alternatives(node, names)
        return found

    def event_roles(self) -> dict[str, dict[str, Types]]:
        """The roles of every event without their marks of repetition, and what may play them."""
        names = self._names()
        found: dict[str, dict[str, Types]] = {}
        for node in self.events:
            if node.selectable:
                roles = found.setdefault(node.label, {})
                for role, types in _roles(node, names):
                    before = roles.get(role, frozenset())
                    roles[role] = None if before is None or types is None else before | types
        return found

    def _relations(self) -> tuple[Node, ...]:
        """Without lines that say which spans may overlap."""
        return tuple(node for node in self.relations if node.label not in _SPECIAL_LABELS)

    def _names(self) -> dict[str, frozenset[str]]:
        """What every name of types stands for: a label for itself and all below it, a reserved name for a section."""
        below: dict[str, set[str]] = {}
        for node in self.entities + self.events:
            below.setdefault(node.label, set())
            if node.parent is not None:
                below.setdefault(node.parent, set()).add(node.label)
        names = {label: _closure(label, below) for label in below}
        names["<ENTITY>"] = frozenset(node.label for node in self.entities)
        names["<EVENT>"] = frozenset(node.label for node in self.events)
        names["<RELATION>"] = frozenset(node.label for node in self._relations())
        return names


def parse_conf(text: str, file: str = "annotation.conf") -> tuple[Configuration, list[Problem]]:
    """Read an annotation.conf; problems name the lines that cannot be read, and sections that brat does not know."""
    sections: dict[str, list[Node]] = {"entities": [], "relations": [], "events": [], "attributes": []}
    macros: dict[str, dict[str, str]] = {}
    problems: list[Problem] = []
    section = ""
    for number, line in enumerate(split_lines(text.removeprefix("\ufeff")), 1):
        if not line.strip() or line.lstrip().startswith("#") or _SEPARATOR.match(line):
            continue
        header = _HEADER.match(line)
        if header is not None:
            section = _SECTIONS.get(header[1], "")
            if not section:
                problems.append(problem("conf-odd", file, number, 1, message=f"section [{header[1]}] is not one of brat's"))
            continue
        macro = _MACRO.match(line.rstrip())
        if macro is not None:
            macros.setdefault(section, {})[f"<{macro[1]}>"] = macro[2].strip()
            continue
        if section:
            node = _read_node(line, macros.get(section, {}), sections[section])
            if isinstance(node, Node):
                sections[section].append(node)
            else:
                column = 1 + len(line) - len(line.lstrip())
                problems.append(
                    problem("conf-unreadable-line", file, number, column, found=quoted(line.strip()), expected=node)
                )
    if not any(sections.values()):
        problems.append(problem("conf-odd", file, message="there is no label in it", expected="[entities] and labels below it"))
    return Configuration(**{name: tuple(nodes) for name, nodes in sections.items()}), problems


def _read_node(line: str, macros: Mapping[str, str], earlier: list[Node]) -> Node | str:
    """The node a line describes, or what was expected instead."""
    for name, value in macros.items():
        line = line.replace(name, value)
    body = line.strip()
    depth = len(line) - len(line.lstrip())
    terms, _, rest = body.replace("\t", " ", 1).partition(" ") if "\t" in body else body.partition(" ")
    if "\t" in body and " " in body.partition("\t")[0]:  # old style: terms with blanks, a tab, arguments
        terms, _, rest = body.partition("\t")
    names = [term.strip() for term in terms.split("|")]
    selectable = not any(name.startswith("!") for name in names)
    names = [name.removeprefix("!") for name in names]
    if not all(names):
        return "a label"
    label = names[0] if names[0] in _SPECIAL_LABELS else _NOT_IN_A_LABEL.sub("_", names[0])
    parent = None
    if depth:
        parent = next((node.label for node in reversed(earlier) if node.depth == depth - 1), None)
        if parent is None:
            return f"a label {depth - 1} blanks or tabs deep above it"
    arguments = _read_arguments(rest)
    if arguments is None:
        return 'arguments such as "Arg1:TYPE|TYPE, Arg2:TYPE"'
    return Node(label, parent, depth, selectable, tuple(names[1:]), arguments)


def _read_arguments(rest: str) -> tuple[tuple[str, tuple[str, ...]], ...] | None:
    found: list[tuple[str, tuple[str, ...]]] = []
    for part in filter(None, (each.strip() for each in rest.split(","))):
        argument = _ARGUMENT.match(part)
        if argument is None:
            return None
        found.append((argument[1], tuple(argument[2].split("|"))))
    return tuple(found)


def _closure(label: str, below: Mapping[str, set[str]]) -> frozenset[str]:
    found, waiting = {label}, [label]
    while waiting:
        new = below[waiting.pop()] - found
        found |= new
        waiting += new
    return frozenset(found)


def _roles(node: Node, names: Mapping[str, frozenset[str]]) -> list[tuple[str, Types]]:
    """The arguments of a line with what their types stand for, without those that say something of the line itself."""
    return [(_REPETITION.sub("", key), _expand(types, names)) for key, types in node.arguments if not key.startswith("<")]


def _expand(types: tuple[str, ...], names: Mapping[str, frozenset[str]]) -> Types:
    if "<ANY>" in types:
        return None
    found = frozenset[str]()
    for each in types:
        if each.startswith("<"):
            found |= names.get(each, frozenset())
        else:
            label = _NOT_IN_A_LABEL.sub("_", each)  # as where the label itself was read
            found |= names.get(label, frozenset({label}))
    return found


def _alternatives(node: Node, names: Mapping[str, frozenset[str]]) -> tuple[RelationType, ...]:
    roles = _roles(node, names)
    if len(roles) != 2:
        return ()
    (one, types), (other, other_types) = roles
    kinds = [kind for key, given in node.arguments if key == "<REL-TYPE>" for each in given for kind in each.split("-")]
    if types != other_types and ("symmetric" in kinds or (node.label == "Equiv" and not kinds)):
        return ((one, types), (other, other_types)), ((one, other_types), (other, types))
    return (((one, types), (other, other_types)),)
