# The two commands of a newcomer: `make demo` and `make test`.
#
# Both need only Python 3.11 or newer (with its venv module), git and make, and leave everything in
# this folder: .venv/ (the environment) and .demo/ (the demo's own configuration, state and logs).
#
#   PYTHON=python3.13   another interpreter        STRICT=1   a missing part of the system fails tests
#   PORT=4700           another port of the demo   ARGS=...   more arguments of pytest
#   VENV=/tmp/venv      another environment

PYTHON ?= python3
VENV ?= .venv
PORT ?= 4653
STRICT ?=
ARGS ?=

SHELL := /bin/sh
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
VERSION := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)

# Stamps: an environment was made (for one version of Python), it can run, it can also test.
MADE := $(VENV)/.made-$(VERSION)
RUNS := $(VENV)/.runs
TESTS := $(VENV)/.tests

define WELCOME

Paste these into a second terminal, one after the other.

  One question, streamed, in OpenAI's dialect:
    curl -sN 127.0.0.1:$(PORT)/v1/chat/completions -d '{"model":"demo/demo-model","stream":true,"messages":[{"role":"user","content":"hello"}]}'

  The same model in Anthropic's dialect:
    curl -s 127.0.0.1:$(PORT)/v1/messages -d '{"model":"demo/demo-model","max_tokens":20,"messages":[{"role":"user","content":"hello"}]}'

  Eight at once. Two are served at a time and six in a minute; the others wait, and none fails:
    for i in 1 2 3 4 5 6 7 8; do curl -s -o /dev/null -w "$$i: HTTP %{http_code}, first byte after %{time_starttransfer} s\n" 127.0.0.1:$(PORT)/v1/chat/completions -d '{"model":"demo/demo-model","stream":true,"messages":[{"role":"user","content":"hello"}]}' & done; wait

Who waits, meanwhile: HOLDGATE_HOME=.demo $(BIN)/gateway status
Ctrl-C ends the demo.

endef
export WELCOME

.PHONY: help demo test lint clean

help:
	@echo "make demo    run the gateway with a built-in scripted vendor: no key, no network"
	@echo "make test    run all checks: ruff, mypy, import-linter, pytest (STRICT=1: see tests/conftest.py)"
	@echo "make lint    the same without pytest"
	@echo "make clean   remove the environment, the demo's folder and all caches"

demo: $(RUNS)
	@printf '%s\n' "$$WELCOME"
	@exec env -u HOLDGATE_CONFIG HOLDGATE_HOME="$(CURDIR)/.demo" $(BIN)/gateway serve --demo --port $(PORT)

test: $(TESTS)
	@tools/check.sh $(BIN) tests $(if $(filter-out 0,$(STRICT)),--strict-system) $(ARGS)

lint: $(TESTS)
	@tools/check.sh $(BIN) lint

clean:
	@rm -rf $(VENV) .demo .coverage htmlcov dist build .mypy_cache .ruff_cache .pytest_cache \
	  .hypothesis .import_linter_cache
	@find cli core tray icons tests -name __pycache__ -type d -prune -exec rm -rf {} +

# An environment that make itself made is made anew when pyproject.toml changes; one that was there
# before is kept, and only installed into.
$(MADE): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "Holdgate needs Python 3.11 or newer; $(PYTHON) is $(or $(VERSION),not found)." >&2; \
	  echo "Name another one: make $(MAKECMDGOALS) PYTHON=python3.13" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "$(PYTHON) has no venv module. On Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	@if ls $(VENV)/.made-* >/dev/null 2>&1 || ! [ -x $(BIN)/pip ]; then \
	  echo "== environment: $(VENV), Python $(VERSION)"; \
	  $(PYTHON) -m venv --clear $(VENV) && $(PIP) install --upgrade pip; fi
	@touch $@

$(RUNS): $(MADE)
	@echo "== installing holdgate"
	@$(PIP) install --editable '.[speed]' 2>/dev/null || { \
	  echo "== no faster event loop for this system; going on without"; \
	  $(PIP) install --editable .; }
	@touch $@

# `--group` needs pip 25.1.
$(TESTS): $(MADE)
	@tools/system-packages.sh
	@echo "== installing holdgate with all that its tests need (about a minute)"
	@$(PIP) install --upgrade 'pip>=25.1'
	@$(PIP) install --editable '.[speed,keyring,tray]' --group dev
	@$(PIP) install --group desktop >/dev/null 2>&1 || \
	  echo "== no PyGObject for this system: the tests of the tray icon are left out"
	@touch $(RUNS) $@
