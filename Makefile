# make demo, make test: each sets up .venv by itself, with only Python 3.11+, pip and make on the machine.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready

.PHONY: setup demo test lint format types bench results readme-tables recompile clean

setup: $(STAMP)

$(STAMP): pyproject.toml Makefile
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check "torch==2.13.0" -e ".[train,bench,cluster,web,dev]"
	$(BIN)/python -m ganzzle.warming
	touch $(STAMP)

demo: setup
	$(BIN)/ganzzle demo

test: setup
	$(BIN)/pytest -n 2

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: setup
	$(BIN)/mypy

bench: setup
	$(BIN)/python -m benchmarks

# All numbers of results/ and the README, from the test shards in GANZZLE_DATA; what is solved already is not solved again.
results: setup
	$(BIN)/ganzzle bench all --workers 2
	$(BIN)/python -m ganzzle.bench.readme README.md results

readme-tables: setup
	$(BIN)/python -m ganzzle.bench.readme README.md results

# After a change in a kernel that others call: numba looks only at a kernel's own file.
recompile: setup
	find src -name "*.nb[ci]" -delete
	$(BIN)/python -m ganzzle.warming

clean:
	rm -rf $(VENV) demo
