"""Popular names by decade and sex: from the census, from a table of our own, and as that table again."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from evaluator.fairness.census import Census, Sex

HEAD = "decade\tsex\tname\tcount"
DECADES = tuple(range(1880, 2020, 10))
"""The fourteen of METHODS section 2; the last one goes on to the last year that the census has."""
TOP = 200
"""Names for each decade and sex."""
MOST_DIGITS = 9
"""Of a count, as in a census."""
_SHOWN = 60
_BREAKING = frozenset(("Cc", "Zl", "Zp"))
"""Categories of characters that cannot stand in a line of a corpus: controls, and separators of lines and paragraphs."""


class ListError(ValueError):
    """A list that cannot be used, with the place as `file:line:column`; both count from 1, 0 is unknown."""

    def __init__(self, file: str, line: int, message: str, column: int = 0) -> None:
        place = ":".join([file, *(str(each) for each in (line, column) if each)])
        super().__init__(f"{place}: {message}")
        self.file, self.line, self.column, self.message = file, line, column, message


def lines_of(text: str, file: str) -> Iterator[tuple[int, str]]:
    """The lines that are not empty, with their numbers, as they stand there.

    Raises:
        ListError: a character other than a tab would break a line of a corpus.
    """
    for number, line in enumerate(text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n"), 1):
        if not line.isprintable():
            for column, each in enumerate(line, 1):
                if each != "\t" and unicodedata.category(each) in _BREAKING:
                    raise ListError(file, number, f"a control character: {each!r}", column)
        if line.strip():
            yield number, line


@dataclass(frozen=True, slots=True)
class PopularName:
    """A name, and how many children of one sex got it in a decade."""

    name: str
    count: int


@dataclass(frozen=True, slots=True)
class PopularNames:
    """Names by decade and sex, the most frequent first.

    Attributes:
        lists: of each decade (its first year) and sex.
        file: where they were read from, for messages.
    """

    lists: Mapping[tuple[int, Sex], Sequence[PopularName]]
    file: str = "names"

    @property
    def decades(self) -> tuple[int, ...]:
        """The decades that have names, in order."""
        return tuple(sorted({decade for decade, _ in self.lists}))

    def first(self, decade: int, sex: Sex, top: int) -> Sequence[PopularName]:
        """So many names of a decade and sex.

        Raises:
            ListError: there are fewer.
        """
        found = self.lists.get((decade, sex), ())
        if len(found) < top:
            raise ListError(self.file, 0, f"{top:,} {sex.value} names of {decade} are expected, and it has {len(found):,}")
        return found[:top]


def popular_names(census: Census, top: int = TOP, decades: Sequence[int] = DECADES) -> PopularNames:
    """The most frequent names of each decade: counts of its years added up, equally frequent names by the alphabet.

    Args:
        census: names by year.
        top: at most so many of each decade and sex.
        decades: first years; those of which the census has no year are left out.
    """
    lists: dict[tuple[int, Sex], Sequence[PopularName]] = {}
    for decade in decades:
        for sex in Sex:
            found = census.over(range(decade, decade + 10), sex)
            names = [
                PopularName(name, count) for name, count in zip(found.names[:top], found.counts[:top].tolist(), strict=True)
            ]
            if names:
                lists[decade, sex] = names
    return PopularNames(lists, census.file)


def parse_names(text: str, file: str = "names") -> PopularNames:
    """Names from a table with the columns decade, sex (female or male), name and count, separated by tabs.

    Raises:
        ListError: a line is not laid out so or has a control character, a name occurs twice in one decade and sex, or
            there is no line.
    """
    lists: dict[tuple[int, Sex], list[PopularName]] = {}
    seen: set[tuple[int, Sex, str]] = set()
    for number, line in lines_of(text, file):
        if number == 1 and line == HEAD:
            continue
        key, name = _read_row(line, file, number)
        if (*key, name.name) in seen:
            message = f"{name.name} is among the {key[1].value} names of {key[0]} a second time"
            raise ListError(file, number, message, line.index(name.name, line.index("\t", 5)) + 1)
        seen.add((*key, name.name))
        lists.setdefault(key, []).append(name)
    if not lists:
        raise ListError(file, 0, "there is no name")
    ordered = {key: sorted(names, key=lambda one: (-one.count, one.name)) for key, names in lists.items()}
    return PopularNames(ordered, file)


def _read_row(line: str, file: str, number: int) -> tuple[tuple[int, Sex], PopularName]:
    cells = line.split("\t")
    if len(cells) != 4:
        raise _unexpected(file, number, 1, line)
    decade, sex, name, count = cells
    sound = (
        len(decade) == 4 and _is_number(decade) and decade.endswith("0"),
        sex in set(Sex),
        bool(name.strip()),
        len(count) <= MOST_DIGITS and _is_number(count) and int(count) > 0,
    )
    if not all(sound):
        raise _unexpected(file, number, 1 + sum(len(each) + 1 for each in cells[: sound.index(False)]), line)
    return (int(decade), Sex(sex)), PopularName(name.strip(), int(count))


def _is_number(cell: str) -> bool:
    return cell.isascii() and cell.isdecimal()


def _unexpected(file: str, number: int, column: int, line: str) -> ListError:
    expected = "decade, sex, name and count separated by tabs, as in `1880<tab>female<tab>Mary<tab>91668`"
    shown = line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"
    return ListError(file, number, f"{expected}, are expected, the count of {MOST_DIGITS} digits at most: {shown!r}", column)


def write_names_table(names: PopularNames) -> str:
    """The table that `parse_names` reads."""
    rows = [
        f"{decade}\t{sex.value}\t{each.name}\t{each.count}\n"
        for (decade, sex), found in sorted(names.lists.items())
        for each in found
    ]
    return f"{HEAD}\n{''.join(rows)}"


def own_text(name: str) -> str:
    """A list that comes with Assay: `names.tsv` (U.S. Social Security counts), `chemicals.tsv`, `templates.txt` (ours)."""
    return (files("evaluator.fairness") / "data" / name).read_text("utf-8")
