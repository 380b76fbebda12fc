# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.PHONY: demo test lint unit slow coverage bench clean

demo: $(STAMP)
	$(BIN)/karat demo

test: lint unit

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[all,test,lint]'
	touch $@

lint: $(STAMP)
	$(BIN)/ruff check src tests benchmarks docs
	$(BIN)/mypy
	PYTHONPATH=src $(BIN)/lint-imports

unit: $(STAMP)
	$(BIN)/pytest -n auto

slow: $(STAMP)
	$(BIN)/pytest -m slow

coverage: $(STAMP)
	$(BIN)/pytest -m coverage -n auto

bench: $(STAMP)
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[bench]'
	$(BIN)/python benchmarks/run.py

clean:
	rm -rf $(VENV) karat-demo benchmarks/out
