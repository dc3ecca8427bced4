"""`assay split`: a split of a corpus that leaks less."""

from __future__ import annotations

from pathlib import Path

import click

from app.cli import inputs
from app.cli.metadata import Hosted, SourceChoice, copy_options, read_hosted, source_options, tell_unknown
from app.version import VERSION
from evaluator.leakage.copies import Nearness, find_copies
from evaluator.leakage.report import report_split
from evaluator.leakage.split import SHARES, Proposal, Request, propose
from evaluator.plain_tables import FORMATS
from evaluator.signature import digest_value

_WHOLE = "corpus"


@click.command()
@click.argument("corpus", type=click.Path(exists=True, path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder or .zip for a list of ids of each part.")
@source_options
@click.option(
    "--share",
    "shares",
    multiple=True,
    metavar="PART:SHARE",
    help="A part and its share of the documents, such as test:0.25; may be repeated. [default: train:0.6 dev:0.15 test:0.25]",
)
@click.option("--folders", is_flag=True, help="Also the documents themselves, in a folder for each part.")
@copy_options
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True)
@click.option("--format", "format_", type=click.Choice(list(FORMATS)), default="table", show_default=True)
def split(  # noqa: PLR0913 - one parameter an option
    corpus: Path,
    *,
    out: Path,
    source_file: str | None,
    source_pattern: str | None,
    source_folders: bool,
    shares: tuple[str, ...],
    folders: bool,
    words: int,
    threshold: float,
    seed: int,
    format_: str,
) -> None:
    """Propose a split of CORPUS in which no source and no pair of copies is in two parts, and say what it costs in size.

    Labels are spread as evenly as that allows. All documents of CORPUS take part, whatever folders they are in now. Writes
    train.ids, dev.ids and test.ids, or as the parts are called: one document id a line.
    """
    choice = SourceChoice(file=source_file, pattern=source_pattern, folders=source_folders)
    request = _request(shares, seed)
    hosted = read_hosted(corpus)
    sources = choice.sources(hosted)
    if choice.given:
        tell_unknown("source", sources, len(hosted.corpus.documents))
    nearness = Nearness(words=words, threshold=threshold)
    copies = find_copies({_WHOLE: hosted.corpus.texts}, nearness)
    proposal = propose(hosted.corpus.documents, sources, copies, request)
    inputs.write_files(out, _files(hosted, proposal, folders=folders))
    signature = {
        "assay": VERSION,
        "seed": seed,
        "shares": [f"{name}:{share}" for name, share in request.shares.items()],
        "copy_words": words,
        "copy_threshold": threshold,
        **{f"digest-{kind}": value for kind, value in hosted.digests.items()},
        "digest-sources": digest_value(sources) if sources else "",
    }
    click.echo(FORMATS[format_](report_split(proposal, signature)), nl=False)


def _request(given: tuple[str, ...], seed: int) -> Request:
    shares: dict[str, float] = {}
    for each in given:
        name, _, share = each.rpartition(":")
        try:
            value = float(share)
        except ValueError:
            value = 0.0
        if not name or "/" in name or name in shares or not value > 0:
            raise click.BadParameter(f"{each} is not PART:SHARE, with a share above 0", param_hint="--share")
        shares[name] = value
    try:
        return Request(shares=shares or dict(SHARES), seed=seed)
    except ValueError as bad:
        raise click.BadParameter(str(bad), param_hint="--share") from bad


def _files(hosted: Hosted, proposal: Proposal, *, folders: bool) -> dict[str, bytes]:
    found = {f"{part.name}.ids": "".join(f"{id_}\n" for id_ in part.documents).encode() for part in proposal.parts}
    if folders:
        of_document = {id_: part.name for part in proposal.parts for id_ in part.documents}
        paths = {stem: id_ for id_, stem in hosted.paths.items()}
        for path in hosted.files:
            stem, _, suffix = path.rpartition(".")
            if stem in paths and suffix in ("txt", "ann", "a1", "a2"):
                found[f"{of_document[paths[stem]]}/{paths[stem]}.{suffix}"] = hosted.files[path]
    return found
