# make run: install and open the explorer.   make test: everything that must pass before a commit.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
PYTEST := $(BIN)/python -m pytest

# Two pytest workers on two cores: no library may start a thread per core in each of them.
FEW_THREADS := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 NUMBA_NUM_THREADS=2
# Where compiled code is tested: once compiled, and once as the plain Python that it is.
KERNELS := tests/engine/structures/*/kernels tests/engine/dual/test_accurate.py tests/engine/dual/test_block_steps.py \
	tests/engine/test_compiled.py tests/engine/test_incidence.py
# What drives a browser stands here and nowhere else.
PAGES := tests/ui
# Servers, workers and test processes start sooner when what they import is compiled already.
export PYTHONDONTWRITEBYTECODE :=
# pytest says 5 when it collected nothing, which is not a failure here.
OR_NONE := || [ $$? -eq 5 ]

.DEFAULT_GOAL := run
.PHONY: run install test check versions bench speed format chromium clean

# What the first page needs is compiled before it opens, the rest behind it.
run: $(VENV)/.app
	$(BIN)/explorer serve --show

# Kernels are compiled beside the checks, before the tests: two pytest workers would each compile all of them.
test: install chromium
	$(BIN)/explorer warmup & warm=$$!; \
	$(MAKE) --no-print-directory check && \
	NUMBA_DISABLE_JIT=1 $(PYTEST) $(KERNELS) -m "not slow" $(OR_NONE); \
	checked=$$?; wait $$warm && exit $$checked
	$(FEW_THREADS) $(PYTEST) -n 2 -m "not slow" --ignore $(PAGES)
	$(PYTEST) -n 2 --dist loadfile -m "not slow" $(PAGES) $(OR_NONE)

check: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

# A plain install, on every Python of this machine with the newest packages, and once with the oldest allowed.
versions: install chromium
	$(BIN)/python -m tests.versions

# An hour on two cores; BENCH="letters --repeats 2" runs a part. The table of README.md is what this writes. Real data are read from the folder EXPLORER_DATA.
BENCH ?= all --minutes 55
bench: $(VENV)/.bench
	$(BIN)/explorer warmup
	$(BIN)/explorer bench $(BENCH) --readme README.md

# What is said of speed, as ratios; for a quiet machine.
speed: install chromium
	$(BIN)/explorer warmup
	$(PYTEST) -m slow tests/speed tests/ui/test_speed.py

format: install
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

chromium: install
	sh tests/chromium.sh

# Leaves .venv alone.
clean:
	rm -rf build dist *.egg-info .coverage .hypothesis .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
	find explorer tests -type d -name __pycache__ -prune -exec rm -rf {} +

install: $(VENV)/.test

$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	{ echo "The explorer needs Python 3.11 or newer: try  make PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)

# Stamps: installed again only when what is to be installed changed.
$(VENV)/.app: pyproject.toml constraints.txt | $(BIN)/pip
	$(PIP) install -c constraints.txt -e ".[app]"
	touch $@

$(VENV)/.test: pyproject.toml constraints.txt | $(BIN)/pip
	$(PIP) install -c constraints.txt -e ".[app,notebook,dev]"
	touch $@ $(VENV)/.app

$(VENV)/.bench: pyproject.toml constraints.txt | $(BIN)/pip
	$(PIP) install -c constraints.txt -e ".[bench]"
	touch $@
