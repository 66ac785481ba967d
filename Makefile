# Every target installs what it needs: the virtual environment, the locked dependencies and Windlass itself.
# Only Python 3.11 or newer, git, make and a compiler must be installed. Node.js is used if it is installed.

.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
# Tests start Windlass hundreds of times; without cached bytecode each start would compile it again.
unexport PYTHONDONTWRITEBYTECODE

VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.installed
TOOLS  := $(VENV)/.installed-dev
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet
LOCKED := --quiet --no-header --generate-hashes --no-emit-index-url
WORKERS ?= 2
GALLERY_PORT ?= 8082
PYTEST := $(BIN)/pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

# The first of these that is Python 3.11 or newer and can create virtual environments; override with PYTHON=…
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3.14 python3 python; do \
	command -v $$p >/dev/null 2>&1 && \
	$$p -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && \
	echo $$p && break; done)

.PHONY: help tools ui ui-build ui-files gallery wheel demo test test-frameworks test-kfp-versions test-databases soak-gangs fuzz lint format bench bench-node bench-training bench-scheduler bench-http bench-gateway bench-limits bench-install bench-dashboard bench-pipelines lock clean kubectl egress busybox cgroups mpi chromium chinese-font slapd registry databases

help: ## Show this list.
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 24

$(READY): requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "error: no Python 3.11 or newer with venv. On Debian: apt-get install python3-venv" >&2; exit 1; }
	@test -x $(BIN)/python || { echo "Making $(VENV) with $(PYTHON) ..."; $(PYTHON) -m venv $(VENV); }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(BIN)/python -m ensurepip --upgrade >/dev/null
	@echo "Installing the locked dependencies ..."
	@$(PIP) install --require-hashes -r requirements.lock
	@WINDLASS_WITHOUT_UI=1 $(PIP) install --no-deps -e .
	@touch $@

$(TOOLS): $(READY) requirements-dev.lock
	@echo "Installing the development dependencies ..."
	@$(PIP) install --require-hashes -r requirements-dev.lock
	@touch $@

tools: $(TOOLS)

ui-build: $(READY) ## Build the dashboard into ui/dist, with Node from the PATH or from PyPI.
	@$(BIN)/python tools/ui_build.py

# Where npm cannot reach its registry, everything but the dashboard works.
ui-files: $(READY)
	@$(BIN)/python tools/ui_build.py --optional

ui: $(READY) ## Serve the dashboard with hot reload, against the Windlass at WINDLASS_URL (http://127.0.0.1:8080).
	@$(BIN)/python tools/ui_build.py --serve

gallery: $(READY) ## Build the gallery of the dashboard's components into ui/gallery-dist, and serve it.
	@$(BIN)/python tools/ui_build.py --gallery
	@echo "The gallery is at http://127.0.0.1:$(GALLERY_PORT)/gallery.html until Ctrl-C."
	@$(BIN)/python -m http.server --bind 127.0.0.1 --directory ui/gallery-dist $(GALLERY_PORT)

wheel: ui-build ## Build the wheel, with the dashboard in it, into dist/.
	@WINDLASS_WITH_UI=1 $(PIP) wheel --no-deps --wheel-dir dist .

screenshots: $(TOOLS) ui-build chromium chinese-font kubectl ## Take the pictures of the documentation (docs/images) and of every screen (.make/screenshots).
	@DOCS_IMAGES=docs/images $(BIN)/pytest tests/e2e/dashboard/test_screens.py

demo: $(READY) ui-files ## Start a temporary Windlass and train on it.
	@$(BIN)/windlass demo

test: $(TOOLS) ui-files kubectl egress busybox mpi chromium chinese-font slapd registry ## Run the tests (ARGS="-k name" narrows them).
	@$(PYTEST) -m "not frameworks and not kfp_versions" $(ARGS)

test-frameworks: $(TOOLS) kubectl ## Run the tests that train with the heavy frameworks.
	@$(PYTEST) -m frameworks $(ARGS)

test-kfp-versions: $(TOOLS) kubectl ## Run the sample pipelines with many versions of the kfp SDK.
	@$(PYTEST) -m kfp_versions tests/e2e/pipelines $(ARGS)

test-databases: $(TOOLS) databases ## Test the history of pipelines on PostgreSQL and MariaDB too.
	@TEST_DATABASES=1 $(PYTEST) tests/apps/pipelines/rows $(ARGS)

fuzz: $(TOOLS) ## Send FUZZ_REQUESTS (500000) slightly invalid requests to a whole platform, and hostile ones to its gateway; FUZZ_SEED repeats a run.
	@$(BIN)/python -m tests.fuzz
	@$(BIN)/python -m tests.fuzz.gateway

soak-gangs: $(TOOLS) ## Kill the server within many commits of gangs, until 1,000 have been acknowledged.
	@GANG_COMMITS=$${GANG_COMMITS:-1000} $(BIN)/pytest tests/e2e/test_gang_crash.py $(ARGS)

lint: $(TOOLS) ## Check format, style, layers and types, of the dashboard too.
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/lint-imports
	@$(BIN)/pyright
	@$(BIN)/python tools/ui_build.py --optional --run check

format: $(TOOLS) ## Format the code.
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: $(TOOLS) ## Measure the API server against a bare handler.
	@$(BIN)/python -m benchmarks.api

bench-node: $(TOOLS) ## Measure pods against the same processes under unshare.
	@$(BIN)/python -m benchmarks.node

bench-training: $(TOOLS) ## Measure training jobs against plain pods, and training against torchrun by hand.
	@$(BIN)/python -m benchmarks.training

# Some tests need programs that pip cannot install. If they are missing, these tests are skipped by name.
APT_INSTALL = RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends
# Installs Debian's package $(3) where the command $(1) fails; $(2) is what is missing then.
define package
	@if ! { $(1); } >/dev/null 2>&1 && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
		echo "Installing $(2) (Debian's $(3)) ..."; \
		{ $(APT_INSTALL) $(3) || { apt-get update -qq && $(APT_INSTALL) $(3); }; } >/dev/null 2>&1 || \
			echo "$(2) could not be installed; what needs it is left out."; \
	fi
endef
program = $(call package,command -v $(1),$(1),$(2))

kubectl:
	$(call program,kubectl,kubernetes-client)

egress:
	$(call program,pasta,passt)
	$(call program,slirp4netns,slirp4netns)

# The shell of busybox and alpine images.
busybox:
	$(call program,busybox,busybox)

# Not with systemd, where the package would enable a server that starts at every boot.
mpi:
	$(call program,mpirun,openmpi-bin python3-mpi4py)
	$(call program,mpiexec.hydra,mpich)
	$(if $(wildcard /run/systemd/system),,$(call program,sshd,openssh-server))

chromium:
	$(call program,chromium,chromium)

# Without one, pictures of pages in Chinese show boxes.
chinese-font:
	$(call package,fc-list :lang=zh | grep . || test -e /usr/share/fonts/truetype/wqy,a Chinese font,fonts-wqy-microhei)

# Not with systemd either: see mpi.
slapd:
	$(if $(wildcard /run/systemd/system),,$(call program,slapd,slapd))

registry:
	$(if $(wildcard /run/systemd/system),,$(call program,docker-registry,docker-registry))

databases:
	$(call program,pg_ctlcluster,postgresql)
	$(call program,mariadbd,mariadb-server)

cgroups: $(TOOLS) ## Test limits on a kernel that has cgroups v2 (User Mode Linux, 40 MB).
	$(call program,linux.uml,user-mode-linux)
	$(call program,insmod,kmod)
	@$(PYTEST) tests/node/runtimes/cgroups $(ARGS)

bench-scheduler: $(TOOLS) ## Measure the scheduler: its core at 5,000 nodes, through the API, beside pending pods, and the quality of its decisions.
	@$(BIN)/python -m benchmarks.scheduler.core
	@$(BIN)/python -m benchmarks.scheduler.api
	@$(BIN)/python -m benchmarks.scheduler.restart
	@$(BIN)/python -m benchmarks.scheduler.pending
	@$(BIN)/python -m benchmarks.scheduler.quality

bench-http: $(TOOLS) ## Measure a proxy on aiohttp.web and on Starlette against direct requests to the backend.
	@$(BIN)/python -m benchmarks.http_stacks

bench-install: $(TOOLS) wheel kubectl ## Measure a fresh installation: disk, the first job, stopping and starting again.
	@$(BIN)/python -m benchmarks.install "$$(ls -t dist/windlass-*.whl | head -1)"

bench-gateway: $(TOOLS) kubectl ## Measure the gateway against direct requests to the same backend.
	@$(BIN)/python -m benchmarks.gateway

bench-limits: $(TOOLS) kubectl ## Measure what 200 stopped notebooks and 10,000 sessions cost.
	@$(BIN)/python -m benchmarks.gateway.limits

bench-dashboard: $(TOOLS) ui-files chromium ## Measure what open pages of the dashboard cost, and how quick they are.
	@$(BIN)/python -m benchmarks.dashboard

bench-pipelines: $(TOOLS) ## Measure pipelines against kfp.local in the same run.
	@$(BIN)/python -m benchmarks.pipelines

lock: $(TOOLS) ## Choose the newest allowed dependencies and lock them.
	@test -x $(BIN)/uv || $(PIP) install uv
	@$(BIN)/uv pip compile $(LOCKED) --upgrade pyproject.toml -o requirements.lock
	@$(BIN)/uv pip compile $(LOCKED) --upgrade -c requirements.lock --group dev pyproject.toml -o requirements-dev.lock

clean: ## Remove everything that the other targets created.
	@rm -rf $(VENV) .make .pytest_cache .ruff_cache .hypothesis .import_linter_cache dist build ui/dist ui/gallery-dist ui/node_modules
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
