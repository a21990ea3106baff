# make demo   install into .venv and run a selection on real data
# make test   install with all that the tests need, and run those one waits for
# make test-marked  the others: simulations, endurance, a cluster, a browser; make test-all, all tests
# make lint   style, types and formatting; make types, the types alone
# make docs   the pages of the documentation, with the examples of the gallery run, into build/site
# make paper  the experiments of the paper, into build/paper; INFOSIFT_DATA is the folder of their data (docs/paper.md)
# make dist   source distribution and wheel, into dist
# make smoke  try the wheel in an environment of its own, without a compiler
# make sanitize     the tests of the kernel under AddressSanitizer and UndefinedBehaviorSanitizer
# make test-lowest  the tests with the oldest versions of what infosift needs

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml CMakeLists.txt README.md LICENSE \
           $(shell find src -name '*.py' -o -name '__init__.pyi' -o -name '*.cpp' -o -name '*.hpp' \
             -o -name '*.jinja' -o -name '*.bib' -o -path '*/report/page.*')

.PHONY: demo test test-marked test-all lint types docs paper dist smoke sanitize test-lowest clean
.DEFAULT_GOAL := demo

demo: $(VENV)/.installed
	@echo "==> infosift demo"
	@$(BIN)/infosift demo

# What takes long has a marker, and a small case without one.
MARKED := simulation or endurance or cluster or browser
PYTEST := $(BIN)/python -m pytest -n 2 --dist worksteal

test: $(VENV)/.installed-test
	@echo "==> tests, without those marked $(MARKED)"
	@$(PYTEST) -m "not ($(MARKED) or docs)" $(TESTS)

test-marked: $(VENV)/.installed-test
	@echo "==> tests marked $(MARKED)"
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || \
	  echo "Chromium is not installed: the tests of reports in a browser are skipped."
	@$(PYTEST) -m "$(MARKED)" $(TESTS)

test-all: test test-marked

lint: types
	@echo "==> ruff, clang-format"
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/clang-format --dry-run --Werror src/kernel/*

types: src/infosift/_kernel.pyi
	@echo "==> mypy"
	@$(BIN)/pip install --quiet --disable-pip-version-check $(shell sed -n 's/^lint = \[\(.*\)\]$$/\1/p' pyproject.toml | tr -d ',')
	@$(BIN)/mypy

docs: $(VENV)/.installed-test
	@echo "==> code in pages and docstrings"
	@$(PYTEST) -m docs $(TESTS)
	@echo "==> documentation, into build/site; the examples of the gallery take about two minutes"
	@$(BIN)/pip install --quiet --disable-pip-version-check $(shell sed -n 's/^docs = \[\(.*\)\]$$/\1/p' pyproject.toml | tr -d ',')
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict --site-dir build/site

PAPER := friedman sensitivity housing nitrogen census
paper: $(VENV)/.installed
	@echo "==> the experiments of the paper, into build/paper, which takes about an hour; INFOSIFT_DATA is the folder of their data"
	@for name in $(PAPER); do INFOSIFT_DATA="$(INFOSIFT_DATA)" $(BIN)/python -m studies $$name --out build/paper || exit; done

dist: | $(VENV)/.created
	@echo "==> source distribution and wheel, into dist"
	@rm -rf dist
	@$(BIN)/pip install --quiet --disable-pip-version-check build
	@$(BIN)/python -m build
	@$(BIN)/python .ci/contents.py dist

smoke:
	@ls dist/*.whl >/dev/null || { echo "There is no wheel to try: make dist builds one."; exit 1; }
	@echo "==> the wheel in an environment of its own, without a compiler"
	@rm -rf build/smoke
	@$(PYTHON) -m venv build/smoke
	@CC=false CXX=false build/smoke/bin/pip install --quiet --disable-pip-version-check --only-binary :all: dist/*.whl
	@cd build/smoke && env PATH=bin CC=false CXX=false bin/python ../../.ci/smoke.py

# What Python itself does not free is no news. A sanitized module needs the libraries of the sanitizers loaded first.
SANITIZED := tests/kernel tests/criteria tests/test_determinism.py
sanitize:
	@echo "==> compiling the kernel with sanitizers into build/sanitize"
	@$(PYTHON) -m venv build/sanitize
	@build/sanitize/bin/pip install --quiet --disable-pip-version-check ".[test]" \
	  --config-settings=cmake.define.INFOSIFT_SANITIZE=ON --config-settings=build-dir=build/sanitize/cmake
	@echo "==> tests of the kernel, with sanitizers"
	@LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libubsan.so) $$($(CXX) -print-file-name=libstdc++.so)" \
	  ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
	  build/sanitize/bin/python -m pytest -n 2 $(SANITIZED) $(TESTS)

# Old packages deprecate each other's newer versions, which is no news of ours.
test-lowest:
	@echo "==> installing infosift with the oldest versions of what it needs into build/lowest"
	@$(PYTHON) -m venv build/lowest
	@$(PYTHON) .ci/lowest.py plot excel test > build/lowest/oldest.txt
	@build/lowest/bin/pip install --quiet --disable-pip-version-check --constraint build/lowest/oldest.txt ".[test]"
	@echo "==> tests with the oldest versions"
	@PYTHONWARNINGS=ignore::DeprecationWarning build/lowest/bin/python -m pytest -n 2 -W ignore::DeprecationWarning $(TESTS)

# The stub is made with the kernel; mypy wants it beside the sources.
src/infosift/_kernel.pyi: $(VENV)/.installed-test
	@cp $(VENV)/lib/python*/site-packages/infosift/_kernel.pyi $@

$(VENV)/.installed: $(SOURCES) | $(VENV)/.created
	@echo "==> compiling the kernel and installing infosift into $(VENV), which takes about a minute"
	@$(BIN)/pip install --quiet --disable-pip-version-check ".[plot]"
	@touch $@

$(VENV)/.installed-test: $(SOURCES) | $(VENV)/.created
	@echo "==> compiling the kernel and installing infosift with the test tools into $(VENV), which takes about a minute"
	@$(BIN)/pip install --quiet --disable-pip-version-check ".[test]"
	@touch $@ $(VENV)/.installed

$(VENV)/.created:
	@command -v $(PYTHON) >/dev/null || \
	  { echo "infosift needs Python 3.11 or newer, and there is no $(PYTHON): install it, or name it with make PYTHON=…"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "infosift needs Python 3.11 or newer, and $(PYTHON) is $$($(PYTHON) -V): name a newer one with make PYTHON=…"; exit 1; }
	@printf '#if !__has_builtin(__builtin_shufflevector)\n#error\n#endif\nauto same = [] <class T>(T x) { return x; };' | \
	  $(CXX) -std=c++20 -x c++ -fsyntax-only - 2>/dev/null || \
	  { echo "infosift needs a C++20 compiler, and $(CXX) is too old or none: install g++ 12 or clang 12 or newer, or name one with make CXX=…"; exit 1; }
	@echo "==> creating a virtual environment in $(VENV)"
	@$(PYTHON) -m venv $(VENV) || \
	  { rm -rf $(VENV); echo "infosift needs Python's venv module: install it (on Debian and Ubuntu: apt install python3-venv)"; exit 1; }
	@touch $@

clean:
	rm -rf $(VENV) build dist src/infosift/_kernel.pyi
