# Everything installs into .venv; nothing outside this folder is touched, but for Chromium in `make test`.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
PORT ?= 8000
BIN := .venv/bin
BROWSERS := chromium chromium-browser google-chrome

.PHONY: help run test check bench bench-baselines install install-dev browser clean

help: ## Show what there is
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 14

run: install ## Install, set up the demonstration, print its leaderboards, serve on 127.0.0.1:8000
	@$(BIN)/assay demo --port $(PORT)

test: install-dev browser ## Install what the tests need and run them all
	@$(BIN)/python -m pytest --numprocesses=2 --dist=loadscope

check: install-dev browser ## Lint, format, types, imports and tests
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python -m pytest --numprocesses=2 --dist=loadscope

bench: install-dev ## Time and memory of scoring beside parsing, and of checking for growing sizes; how much a board tells; nearest documents; millions of sentences; certainty of boards
	@$(BIN)/python -m benchmarks.scoring
	@$(BIN)/python -m benchmarks.checking
	@$(BIN)/python -m benchmarks.adaptive
	@$(BIN)/python -m benchmarks.leakage
	@$(BIN)/python -m benchmarks.templates
	@$(BIN)/python -m benchmarks.certainty

bench-baselines: install-dev ## Train the baselines on real corpora: scores, leakage, speed, the gender study in small; an hour or two
	@for each in ddi chemu bc5cdr speed gender; do $(BIN)/python -m benchmarks.baselines $$each || exit 1; done

install: .venv/installed
install-dev: .venv/installed-dev

.venv/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Assay needs Python 3.11 or newer; say which: make PYTHON=/path/to/python3.11 …"; exit 1; }
	@echo "Making a virtual environment in .venv"
	@$(PYTHON) -m venv .venv
	@touch $@

.venv/installed: .venv/python pyproject.toml constraints.txt
	@echo "Installing Assay (about a minute the first time)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable .
	@touch $@

.venv/installed-dev: .venv/python pyproject.toml constraints.txt
	@echo "Installing Assay, its baselines and what its tests need (some minutes the first time)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev,baselines]'
	@touch $@ .venv/installed

browser:
	@for name in $(BROWSERS); do command -v $$name >/dev/null && exit 0; done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "Installing Chromium for the browser tests"; \
	  apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends chromium >/dev/null; \
	else echo "No Chromium, and no right to install it: browser tests will be skipped"; fi

clean: ## Remove the virtual environment and caches; data in var/ stays
	@rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis
