"""Files by path to documents: which file belongs to which document, decoded, parsed and checked."""

from __future__ import annotations

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from brat.convert.formats import read as read_format
from brat.convert.formats import recognise
from brat.files import Files
from brat.model import Document
from brat.parse import parse
from brat.problems import Problem, ProblemList, problem
from brat.validate import Part, check_document
from brat.write import write

_MARKS = ((b"\xff\xfe\0\0", "UTF-32"), (b"\0\0\xfe\xff", "UTF-32"), (b"\xff\xfe", "UTF-16"), (b"\xfe\xff", "UTF-16"))
_SAMPLE = 4_096
# By the readers of other formats, with the column in the file:
_TOLD_BY_READERS = frozenset({"text-mismatch", "duplicate-annotation", "span-outside-text", "span-reversed"})
_MOST_ANNOTATIONS = 2_000_000
_MOST_CONVERTED = 16 * 1024 * 1024
_ANNOTATION_SUFFIXES = ("ann", "a1", "a2")
_QUIETLY_SKIPPED = frozenset({"txt", "conf", "toml", "tsv", "json", "md"})


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents by id, with everything that was found wrong while reading them.

    Attributes:
        documents: by id, in sorted order.
        problems: in the order they were met; of each code at most `brat.problems.MOST_KEPT`.
        counts: how many problems there are of each code, those that were not kept included.
        paths: the annotation file of each annotated document.
        extra: annotation files of documents that are not in the split; they were not read.
        digests: SHA-256 of the annotation file of each annotated document; of what `brat.write` makes of it where the files
            are in another format.
        format: the format that the files are in (`brat.convert.formats`).
    """

    documents: Mapping[str, Document] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    paths: Mapping[str, str] = field(default_factory=dict)
    extra: tuple[str, ...] = ()
    digests: Mapping[str, str] = field(default_factory=dict)
    format: str = "brat"

    @property
    def texts(self) -> dict[str, str]:
        """The text of every document that has one, by id."""
        return {id_: each.text for id_, each in self.documents.items() if each.text is not None}


@dataclass(frozen=True, slots=True)
class Reading:
    """A run that is read document by document, so that a large one needs no more memory than a small one.

    Attributes:
        documents: pairs of id and document in sorted order; each is read, and its problems are met, when it is asked for.
        problems: grows while the documents are read.
        paths, extra, format: as of a `Corpus`.
    """

    documents: Iterator[tuple[str, Document]]
    problems: ProblemList
    paths: Mapping[str, str]
    extra: tuple[str, ...]
    format: str = "brat"


def open_run(files: Files, texts: Mapping[str, str | None]) -> Reading:
    """A run on hosted texts. Text files in it are not looked at; formats that `brat.convert` knows are converted.

    Args:
        files: bytes by path.
        texts: the hosted text of each document, None for one whose text is not known. Other documents are extra.
    """
    name = recognise(files)
    if name is not None:
        return _open_converted(name, files, texts)
    problems = ProblemList()
    grouped = group_files(files, texts, problems)
    documents = _read_documents(sorted(grouped.annotated), grouped, files, texts, problems)
    return Reading(documents, problems, _last(grouped.annotated), tuple(grouped.extra))


def _open_converted(name: str, files: Files, texts: Mapping[str, str | None]) -> Reading:
    problems = ProblemList()
    size = sum(len(data) for data in files.values())
    if size > _MOST_CONVERTED:
        found, expected = f"{size:,} bytes of {name}", f"at most {_MOST_CONVERTED:,} in a format that is converted"
        hint = "convert it to BRAT first: assay convert"
        problems.append(problem("archive-too-large", "", found=found, expected=expected, hint=hint))
        return Reading(iter(()), problems, {}, (), name)
    converted = read_format(name, files, texts)
    count = sum(len(each.annotations) for each in converted.documents.values())
    hint = f"{count:,} annotations of {len(converted.documents):,} documents were understood"
    problems = ProblemList(list(converted.problems), Counter(converted.counts))
    problems.append(problem("read-as", "", found=name, hint=hint))
    for id_, document in converted.documents.items():
        told = check_document([Part(converted.paths.get(id_, ""), document.annotations)], texts.get(id_))
        problems.extend(each for each in told if each.code not in _TOLD_BY_READERS)
    return Reading(iter(converted.documents.items()), problems, converted.paths, (), name)


def read_corpus(files: Files, texts: Mapping[str, str | None] | None = None) -> Corpus:
    """Documents from `.txt`, `.ann`, `.a1` and `.a2` files.

    A document's id is the base name of its files, or, where a base name occurs in two folders, the path without suffix.

    Args:
        files: bytes by path.
        texts: of a run, as for `open_run`: only annotated documents are returned. Without, texts are those among the files,
            and a document that has a text and no annotations is returned empty.
    """
    if texts is not None:
        return _read_run(files, open_run(files, texts), texts)
    problems = ProblemList()
    grouped = group_files(files, None, problems)
    texts = {id_: decode(files[path], path, problems) for id_, path in grouped.plain.items()}
    if grouped.plain:
        lonely = sorted(grouped.annotated.keys() - grouped.plain.keys())
        problems.extend(problem("missing-text", grouped.annotated[id_][0], expected=f"{id_}.txt") for id_ in lonely)
    ids = sorted({*grouped.annotated, *grouped.plain})
    documents = dict(_read_documents(ids, grouped, files, texts, problems))
    digests = {id_: _digest(files, found) for id_, found in grouped.annotated.items()}
    return Corpus(documents, tuple(problems.kept), problems.counts, _last(grouped.annotated), (), digests)


def _read_run(files: Files, run: Reading, texts: Collection[str]) -> Corpus:
    documents = dict(run.documents)
    if run.format == "brat":
        digests = {id_: _digest(files, found) for id_, found in annotation_files(files, texts).items()}
    else:
        digests = {id_: hashlib.sha256(_as_file(each)).hexdigest() for id_, each in documents.items()}
    return Corpus(documents, tuple(run.problems.kept), run.problems.counts, run.paths, run.extra, digests, run.format)


def _last(paths: Mapping[str, Sequence[str]]) -> dict[str, str]:
    return {id_: found[-1] for id_, found in paths.items()}


def _read_documents(
    ids: Sequence[str], grouped: Grouped, files: Files, texts: Mapping[str, str | None], problems: ProblemList
) -> Iterator[tuple[str, Document]]:
    count = 0
    for id_ in ids:
        document = read_document(id_, grouped.annotated.get(id_, []), files, texts.get(id_), problems)
        yield id_, document
        count += len(document.annotations)
        if count > _MOST_ANNOTATIONS:
            expected, hint = f"at most {_MOST_ANNOTATIONS:,} annotations in all", "the rest was not read"
            problems.append(problem("too-many-annotations", grouped.annotated[id_][0], expected=expected, hint=hint))
            return


def as_standoff(files: Files, texts: Mapping[str, str | None]) -> Files:
    """The files of a run in BRAT standoff: as they are, or what they are converted to."""
    run = open_run(files, texts)
    return files if run.format == "brat" else {f"{id_}.ann": _as_file(each) for id_, each in run.documents}


def _as_file(document: Document) -> bytes:
    return write(document).encode("utf-8", "surrogatepass")


def annotation_files(files: Files, texts: Collection[str]) -> dict[str, list[str]]:
    """The annotation files of each document, by id, of those documents that have a text."""
    return group_files(files, texts, ProblemList()).annotated


def _digest(files: Files, paths: Sequence[str]) -> str:
    return hashlib.sha256(b"".join(files[path] for path in paths)).hexdigest()


def decode(data: bytes, file: str, problems: ProblemList | list[Problem]) -> str | None:
    """Strict UTF-8; a malformed byte becomes a problem with its place, and None is returned."""
    try:
        text = data.decode("utf-8")
        bad_at = data.find(b"\0") if _is_mostly_zeros(data) else -1  # ASCII in UTF-16 is UTF-8 too, as it were
        if bad_at < 0:
            return text
    except UnicodeDecodeError as bad:
        bad_at = bad.start
    before = data[:bad_at].decode("utf-8", "replace").removeprefix("\ufeff")
    line = before.count("\n") + before.replace("\r\n", "\n").count("\r") + 1
    column = len(before) - max(before.rfind("\n"), before.rfind("\r"))
    hint = f"it looks like {_encoding_of(data)}: save it as UTF-8, and keep the offsets, which count characters"
    problems.append(problem("not-utf8", file, line, column, found=f"byte 0x{data[bad_at]:02x}", hint=hint))
    return None


def _is_mostly_zeros(data: bytes) -> bool:
    """Whether every other byte at the start is zero, or nearly."""
    sample = data[:_SAMPLE]
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    return max(even, odd) * 4 > len(sample) and min(even, odd) * 8 < max(even, odd)


def _encoding_of(data: bytes) -> str:
    """A guess at the encoding of what is not UTF-8, in words."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return name
    if _is_mostly_zeros(data):
        return "UTF-16 without a byte order mark"
    return "Windows-1252" if any(0x80 <= byte < 0xA0 for byte in data) else "Latin-1 (ISO 8859-1) or Windows-1252"


def read_document(id_: str, paths: Sequence[str], files: Files, text: str | None, problems: ProblemList) -> Document:
    """One document from its annotation files, checked against its text."""
    parts: list[Part] = []
    for path in paths:
        content = decode(files[path], path, problems)
        if content is not None:
            read, bad = parse(content, document_id=id_, text=text, file=path)
            parts.append(Part(path, read.annotations, content.removeprefix("\ufeff")))
            problems.extend(bad)
    problems.extend(check_document(parts, text))
    return Document(id_, tuple(each for part in parts for each in part.annotations), text)


@dataclass(slots=True)
class Grouped:
    """Paths by document id: annotation files (several for `.a1` and `.a2`) and the text file."""

    annotated: dict[str, list[str]] = field(default_factory=dict)
    plain: dict[str, str] = field(default_factory=dict)
    extra: list[str] = field(default_factory=list)


def group_files(files: Files, texts: Collection[str] | None, problems: ProblemList) -> Grouped:
    """Which files belong to which document; those of a run belong to the documents of `texts`, or are extra."""
    stems: dict[str, dict[str, str]] = {}
    for path in sorted(files):
        stem, dot, suffix = path.rpartition(".")
        suffix = suffix.lower()
        if dot and stem.rpartition("/")[2] and suffix in (*_ANNOTATION_SUFFIXES, "txt"):
            stems.setdefault(stem, {})[suffix] = path
        elif suffix not in _QUIETLY_SKIPPED:
            problems.append(problem("ignored-file", path, expected="files whose names end in .ann"))
    ambiguous = _ambiguous(stems)
    known = {unicodedata.normalize("NFC", each): each for each in texts or () if not each.isascii()}
    grouped = Grouped()
    for stem, found in stems.items():
        base = stem.rpartition("/")[2]
        if texts is None:
            id_ = stem if base in ambiguous else base
        else:
            id_ = stem if stem in texts else base
            if known and id_ not in texts:  # some systems write accents in names as characters of their own
                id_ = known.get(unicodedata.normalize("NFC", id_), id_)
        if "txt" in found:
            grouped.plain[id_] = found["txt"]
        paths = [found["ann"]] if "ann" in found else [found[each] for each in ("a1", "a2") if each in found]
        if not paths:
            continue
        if texts is not None and id_ not in texts:
            grouped.extra += paths
        elif id_ in grouped.annotated:
            seen = grouped.annotated[id_][0]
            problems.append(problem("duplicate-document", paths[0], found=f"{seen} too", expected="one file a document"))
        else:
            grouped.annotated[id_] = paths
    return grouped


def _ambiguous(stems: Mapping[str, Collection[str]]) -> set[str]:
    """Base names that several text files, or several annotation files, share."""
    texts = Counter(stem.rpartition("/")[2] for stem, suffixes in stems.items() if "txt" in suffixes)
    annotations = Counter(stem.rpartition("/")[2] for stem, suffixes in stems.items() if set(suffixes) - {"txt"})
    return {name for counts in (texts, annotations) for name, count in counts.items() if count > 1}
