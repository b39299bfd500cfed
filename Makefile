# `make demo` and `make test` set everything up and do the work; a bare machine needs Python 3.11 and make.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
UV     := $(shell command -v uv 2>/dev/null || echo .tools/bin/uv)
READY  := $(VENV)/.ready

export UV_COMPILE_BYTECODE = 1

MARKED := slow or browser or postgres or spark

.PHONY: demo test test-marked test-all extras lint bench soak docs constraints clean

demo: $(READY)
	$(BIN)/assay demo

test: $(READY)
	$(BIN)/python -m pytest -q -n auto -m "not ($(MARKED))"

test-marked: $(READY)
	$(BIN)/python -m pytest -q -n auto -m "$(MARKED)"

test-all: test test-marked

extras: $(READY)
	$(UV) pip install --quiet --python $(BIN)/python --constraint constraints.txt --editable '.[lake,report]' --group lake --group spark

lint: $(READY)
	$(BIN)/ruff check src tests bench
	$(BIN)/ruff format --check src tests bench
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY)
	$(BIN)/python -m bench

soak: $(READY)
	ASSAY_SOAK=1 $(BIN)/python -m pytest -q -n auto tests/formats/test_fuzz.py
	ASSAY_SOAK=1 $(BIN)/python -m pytest -q -n auto -m slow
	$(BIN)/python -m bench.store
	$(BIN)/python -m bench.labelling
	$(BIN)/python -m bench.leading

docs: $(READY)
	$(BIN)/python docs/build.py

constraints: $(UV)
	$(UV) pip compile pyproject.toml --group dev --group lake --all-extras --universal --no-header --no-annotate --no-emit-index-url \
	    --no-emit-find-links --quiet --upgrade -o constraints.txt

clean:
	rm -rf $(VENV) .tools .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis

.tools/bin/uv:
	$(PYTHON) -m venv .tools
	.tools/bin/pip install --quiet uv

$(READY): pyproject.toml constraints.txt | $(UV)
	$(UV) venv --quiet --allow-existing --python $(PYTHON) $(VENV)
	$(UV) pip install --quiet --python $(BIN)/python --constraint constraints.txt --editable . --group dev
	touch $@
