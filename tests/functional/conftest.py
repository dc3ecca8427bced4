"""A real server, a real worker and a real browser."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

import tasks
from app.demo.setup import write_corpus

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Site:
    """A running server with the demonstration task, its corpus on disk, and the password of its organiser."""

    address: str
    corpus: Path
    environment: dict[str, str]
    organiser: str


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if path is None:
        if os.environ.get("CI") == "true":
            pytest.fail("CI must have a browser: install Debian's chromium")
        pytest.skip("there is no Chromium; `make test` installs it where it may")
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield found
        found.close()


def assay(environment: dict[str, str], *arguments: str) -> str:
    command = [sys.executable, "-m", "app.cli", *arguments]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    environment = os.environ | {"ASSAY_DATA": str(folder / "var"), "ASSAY_RATE_LIMITS": "0"}
    corpus = folder / "corpus"
    write_corpus(corpus)
    assay(environment, "migrate")
    password = re.search(r"password (\S+)", assay(environment, "user", "add", "organiser@x.org", "--name", "Olive"))
    assert password is not None
    assay(
        environment, "task", "add", str(Path(tasks.__file__).parent / "demo"), "--train", str(corpus / "train"),
        "--dev", str(corpus / "dev"), "--test", str(corpus / "test"), "--split", f"test-2={corpus / 'test-2'}",
        "--organiser", "organiser@x.org",
    )  # fmt: skip
    port = free_port()
    serving = subprocess.Popen(
        [sys.executable, "-m", "app.cli", "serve", "--port", str(port)], env=environment, stdout=subprocess.DEVNULL
    )
    address = f"http://127.0.0.1:{port}"
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            urllib.request.urlopen(address, timeout=5).close()
            break
        except OSError:
            time.sleep(0.1)
    yield Site(address, corpus, environment, password[1])
    serving.terminate()
    serving.wait(20)
