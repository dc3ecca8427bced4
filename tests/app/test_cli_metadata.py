"""`assay task add` and `assay task metadata`: what is known of documents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import select

from app.analysis.metadata import TaskMetadata, metadata_of
from app.cli.main import main
from app.db import Database
from app.shared_tasks.models import MetadataVersion
from app.shared_tasks.services import find_task
from app.storage import Storage
from tests.app.test_leakage import DEV, DEV_GOLD, METADATA, TEST, TEST_GOLD, TRAIN, TRAIN_GOLD
from tests.factories import CONF, TOML, files


class Terminal:
    """A data folder with a migrated database, a bundle, and the folders of three splits."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.env = folder, {"ASSAY_DATA": str(folder / "data")}
        (folder / "bundle").mkdir()
        (folder / "bundle" / "task.toml").write_text(TOML)
        (folder / "bundle" / "annotation.conf").write_text(CONF)
        for split, texts, gold in (("train", TRAIN, TRAIN_GOLD), ("dev", DEV, DEV_GOLD), ("test", TEST, TEST_GOLD)):
            for name, data in files(texts, gold).items():
                place = folder / split / f"from-{name[0]}{name[1]}" / name
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(data)
        (folder / "m.tsv").write_text(METADATA)
        assert self.assay("migrate").exit_code == 0

    def assay(self, *arguments: str | Path) -> Result:
        return CliRunner().invoke(main, [str(each) for each in arguments], env=self.env)

    def add(self, *more: str | Path) -> Result:
        paths = [part for name in ("train", "dev", "test") for part in (f"--{name}", self.folder / name)]
        return self.assay("task", "add", self.folder / "bundle", *paths, *more)

    def known(self) -> TaskMetadata | None:
        data = self.folder / "data"
        database = Database(f"sqlite:///{data / 'assay.db'}")
        with database.session(write=False) as session:
            found = metadata_of(session, Storage(f"file://{data / 'objects'}"), find_task(session, "t"))
        database.engine.dispose()
        return found


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    return Terminal(tmp_path)


def sources(found: TaskMetadata | None) -> dict[str, dict[str, str | None]]:
    assert found is not None
    return {name: found.sources(name, texts) for name, texts in (("train", TRAIN), ("dev", DEV), ("test", TEST))}


def test_a_file_with_a_column(terminal: Terminal) -> None:
    added = terminal.add("--metadata", terminal.folder / "m.tsv", "--source", "patent")
    assert added.exit_code == 0, added.output
    assert "Documents with attributes: train 2 of 2, dev 1 of 1, test 2 of 2; patent is their source." in added.output
    assert "test: 1 document is a copy, or nearly one, of what is in train" in added.stderr
    assert sources(terminal.known()) == {
        "train": {"r1": "P1", "r2": "P2"},
        "dev": {"d1": "P3"},
        "test": {"t1": "P1", "t2": "P9"},
    }


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        (
            ("--source-pattern", "([a-z])"),
            {"train": {"r1": "r", "r2": "r"}, "dev": {"d1": "d"}, "test": {"t1": "t", "t2": "t"}},
        ),
        (
            ("--source-pattern", "t1"),
            {"train": {"r1": None, "r2": None}, "dev": {"d1": None}, "test": {"t1": "t1", "t2": None}},
        ),
        (
            ("--source-folders",),
            {
                "train": {"r1": "from-r1", "r2": "from-r2"},
                "dev": {"d1": "from-d1"},
                "test": {"t1": "from-t1", "t2": "from-t2"},
            },
        ),
    ],
)
def test_names_and_folders(terminal: Terminal, option: tuple[str, ...], expected: dict[str, dict[str, str | None]]) -> None:
    added = terminal.add(*option, "--metadata", terminal.folder / "m.tsv")
    assert added.exit_code == 0, added.output
    found = terminal.known()
    assert sources(found) == expected
    assert found is not None
    assert found.attributes(["train", "dev", "test"]).keys() == {"patent", "language"}


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--source", "patent"), "--source names a column of the file given with --metadata"),
        (("--metadata", "m.tsv", "--source", "patent", "--source-folders"), "exclude one another"),
        (("--source-pattern", "a", "--source-folders"), "exclude one another"),
        (("--metadata", "m.tsv", "--source", "office"), "no column is called office"),
        (("--metadata", "bad.tsv"), "bad.tsv:2:3: 3 columns"),
        (("--metadata", "source.tsv", "--source-folders"), "has a column called source already"),
        (("--source-pattern", "("), "not a regular expression"),
    ],
)
def test_what_does_not_go(terminal: Terminal, more: tuple[str, ...], told: str) -> None:
    (terminal.folder / "bad.tsv").write_text("document\ta\nt1\t2\t3\n")
    (terminal.folder / "source.tsv").write_text("document\tsource\nt1\tx\n")
    refused = terminal.add(*(str(terminal.folder / each) if each.endswith(".tsv") else each for each in more))
    assert refused.exit_code != 0
    assert told in refused.output
    assert "There is no task t" in terminal.assay("task", "metadata", "t", terminal.folder / "m.tsv").output, "nothing was done"


def test_other_attributes_later(terminal: Terminal) -> None:
    terminal.add()
    assert terminal.known() is None
    given = terminal.assay("task", "metadata", "t", terminal.folder / "m.tsv", "--source", "patent")
    assert given.exit_code == 0, given.output
    (terminal.folder / "m.json").write_text(json.dumps({"t1": {"source": "A", "year": 1999}, "r1": {"source": "A"}, "zz": {}}))
    given = terminal.assay("task", "metadata", "t", terminal.folder / "m.json")
    assert "train 1 of 2, dev 0 of 1, test 1 of 2; source is their source. Left out: 1 row of other documents." in given.output
    assert sources(terminal.known())["test"] == {"t1": "A", "t2": None}
    (terminal.folder / "other.tsv").write_text("document\tsource\nx\ty\n")
    refused = terminal.assay("task", "metadata", "t", terminal.folder / "other.tsv")
    assert refused.exit_code == 1
    assert "no row is of a document of this task" in refused.output
    database = Database(f"sqlite:///{terminal.folder / 'data' / 'assay.db'}")
    with database.session(write=False) as session:
        assert list(session.scalars(select(MetadataVersion.number).order_by(MetadataVersion.id))) == [1, 2]
    database.engine.dispose()
