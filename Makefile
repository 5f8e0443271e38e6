# One obvious entry each for run, test, lint. Everything they need is set up on the way.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
# `make run EXTRAS=dev` leaves torch out: planning works, the benchmark then runs in another Python of yours.
EXTRAS ?= dev,torch

.PHONY: run demo test lint bench presets clean

run: $(STAMP)
	$(BIN)/gpu-planner

demo: $(STAMP)
	$(BIN)/gpu-planner --demo

test: $(STAMP)
	$(BIN)/python -m pytest

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(STAMP)
	$(BIN)/python -m pytest -o addopts= --benchmark-only

# Rebuilds resources/presets from the real models (torch, timm, transformers; minutes).
presets: $(STAMP)
	$(BIN)/pip install -q -c constraints.txt -e '.[trace]'
	$(BIN)/python -m planner.workload.trace.build_presets

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "GPU Planner needs Python 3.11 or newer; set PYTHON=/path/to/python3")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --upgrade pip
	$(BIN)/pip install -q -c constraints.txt -e '.[$(EXTRAS)]'
	@touch $@

clean:
	rm -rf $(VENV) build dist
