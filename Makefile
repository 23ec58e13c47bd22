# Two commands are all a newcomer needs: make demo, make test.
SHELL := /bin/bash
.DEFAULT_GOAL := help

ITERATIONS ?= 200000
# Tests at once: eight a core.
WIDTH ?= $(shell echo $$(( 8 * $$(nproc) )))
TESTED = scripts/test $(if $(STRICT),--strict)
AT_ONCE = --experimental-maximum-parallelization-width $(WIDTH)

.PHONY: help setup build products demo demo-2013 deb docs test-deb test units roads steady check format bench fuzz sanitize soak vm clean

help: ## Shows what can be made
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: ## Installs the Debian packages Martlet needs; does nothing when they are there
	@scripts/setup

build: setup ## Builds everything, tests included
	@scripts/build

products: setup
	@scripts/build --products

demo: products ## Server, device agent and Landmarks, live in the foreground; ONCE=1 runs it unattended and checks each step
	@scripts/demo $(if $(ONCE),--once)

demo-2013: products ## The same with PageViewer, an app of 2013 that knows user defaults alone
	@scripts/demo-2013 $(if $(ONCE),--once)

deb: setup ## Debian packages of server, agent and command line in dist/, as released (MARTLET_BINARIES=… takes built ones)
	@scripts/setup binutils dpkg-dev
	@scripts/deb

docs: setup ## The guides and the libraries' reference as a static site in .build/docs/site
	@scripts/docs

test-deb: setup ## Those of the debug build, installed, used, upgraded, removed and purged under a systemd of their own
	@[[ $$EUID -ne 0 ]] || scripts/setup binutils curl dpkg-dev lintian systemd-container
	@scripts/build --products
	@scripts/test-deb

# First what is tested in this process, then the built programs: together they would only wait for one another.
# The bounds (seconds) are far above what the tests take: a test that hangs is a failure, not a long run. What failed is
# named once more at the end, and what passes when it is tried again, alone, is named as unsteady; STRICT=1 tries nothing again.
test: build ## Runs every quick test
	@$(MAKE) --no-print-directory units roads

units: ## What is tested in the tests' own process; of what was built before
	@$(TESTED) 1500 swift test --skip-build --skip EndToEndTests $(AT_ONCE)

roads: ## The built programs, end to end; of what was built before
	@$(TESTED) 1800 swift test --skip-build --filter EndToEndTests $(AT_ONCE)

steady: build ## Repeats units and roads beside two busy processes and lists the tests that fail now and then (RUNS=n)
	@scripts/steady --runs $(or $(RUNS),5)

check: setup ## Format, imports, traps over data, uses of the demo, links in the documentation and the guides as docc has them, secrets in user defaults
	swift format lint --strict --recursive --parallel Package.swift Sources Tests Examples Benchmarks
	scripts/check-imports
	scripts/check-traps Sources
	scripts/check-demo
	scripts/check-docs
	scripts/docs --check
	scripts/check-defaults Sources Examples Benchmarks

format: ## Formats the sources in place
	swift format --in-place --recursive --parallel Package.swift Sources Tests Examples Benchmarks

bench: setup ## Measures, and writes docs/performance.md's tables to bench/results.md, bench/apps.md and bench/admin.md
	@scripts/bench
	@scripts/bench-apps
	@scripts/bench-admin
	@scripts/bench-strangers .build-release/release

fuzz: setup ## Longer fuzzing of each entrance: app package, property list, CMS, SCEP, OCSP, ACME, JSON, Varlink, HTTP (ITERATIONS=n)
	@scripts/build
	@scripts/fuzz $(ITERATIONS)

sanitize: setup ## The entrances' tests under the address and thread sanitizers, in build folders of their own
	@scripts/sanitize

soak: build ## At full length, as released: crashes at every write of the stores, a fleet of 2,000, hostile input
	@scripts/soak

vm: build ## On Debian 12's own kernel, in an emulated machine: isolation, trust and fs-verity as that has them
	@scripts/vm

clean: ## Removes what was built
	rm -rf .build .build-release .build-static .build-address .build-thread .demo dist
