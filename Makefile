# make demo   install into .venv and run a selection on real data
# make test   install with all that the tests need, and run them
# make lint   style, types and formatting

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml CMakeLists.txt README.md LICENSE \
           $(shell find src -name '*.py' -o -name '*.pyi' -o -name '*.cpp' -o -name '*.hpp')

.PHONY: demo test lint clean
.DEFAULT_GOAL := demo

demo: $(VENV)/.installed
	@echo "==> infosift demo"
	@$(BIN)/infosift demo

test: $(VENV)/.installed-test
	@echo "==> tests"
	@$(BIN)/python -m pytest -n 2 $(TESTS)

lint: $(VENV)/.installed-test
	@echo "==> ruff, mypy, clang-format"
	@$(BIN)/pip install --quiet --disable-pip-version-check $(shell sed -n 's/^lint = \[\(.*\)\]$$/\1/p' pyproject.toml | tr -d ',')
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/clang-format --dry-run --Werror src/kernel/*

$(VENV)/.installed: $(SOURCES) | $(VENV)/.created
	@echo "==> building infosift and installing it into $(VENV)"
	@$(BIN)/pip install --quiet --disable-pip-version-check .
	@touch $@

$(VENV)/.installed-test: $(SOURCES) | $(VENV)/.created
	@echo "==> building infosift and installing it with the test tools into $(VENV)"
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
	rm -rf $(VENV) build dist
