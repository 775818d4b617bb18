# Two commands: `make lab` opens the lessons, `make test` proves them. `make help` lists the rest.
PYTHON ?= python3
PY := .venv/bin/python
LAB ?=
L ?=
ARGS ?=
JOBS ?= logical

.DEFAULT_GOAL := help
.PHONY: help lab test check exercises notebooks stamp tables images format reset-lesson env-lab env-test python clean

help: ## this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | awk -F '\t' '{ printf "  make %-14s %s\n", $$1, $$2 }'

lab: env-lab ## open the lessons in JupyterLab (LAB="--no-browser --port 8899" on a server; CPU=1 for torch without CUDA)
	@$(PY) -m tools.lab --lab '$(LAB)'

test: env-test ## run everything that CI runs (ARGS="-k masks" for a part, JOBS=0 in one process)
	$(PY) -m pytest -n $(JOBS) --maxprocesses 4 --dist loadscope --nbval --nbval-current-env --nbval-sanitize-with tests/nbval_sanitize.cfg \
	  --nbval-cell-timeout 120 --cov=tutorial_lib --cov-report=term --cov-fail-under=$(if $(ARGS),0,95) $(ARGS)

check: env-test ## sources and notebooks in step, house numbers, line budgets: executes nothing
	@$(PY) -m tools.house

exercises: env-test ## every exercise x mistake -> what the check says (ARGS="--lang ko" in Korean)
	@$(PY) -m tools.exercises $(ARGS)

notebooks: env-test ## build and execute the notebooks (L=01 for one lesson; NO_RUN=1 keeps the stored outputs)
	@$(PY) -m tools.build $(L) $(if $(NO_RUN),--no-run)

stamp: env-test ## this Korean cell follows its English cell again: L=01 CELL="name name"
	@$(PY) -m tools.build $(L) --stamp $(CELL)

tables: env-test ## run every method of lessons 09, 10, 11, 13 over the fixed seeds; write README's tables, in a quarter of an hour (L=09 for one)
	@$(PY) -m tools.tables $(L)

images: env-test ## draw the pictures of README
	@$(PY) -m tools.images

format: env-test ## format and mend the Python sources
	@$(PY) -m ruff check --quiet --fix --exit-zero . && $(PY) -m ruff format --quiet . && $(PY) -m ruff check .

reset-lesson: env-lab ## a fresh copy of one lesson in work/ (L=01); yours is kept beside it
	@$(PY) -m tools.lab --reset '$(L)'

clean: ## remove the environment and caches; work/ stays
	rm -rf .venv .pytest_cache .ruff_cache .hypothesis .coverage build *.egg-info

env-lab env-test: env-%: python
	@$(PYTHON) tools/bootstrap.py $* $(if $(CPU),--cpu)

python:
	@command -v $(PYTHON) >/dev/null || { echo "There is no $(PYTHON) here: install Python 3.10 or newer, or name it: make lab PYTHON=/path/to/python3"; exit 1; }
