# One command each. `make run` and `make test` set everything up by themselves.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
APP := $(VENV)/.app
READY := $(VENV)/.ready
# Most of what is installed is never loaded: Python compiles a module when it is, and keeps that.
unexport PYTHONDONTWRITEBYTECODE
# Memory that a picture took is kept for the next one: given back and asked for again, it is cleared page by page: 0.5 s of 10 s in tests of large pictures.
PYTEST := MALLOC_MMAP_THRESHOLD_=33554432 MALLOC_TRIM_THRESHOLD_=536870912 $(BIN)/pytest -n auto --dist worksteal
# What is installed is what the lock files say, by hash: uv does it in a quarter of the time that pip takes; where uv cannot be had, pip does.
PIP := $(BIN)/python -m pip install --disable-pip-version-check --no-compile
UV := $(BIN)/uv pip install --quiet --system-certs --python $(BIN)/python
# The program's lock, for a target that needs no more, with those of extras behind it.
define install_locked
$(UV) --require-hashes $(addprefix -r ,$(1)) || $(PIP) --require-hashes $(addprefix -r ,$(1))
endef
# The project itself, where its files lie. What builds it is locked with what it needs.
define install_project
$(UV) --no-deps --no-build-isolation -e . || $(PIP) --no-deps --no-build-isolation -e .
endef
LOCK := requirements.lock
LATEST := .venv-latest
SOURCES := calibration vision scorer webapp sample_images tests docs
# Pictures of something else are there for the tests: scoring one is exit code 1.
BOARDS := $(filter-out sample_images/stills/no_board%,$(wildcard sample_images/stills/*.jpg))

.PHONY: help setup lock audit run score format lint types test all-tests collected pytest chromium kernels physics-kernels tracker-kernels bench fuzz soak floors ratchet accuracy docs pictures matrix screens pages kills evening hall many messages schemas features size latest train train-analysis
.DEFAULT_GOAL := run

# The main targets; every other one has its comment in this file.
help:
	@echo "make          a sample round, refereed into a live scoreboard in the browser"
	@echo "make score    the sample pictures, with the calls drawn on them into out/"
	@echo "make test     format, lint, types and all tests"
	@echo "make format   the format of all files, put right"
	@echo "make bench    the time that a picture takes"
	@echo "make docs     the documentation as a site in out/site"
	@echo "make size     statements of the shipped code, with their budget"
	@echo "CONTRIBUTING.md describes the others."

setup: $(READY)

$(BIN)/python:
	@echo "Setting up $(VENV): a few minutes and 0.9 GB, once."
	$(PYTHON) -m venv $(VENV)
	-$(PIP) --quiet --require-hashes -r requirements-uv.lock

$(APP): pyproject.toml $(LOCK) | $(BIN)/python
	$(call install_locked,$(LOCK))
	$(install_project)
	touch $@

# All at once, and so with what the program itself needs.
$(READY): pyproject.toml $(LOCK) requirements-dev.lock | $(BIN)/python
	$(call install_locked,$(LOCK) requirements-dev.lock)
	$(install_project)
	touch $(APP) $@

# The newest versions that pyproject.toml allows, with their hashes, into the lock files.
lock: setup
	PYTHONPATH=tests/support $(BIN)/python tests/support/locks.py write

# Tries those newest versions in an environment of their own, and says what they break.
latest: chromium
	rm -rf $(LATEST)
	$(PYTHON) -m venv $(LATEST)
	$(LATEST)/bin/python -m pip install --disable-pip-version-check --quiet --upgrade uv setuptools
	$(LATEST)/bin/uv pip install --quiet --system-certs --python $(LATEST)/bin/python --no-build-isolation -e '.[dev]'
	touch $(LATEST)/.app $(LATEST)/.ready
	@$(MAKE) --keep-going VENV=$(LATEST) lint types pytest && has_passed=1; \
	echo "Versions beside those of the lock:"; \
	PYTHONPATH=tests/support $(LATEST)/bin/python tests/support/locks.py differences; \
	[ -n "$$has_passed" ] && echo "The newest versions pass: make lock takes them." \
	|| { echo "The newest versions break what is named above; the lock still holds."; exit 1; }

# Which of the locked versions have known weaknesses; needs a vulnerability service's answer.
audit: setup
	$(BIN)/uv tool run --system-certs pip-audit --disable-pip $(addprefix -r ,$(wildcard requirements*.lock))

# A sample round, refereed into a live scoreboard in the browser.
run: $(APP)
	$(BIN)/crokinole demo

# The sample pictures, with the calls drawn on them into out/.
score: $(APP)
	$(BIN)/crokinole score $(BOARDS) --overlay out

format: setup
	$(BIN)/ruff format $(SOURCES)
	$(BIN)/ruff check --fix --select I $(SOURCES)

lint: setup
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/lint-imports

types: setup
	$(BIN)/mypy

# What does not need the other is done side by side, and the tests are spread over the cores. Types are checked while the first tests run: some of those wait.
test:
	$(MAKE) -j2 setup chromium
	$(MAKE) -j2 lint physics-kernels tracker-kernels collected
	$(MAKE) -j2 types all-tests

all-tests:
	$(PYTEST)

# The tests' modules, compiled once, while the kernels are: else each of pytest's processes does it at the same time.
collected: setup
	@$(BIN)/pytest -n 0 --collect-only -qq >$(VENV)/collected.txt || { cat $(VENV)/collected.txt; exit 1; }

pytest: setup chromium kernels
	$(PYTEST)

# The tests on every version of Python that is supported and at hand.
matrix:
	@for version in 3.11 3.12 3.13; do \
	python$$version --version >/dev/null 2>&1 || { echo "No python$$version: left out."; continue; }; \
	$(MAKE) VENV=.venv-$$version PYTHON=python$$version test || exit 1; done

# Physics and tracker, compiled once, so that no two tests compile them at the same time.
kernels: physics-kernels tracker-kernels

physics-kernels: setup
	$(BIN)/python -m scorer.physics.compile

# What `crokinole watch` loads is compiled with them: where Python may not keep what it compiles, that would take a third of a second each time.
tracker-kernels: setup
	$(BIN)/python -m vision.track.kernels.compile
	$(BIN)/python -c 'import av, webapp.cli.main, webapp.cli.commands.watch, webapp.formats.event'

# The browser of the browser tests, which are skipped where there is none and none can be installed.
APT := DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::Retries=0 -o Acquire::http::Timeout=20
chromium:
	@[ -n "$$CROKINOLE_CHROMIUM" ] || command -v chromium-headless-shell >/dev/null \
	|| { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && $(APT) update \
	&& for each in chromium-headless-shell chromium; do \
	$(APT) install -y --no-install-recommends $$each >/dev/null 2>&1 && exit; done; } \
	|| command -v chromium >/dev/null || echo "No chromium: the browser tests will be skipped."

# Pictures of every page, on a phone and on a desk, into out/screens.
screens: setup chromium
	CROKINOLE_SCREENS=1 $(BIN)/pytest -n auto tests/browser

# Every page in every language, on a phone and a desk, light and dark: axe's faults, width, and what a page costs.
pages: setup chromium
	PYTHONPATH=$(CURDIR):$(CURDIR)/tests/support $(BIN)/python tests/browser/audit_pages.py

bench: setup
	$(BIN)/crokinole bench

# Statements of the shipped code by room, beside the budget of each.
size:
	@$(PYTHON) tests/size/count_statements.py

# Brings the catalogues up to the pages: texts that are new stand there to be translated.
messages: setup
	$(BIN)/python tests/support/message_extraction.py

# The published JSON schemas, from the models of the forms.
schemas: setup
	$(BIN)/python tests/support/write_schemas.py

# The list of every command, page, route, event and JSON field; it drops nothing by itself.
features: setup
	PYTHONPATH=$(CURDIR):$(CURDIR)/tests/support $(BIN)/python tests/support/feature_list.py

# The documentation as a site in out/site, without a network; every link is checked.
docs: setup
	$(call install_locked,$(LOCK) requirements-docs.lock)
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	@echo "Open out/site/index.html"

# The pictures of README and documentation, from the sample pictures and clips and from pages in a browser.
pictures: setup
	cd docs && for each in make_figures make_plots make_pictures make_screens; do PYTHONPATH=.. ../$(BIN)/python $$each.py || exit 1; done

# Sends in what nobody should, for MINUTES: every way in, crashes, hangs, failures and memory counted.
MINUTES ?= 60
fuzz: setup kernels
	PYTHONPATH=$(CURDIR):$(CURDIR)/tests/support:$(CURDIR)/tests/fuzz $(BIN)/python tests/fuzz/run.py --minutes $(MINUTES)

# A tournament's trouble: play, spectators, pictures, random kills; a table of what was lost.
soak: setup
	PYTHONPATH=$(CURDIR) $(BIN)/python tests/soak/soak.py --minutes $(MINUTES)

# Kills a server, KILLS times, while programs write; DB=postgresql for a server of one's own, killed too.
KILLS ?= 1000
kills: setup
	$(if $(DB),$(call install_locked,$(LOCK) requirements-postgres.lock))
	PYTHONPATH=$(CURDIR) $(BIN)/python tests/soak/kills.py --kills $(KILLS) $(if $(DB),--db $(DB))

# A club's evening in a real browser, with the server killed in the middle; standings beside an independent computation.
evening: setup chromium
	PYTHONPATH=$(CURDIR) $(BIN)/python tests/soak/evening.py

# Swiss tournaments, COUNT with each way to rank: unbeaten kept apart, avoidable rematches and byes, wrong tables.
.PHONY: swiss
COUNT ?= 1000
swiss: setup
	PYTHONPATH=$(CURDIR) $(BIN)/python tests/support/simulated_swiss.py --count $(COUNT)

# Pages and routes of a server with 100,000 matches: median and worst time of each.
many: setup
	PYTHONPATH=$(CURDIR) $(BIN)/python tests/soak/many.py

# Floods of each kind and all at once, from one address and from 200: what others notice.
.PHONY: flood
flood: setup
	PYTHONPATH=$(CURDIR) $(BIN)/python tests/soak/flood.py

# A hall on a PostgreSQL server of its own, from few boards to many: two servers, workers, spectators, and kills in the middle.
BOARDS_IN_HALL ?= 5 20 50
hall: setup
	$(call install_locked,$(LOCK) requirements-postgres.lock)
	PYTHONPATH=$(CURDIR) $(BIN)/python tests/soak/hall.py --boards $(BOARDS_IN_HALL)

# Measures every collection that is present, and makes the tables of docs/accuracy.md and README.
accuracy: setup
	PYTHONPATH=$(CURDIR):$(CURDIR)/tests $(BIN)/python docs/make_accuracy.py

# Holds accuracy to its floors on all of every collection that is present, before a change is merged; the tests hold a part.
floors: setup
	PYTHONPATH=$(CURDIR)/tests $(BIN)/python -m bench.accuracy_floors --check

# Raises the accuracy floors to what is reached now; never lowers one: that takes a row in docs/accuracy.md.
ratchet: setup
	PYTHONPATH=$(CURDIR)/tests $(BIN)/python -m bench.accuracy_floors

# Trains the detector again on boards and holes that it draws: one night on two cores, 20 minutes on a GPU. It needs the extra `train`.
SECONDS := 14000
train: setup
	$(BIN)/python -c "import torch, onnx" || $(PIP) -e '.[train]'
	$(BIN)/python -m sample_images.train_detector.train out/detector --seconds $(SECONDS)
	OMP_NUM_THREADS=1 $(BIN)/python -m sample_images.train_detector.train_hole out/detector --seconds $(SECONDS)
	$(BIN)/python -m sample_images.train_detector.export_onnx out/detector out/detector --temperature 0.9

# Trains the value of a position again by self-play, in less than an hour on two cores. Weights that do better: scorer/analysis/value.npz.
train-analysis: setup
	OMP_NUM_THREADS=1 $(BIN)/python -m sample_images.train_analysis.train out/analysis
