# `make` prints the menu. Everything lives in .venv; nothing is installed elsewhere.

SHELL := bash
PROFILE ?= lab
SEED ?= 0
# Optional: the index of torch's CPU builds, to avoid the CUDA build that Linux x86-64 gets otherwise.
TORCH_INDEX ?=
# Optional: further words for `tvlab reproduce`, such as ARGS="--fresh" or ARGS="--only 05".
ARGS ?=
STAMP := .venv/.tvlab-installed
BIN := .venv/bin

.DEFAULT_GOAL := help
.PHONY: help reproduce test test-all test-slow lab figures docs lint clean install

help:
	@echo "tvlab: targets"
	@echo "  make reproduce   run every notebook headlessly (PROFILE=$(PROFILE): smoke, lab, full), then a summary"
	@echo "  make test        the tests: under 12 minutes on 2 cores after the installation"
	@echo "  make test-all    the same, then the slow tests"
	@echo "  make lab         open JupyterLab on notebook 00, the overview"
	@echo "  make figures     make figures and tables again from stored results"
	@echo "  make docs        make the pages in site/: docs/, the reference from docstrings, executed notebooks"
	@echo "  make lint        ruff and mypy"
	@echo "  make clean       remove .venv, workspace/ and caches (results and figures stay)"
	@echo "The first target that needs .venv makes it and says how much it downloads."
	@echo "Variables: PROFILE, SEED, PYTHON (3.11 or 3.12), TORCH_INDEX (index of torch's CPU builds), ARGS."

$(BIN)/python:
	@python="$$(bash scripts/find_python.sh $(PYTHON))" && echo "Making .venv with $$python" && "$$python" -m venv --clear .venv

$(STAMP): pyproject.toml | $(BIN)/python
	@bash scripts/download_size.sh "$(TORCH_INDEX)"
	@$(if $(TORCH_INDEX),$(BIN)/python -m pip install --no-input --disable-pip-version-check --quiet \
		--index-url "$(TORCH_INDEX)" "torch==2.13.0")
	@echo "Installing into .venv; this takes one to five minutes."
	@$(BIN)/python -m pip install --no-input --disable-pip-version-check --quiet -e ".[dev]"
	@touch $(STAMP)
	@echo "Installed."

install: $(STAMP)

reproduce: $(STAMP)
	@$(BIN)/tvlab reproduce --profile $(PROFILE) --seed $(SEED) $(ARGS)

test: $(STAMP)
	$(BIN)/python -m pytest $(ARGS)

test-slow: $(STAMP)
	$(BIN)/python -m pytest -m "slow and not gpu" $(ARGS)

test-all: test test-slow

lab: $(STAMP)
	$(BIN)/python -m jupyterlab --ServerApp.root_dir=. --LabApp.default_url=/lab/tree/notebooks/00_overview.ipynb

figures: $(STAMP)
	@$(BIN)/tvlab figures --profile $(PROFILE)

docs: $(STAMP)
	$(BIN)/python scripts/reference_pages.py
	$(BIN)/tvlab figures --gallery docs/gallery
	$(BIN)/python -m mkdocs build --quiet
	@echo "Pages in site/index.html, executed notebooks in site/gallery/index.html"

lint: $(STAMP)
	$(BIN)/python -m ruff check .
	$(BIN)/python -m mypy

clean:
	rm -rf .venv workspace .pytest_cache .ruff_cache .mypy_cache .hypothesis build *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
