# Everything here makes what it needs in .venv, on a machine that has only Python, and does so once.
PYTHON ?= python3
WORKERS ?= auto
VENV := .venv
BIN := $(VENV)/bin
MADE := $(VENV)/.made
DEV := $(VENV)/.made-dev
BENCH := .venv-bench
COMPARED := "langchain-classic langchain-community langchain-chroma rank_bm25" "lancedb" "bm25s"

PLAYGROUND := .playground
FROM_NPM := @microsoft/m365agentsplayground@0.2.28 @microsoft/app-manifest@1.1.2 axe-core@4.11.0

.PHONY: install demo test soak lint check format bench playground screenshots constraints clean

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Citewell needs Python 3.11 or newer; '$(PYTHON)' is older. Name another: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(MADE): pyproject.toml constraints.txt | $(BIN)/python
	@if [ -e $@ ]; then echo "Updating $(VENV)..." >&2; \
	  else echo "Setting up in $(VENV), once; this takes a minute or two..." >&2; fi
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e . >&2
	@touch $@

$(DEV): $(MADE)
	@if [ -e $@ ]; then echo "Updating what the tests need..." >&2; \
	  else echo "Adding what the tests need, once; this takes a moment..." >&2; fi
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]' >&2
	@touch $@

install: $(MADE)  ## the citewell command in .venv/bin

demo: $(MADE)  ## a chat over the sample documents: no keys, no servers
	@$(BIN)/citewell demo

test: $(DEV)  ## every test, on all cores (WORKERS=1)
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile

soak: $(DEV)  ## kill -9 again and again under load: nothing lost, nothing twice; some minutes (ROUNDS=5)
	@$(BIN)/python -m tests.bench.slack $(or $(ROUNDS),5)

lint: $(DEV)  ## format, lint, types, architecture
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

check: lint test  ## all that has to hold before a change goes in

format: $(DEV)  ## mend what the formatter and the linter can
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

$(BENCH)/.made: pyproject.toml constraints.txt tests/bench/constraints.txt | $(BIN)/python
	@echo "Setting up $(BENCH) with what is compared, once; this takes some minutes..." >&2
	@$(BIN)/python -m venv $(BENCH)
	@$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e . >&2
	@for stack in $(COMPARED); do \
	  $(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt \
	    -c tests/bench/constraints.txt $$stack >&2 || echo "Not installed, and left out: $$stack" >&2; done
	@touch $@

bench: $(BENCH)/.made  ## the measurements, on the real data, into docs/benchmarks.md
	@$(BENCH)/bin/python -m tests.bench --write

playground: $(PLAYGROUND)/.made  ## what the tests of Teams need from npm: Microsoft's playground and manifest schemas

$(PLAYGROUND)/.made: Makefile
	@command -v npm >/dev/null || { echo "Node.js and npm are needed for Microsoft's playground." >&2; exit 1; }
	@echo "Fetching Microsoft's playground and manifest schemas from npm, once..." >&2
	@npm install --prefix $(PLAYGROUND) --no-save --no-package-lock --no-audit --no-fund --loglevel=error $(FROM_NPM) >&2
	@touch $@

screenshots: $(DEV) playground  ## take the pictures in docs/images anew, in Chromium
	@mkdir -p docs/images
	@SCREENSHOTS=1 $(BIN)/python -m pytest tests/e2e/test_teams_browser.py
	@$(BIN)/python scripts/page_screenshots.py

constraints: $(DEV)  ## pin what is installed now
	@$(BIN)/python -m pip freeze --exclude-editable | grep -E '^[A-Za-z0-9_.-]+==' > constraints.txt

clean:
	@rm -rf $(VENV) $(BENCH) $(PLAYGROUND) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
