# Chores. `make help` lists them. Everything runs in a virtual environment made here.
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q
SANITIZED := .venvs/sanitize
# Minimum percentage of lines and branches that the tests must cover.
COVERAGE := 90
# Whatever changes the installed package.
SOURCES := $(shell find core bindings src build_backend -type f \
             \( -name '*.?pp' -o -name '*.py' -o -name '*.json' -o -name '*.txt' \
             -o -name '*.css' -o -name '*.js' -o -name '*.toml' \) 2>/dev/null) \
           CMakeLists.txt pyproject.toml

.PHONY: help demo test test-long coverage lint types bench docs sanitize portable native-test stubs clean

help:  ## list the chores
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 14

$(BIN)/python:
	$(PYTHON) -m venv "$(VENV)"

# One stamp per set of extras.
$(VENV)/.installed-%: $(BIN)/python $(SOURCES)
	$(PIP) install ".[$*]"
	@touch "$@"

demo: $(VENV)/.installed-cli  ## install, then show a tree, compare methods on two generated tables and write a report
	$(BIN)/mixedwood demo

test: $(VENV)/.installed-test native-test  ## install, then run every test
	$(BIN)/python -m pytest -n auto

test-long: $(VENV)/.installed-test  ## every test with all of its cases, of which make test tries a part
	MIXEDWOOD_TESTS=long $(BIN)/python -m pytest -n auto -m "long or not long"

coverage: $(VENV)/.installed-coverage  ## every Python test, and how much of the library they run; fails below the threshold
	$(BIN)/python -m pytest -n auto --cov --cov-report=term:skip-covered --cov-fail-under=$(COVERAGE)

native-test: $(VENV)/.installed-test  ## tests of the core alone
	@mkdir -p build
	$(BIN)/cmake -S . -B build/native -DMIXEDWOOD_BINDINGS=OFF -DMIXEDWOOD_NATIVE_TESTS=ON \
	  -DCMAKE_BUILD_TYPE=Release > build/native.log || { cat build/native.log; exit 1; }
	$(BIN)/cmake --build build/native -j 2 > build/native.log || { cat build/native.log; exit 1; }
	build/native/core/tests/core_tests

# What compilers without vector types run, here with those that have them: every instruction set gives
# the same results. PORTABLE_CXX=clang++ makes portable builds with another compiler.
PORTABLE_CXX ?= c++
PORTABLE := build/portable-$(notdir $(PORTABLE_CXX))
portable: $(VENV)/.installed-test  ## native tests with each instruction set, and Python tests with kernels of plain loops
	@mkdir -p build
	for scalar in OFF ON; do \
	  $(BIN)/cmake -S . -B $(PORTABLE)-$$scalar -DCMAKE_CXX_COMPILER=$(PORTABLE_CXX) -DMIXEDWOOD_BINDINGS=OFF \
	    -DMIXEDWOOD_NATIVE_TESTS=ON -DMIXEDWOOD_SCALAR=$$scalar > build/portable.log && \
	  $(BIN)/cmake --build $(PORTABLE)-$$scalar -j 2 > build/portable.log || { cat build/portable.log; exit 1; }; \
	done
	for set in avx2 vector scalar; do MIXEDWOOD_SIMD=$$set $(PORTABLE)-OFF/core/tests/core_tests || exit 1; done
	$(PORTABLE)-ON/core/tests/core_tests
	MIXEDWOOD_SIMD=scalar $(BIN)/python -m pytest -n auto tests/optimal tests/linear tests/boosting tests/grow

lint: $(VENV)/.installed-lint  ## style of the Python code
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed-lint  ## static types
	$(BIN)/mypy

stubs: $(VENV)/.installed-test  ## write src/mixedwood/_core.pyi anew from the built module
	$(BIN)/python tools/make_stubs.py

bench: $(VENV)/.installed-test  ## speed of splits and how it grows, what auto gives, speed of reading
	$(BIN)/python benchmarks/split_speed.py --plot out/split_speed.png
	$(BIN)/python benchmarks/auto_rule.py --tables 10
	$(BIN)/python benchmarks/reading_speed.py

docs: $(VENV)/.installed-docs  ## run the gallery and build the documentation; warnings are errors
	$(BIN)/sphinx-build -W --keep-going -b html docs docs/_build/html

REACH_THE_CORE := tests/data tests/splits tests/grow tests/pruning tests/optimal tests/boosting tests/linear tests/explain \
                  tests/preprocessing tests/saving tests/cli tests/tree tests/test_docs.py
# A venv of its own: the module is instrumented, and the sanitizer must be loaded before Python.
sanitize: $(VENV)/.installed-test  ## ASan and UBSan: native tests, a long fuzz, and the Python tests that reach the core
	$(BIN)/cmake -S . -B build/sanitize -DMIXEDWOOD_BINDINGS=OFF -DMIXEDWOOD_NATIVE_TESTS=ON \
	  -DMIXEDWOOD_SANITIZE=ON -DCMAKE_BUILD_TYPE=RelWithDebInfo
	$(BIN)/cmake --build build/sanitize -j 2
	for set in avx2 vector scalar; do MIXEDWOOD_SIMD=$$set build/sanitize/core/tests/core_tests || exit 1; done
	build/sanitize/core/tests/core_fuzz 200000
	tools/check_sanitizer.sh build/sanitize/core/tests/planted_bugs
	$(PYTHON) -m venv "$(SANITIZED)"
	"$(SANITIZED)/bin/python" -m pip -q install ".[test]" \
	  -C cmake.define.MIXEDWOOD_SANITIZE=ON -C cmake.build-type=RelWithDebInfo \
	  -C build-dir=build/sanitize-module
	tools/run_sanitized.sh "$(SANITIZED)/bin/python" -m pytest -p no:cacheprovider -n auto $(REACH_THE_CORE)

clean:  ## remove everything that was built
	rm -rf build dist .venv .venvs docs/_build docs/gallery
