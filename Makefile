# One obvious entry each for run, test, lint. Everything they need is set up on the way.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
# `make run EXTRAS=dev` leaves torch out: planning works, the benchmark then runs in another Python of yours.
EXTRAS ?= dev,torch

.PHONY: run demo test lint bench presets package package-smoke clean

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

# A folder with both programs that needs no Python: dist/gpu-planner (half a minute).
package: $(STAMP)
	$(BIN)/pip install -q -c constraints.txt -e '.[package]'
	$(BIN)/python -m PyInstaller packaging/gpu_planner.spec --distpath dist --workpath build/pyinstaller --noconfirm --log-level ERROR

# Starts what `make package` built, the window included, and looks at its size, its licences and the wheel.
package-smoke: package
	$(BIN)/python packaging/smoke.py
	$(BIN)/python packaging/smoke_wheel.py

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "GPU Planner needs Python 3.11 or newer; set PYTHON=/path/to/python3")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --upgrade pip
	$(BIN)/pip install -q -c constraints.txt -e '.[$(EXTRAS)]'
	@touch $@

clean:
	rm -rf $(VENV) build dist
