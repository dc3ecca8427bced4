"""`assay convert IN OUT --to FORMAT`: between BRAT and other formats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from app.cli import inputs
from brat.convert import formats
from brat.convert.losses import counted, totals
from brat.files import Files, read_bytes
from brat.model import Document, Relation
from brat.problems import Problem

_ARCHIVES = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08", b"\x1f\x8b")
_STANDOFF = (".ann", ".a1", ".a2")


@click.command()
@click.argument("source", metavar="IN", type=click.Path(exists=True, path_type=Path))
@click.argument("target", metavar="OUT", type=click.Path(path_type=Path))
@click.option("--from", "from_", type=click.Choice(formats.FORMATS), help="What IN is; recognised if not given.")
@click.option("--to", type=click.Choice(formats.FORMATS), required=True, help="What OUT becomes.")
@click.option(
    "--texts", type=click.Path(exists=True, path_type=Path), help="Folder or archive with the .txt files that IN is about."
)
@click.option("--force", is_flag=True, help="Write into a folder that is not empty, or over a file.")
def convert(source: Path, target: Path, *, from_: str | None, to: str, texts: Path | None, force: bool) -> None:
    """Convert IN, a file, a folder or an archive, to OUT, a folder, or an archive if it ends in .zip.

    With --texts, offsets are those of these texts, other documents are left out, and BRAT is written without .txt files.
    What OUT's format cannot hold is left out and told. Exit status 1 when IN has errors: then nothing is written.
    """
    if not force and (target.is_file() or (target.is_dir() and any(target.iterdir()))):
        inputs.fail(f"{target}: is there already; --force writes over it")
    if target.is_dir() == (target.suffix == ".zip") and target.exists():
        inputs.fail(f"{target}: expected a folder, or a file that ends in .zip")
    files = _read(source)
    name = from_ or _recognised(source, files)
    converted = formats.read(name, files, inputs.read_texts(texts) if texts else {})
    inputs.stop_on_errors(converted.problems)
    if not converted.documents:
        inputs.fail(f"{source}: no document")
    written, losses = formats.write(to, converted.documents)
    inputs.tell(losses)
    if to == "brat" and texts:
        written = {path: data for path, data in written.items() if not path.endswith(".txt")}
    inputs.write_files(target, written)
    click.echo(_summary(converted.documents, name, to))
    for line in _left_out(losses, to):
        click.echo(line)


def _read(source: Path) -> Files:
    """The files of a folder or an archive, whatever their names, or a single one."""
    if source.is_dir():
        found = {each.relative_to(source): each for each in sorted(source.rglob("*")) if each.is_file()}
        return {
            name.as_posix(): each.read_bytes()
            for name, each in found.items()
            if not any(part.startswith(".") for part in name.parts)
        }
    data = source.read_bytes()
    if not data.startswith(_ARCHIVES) and data[257:262] != b"ustar":
        return {source.name: data}
    return read_bytes(data, str(source))


def _recognised(source: Path, files: Files) -> str:
    name = formats.recognise(files)
    if name is None and any(path.lower().endswith(_STANDOFF) for path in files):
        name = "brat"
    if name is None:
        inputs.fail(f"{source}: cannot tell the format; say which with --from: {', '.join(formats.FORMATS)}")
    click.echo(f"{source} is read as {name}.")
    return name


def _summary(documents: Mapping[str, Document], name: str, to: str) -> str:
    entities = sum(1 for each in documents.values() for _ in each.text_bounds)
    relations = sum(isinstance(one, Relation) for each in documents.values() for one in each.annotations)
    counts = [counted(len(documents), "documents"), f"{entities:,} {'entity' if entities == 1 else 'entities'}"]
    return f"{name} to {to}: {', '.join([*counts, counted(relations, 'relations')])}."


def _left_out(losses: Sequence[Problem], to: str) -> list[str]:
    """One line for each kind of thing that was left out, over all documents."""
    return [
        f"Left out, since {to} cannot hold it: {counted(count, kind)} in {counted(documents, 'documents')}."
        for kind, (count, documents) in totals(losses).items()
    ]
