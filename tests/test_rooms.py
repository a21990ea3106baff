"""The house: rooms look down only, there is no cycle, the map is that of the tree, functions can be seen whole."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "infosift"
# From the top down. Modules of one line may look at each other, where that makes no cycle.
FLOORS = (
    ("__init__", "__main__"),
    ("cli",),
    ("display",),
    ("comparison", "stability"),
    ("selector", "functions"),
    ("search",),
    ("inference",),
    ("criteria",),
    ("engines",),
    ("data",),
    ("results",),
    ("spectra",),
    ("progress", "random_streams", "errors", "arrays", "io", "registry"),
    ("_kernel",),
)
FLOOR_OF = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
MODULES = {
    ".".join(("infosift", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}
MOST_LINES = 60  # how many branches a function may have is for the linter to say


def imports_of(module):
    """All modules of the package that one imports, those imported late included, those for types alone not."""
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    for_types = {
        id(node)
        for test in ast.walk(tree)
        if isinstance(test, ast.If) and "TYPE_CHECKING" in ast.dump(test.test)
        for node in ast.walk(test)
    }
    found = set()
    for node in ast.walk(tree):
        if id(node) in for_types:
            continue
        if isinstance(node, ast.Import):
            found.update(name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} has a relative import"
            found.update({node.module, *(f"{node.module}.{name.name}" for name in node.names)})
        elif isinstance(node, ast.Call) and "import_module" in ast.dump(node.func):
            found.update(part.value for part in ast.walk(node) if isinstance(part, ast.Constant))
    known = {*MODULES, "infosift._kernel"}
    return {name for name in found if name in known and name != module and not module.startswith(f"{name}.")}


def room_of(module):
    return module.split(".")[1] if "." in module else "__init__"


IMPORTS = {module: imports_of(module) for module in MODULES}


def test_every_module_is_in_a_room():
    assert {room_of(module) for module in MODULES} | {"_kernel"} == set(FLOOR_OF)


@pytest.mark.parametrize("module", MODULES)
def test_rooms_look_down_only(module):
    own = FLOOR_OF[room_of(module)]
    up = [other for other in IMPORTS[module] if FLOOR_OF[room_of(other)] < own]
    assert not up


def test_there_is_no_cycle():
    done, path = set(), []

    def visit(module):
        assert module not in path, " -> ".join([*path[path.index(module) :], module])
        if module not in done:
            path.append(module)
            for other in sorted(IMPORTS[module] & set(MODULES)):
                visit(other)
            path.pop()
            done.add(module)

    for module in MODULES:
        visit(module)


def functions():
    for path in MODULES.values():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                yield pytest.param(node, id=f"{path.relative_to(PACKAGE)}:{node.name}")


def lines_without_docstring(function):
    first = function.body[0]
    is_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    docstring = first.end_lineno - first.lineno + 1 if is_docstring else 0
    return function.end_lineno - function.lineno + 1 - docstring


def test_functions_can_be_seen_whole():
    long = {case.id: lines_without_docstring(case.values[0]) for case in functions()}
    assert not {name: lines for name, lines in long.items() if lines > MOST_LINES}


def knows_methods_by_name(tree):
    """Tell whether anything is compared with the name or the class of a method, or looked up by it."""
    names = {"published", "calibrated", "Published", "Calibrated"}

    def mentions(nodes):
        return any(
            getattr(part, "value", None) in names or getattr(part, "id", None) in names
            for node in nodes
            for part in ast.walk(node)
            if isinstance(part, (ast.Constant, ast.Name))
        )

    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and mentions([node.left, *node.comparators]):
            return True
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance" and mentions(node.args):
            return True
        if isinstance(node, ast.Dict) and mentions(key for key in node.keys if key is not None):
            return True
    return False


def test_one_module_knows_the_methods_by_name():
    # Elsewhere what a method does is asked of the method, and what it did is stored in the selection.
    knowing = {
        name
        for name, path in MODULES.items()
        if knows_methods_by_name(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert knowing == {"infosift.registry"}


def test_the_map_has_every_room():
    # Of modules that lie in no room, the map names those of several rooms' use.
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"`([\w/]+/)`", text))
    rooms = {f"{path.name}/" for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    assert rooms <= listed
    assert [name for name in listed if not any((base / name).is_dir() for base in (ROOT, PACKAGE))] == []


def test_a_selection_from_the_command_line_needs_few_modules(tmp_path):
    # What a reader who follows it has to open; what few runs need is imported where they do.
    rows = [f"{i % 7},{i * i % 11},{i % 7 + i % 3}" for i in range(60)]
    (tmp_path / "f.csv").write_text("\n".join(["a,b,y", *rows]), encoding="utf-8")
    code = (
        "import sys; from infosift.__main__ import main\n"
        "try: main()\n"
        "finally: print(sum(name.split('.')[0] == 'infosift' for name in sys.modules))"
    )
    command = [sys.executable, "-c", code, "select", "f.csv", "-t", "y"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, encoding="utf-8")
    assert int(run.stdout.splitlines()[-1]) <= 61


def test_tests_are_in_the_rooms_they_test():
    rooms = {path.name for path in (ROOT / "tests").iterdir() if path.is_dir() and any(path.glob("test_*.py"))}
    assert rooms - {"kernel", "kept", "studies"} <= set(FLOOR_OF)


def test_commits_are_checked_by_what_make_lint_runs():
    pins = re.search(r"^lint = \[(.*)\]$", (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.M)[1]
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    pinned = set(re.findall(r'"([\w-]+==[\d.]+)"', hooks))
    assert pinned == {pin for pin in re.findall(r'"(.*?)"', pins) if not pin.startswith("mypy")}
    assert "entry: make types" in hooks
