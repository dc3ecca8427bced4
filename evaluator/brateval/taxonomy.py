"""How BRATEval reads annotation.conf, and the rows it prints with it (sections 7 and 8)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from evaluator.brateval.reader import decode
from evaluator.scores import Counts

_LINE_END = re.compile(r"\r\n|\n|\r")
_TRIMMED = "".join(map(chr, range(0x21)))
_NOT_JAVA_WHITESPACE = "\x85\xa0\u2007\u202f"


@dataclass(slots=True)
class Node:
    """A line of a section: the whole trimmed line is its name."""

    name: str
    level: int
    parent: Node | None
    children: list[Node] = field(default_factory=list)

    @property
    def printed(self) -> str:
        """The name as a row shows it: a plus for every four levels, a blank for each one more."""
        return "+" * (self.level // 4) + " " * (self.level % 4) + self.name


@dataclass(slots=True)
class Taxonomy:
    """The tree of a section; without root when the file has no such section."""

    root: Node | None = None
    nodes: list[Node] = field(default_factory=list)

    def class_of(self, label: str) -> str | int:
        """What two labels must share to be related: the node one below the root; the label itself where there is none."""
        key = _caseless(label)
        node = next((each for each in reversed(self.nodes) if _caseless(each.name) == key), None)
        if node is None or node.parent is None:
            return label
        above = node.parent
        while above.parent is not None:
            node, above = above, above.parent
        return next(i for i, each in enumerate(self.nodes) if each is node)


def read_taxonomy(data: bytes, section: str = "entities") -> Taxonomy:
    """The tree that BRATEval makes of one section of an annotation.conf."""
    taxonomy = Taxonomy()
    inside = False
    for line in _LINE_END.split(decode(data)):
        name = line.strip(_TRIMMED)
        if name.startswith("["):
            inside = name == f"[{section}]"
            if inside:
                _add(taxonomy, "ALL", 0)
        elif inside and name:
            _add(taxonomy, name, _level(line))
    return taxonomy


def _add(taxonomy: Taxonomy, name: str, level: int) -> None:
    parent = next((each for each in reversed(taxonomy.nodes) if each.level < level), taxonomy.root)
    node = Node(name, level, parent)
    if parent is None:
        taxonomy.root = node
    else:
        parent.children.append(node)
    taxonomy.nodes.append(node)


def _level(line: str) -> int:
    level = 1
    for character in line:
        if character == " ":
            level += 1
        elif character == "\t":
            level += 4
        elif character.isspace() and character not in _NOT_JAVA_WHITESPACE:
            level = 1
        else:
            break
    return level


def _caseless(name: str) -> str:
    """Java's `equalsIgnoreCase`: character by character to upper and then to lower case, where that is one character."""
    uppers = (upper if len(upper := c.upper()) == 1 else c for c in name)
    return "".join(c.lower()[0] for c in uppers)  # of İ, Java keeps the i


def rows(
    taxonomy: Taxonomy, own: Mapping[str, Counts], *, full: bool = False, indented: bool = True
) -> Iterator[tuple[str, Counts]]:
    """The printed rows: the tree in file order, the labels outside it sorted, and `all`, which sums the latter only.

    Args:
        taxonomy: the tree of `[entities]`.
        own: the counts of every label seen, those with nothing but zeros included.
        full: also rows of the tree in which nothing was counted (`-print-full-taxonomy`).
        indented: names of the tree show their level, as CompareEntities prints them, and CompareRelations does not.
    """
    counts = dict(own)
    outside = set(own)
    if taxonomy.root is not None:
        _add_up(taxonomy.root, counts)
        for node in _preorder(taxonomy.root):
            outside.discard(node.name)
            found = counts.get(node.name, Counts())
            if full or found != Counts():
                yield node.printed if indented else node.name, found
    others = sorted(outside, key=lambda label: label.encode("utf-16-be", "surrogatepass"))
    for label in others:
        yield label, counts[label]
    yield "all", _sum(counts[label] for label in others)


def _add_up(node: Node, counts: dict[str, Counts]) -> None:
    for child in node.children:
        _add_up(child, counts)
        counts[node.name] = counts.get(node.name, Counts()) + counts.get(child.name, Counts())


def _preorder(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from _preorder(child)


def _sum(counts: Iterable[Counts]) -> Counts:
    return sum(counts, start=Counts())
