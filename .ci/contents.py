"""What is in the source distribution and the wheel of a folder is what should be, and no more."""

import sys
import tarfile
import zipfile
from pathlib import Path

NEEDED_TO_BUILD = ("pyproject.toml", "CMakeLists.txt", "README.md", "LICENSE")
MADE_BY_BUILDS = (".so", ".pyc", "_kernel.pyi")
NOT_FOR_OTHERS = (".ci/", ".github/", "build/", "dist/")


def check_source(path: Path, root: Path) -> None:
    """Check that all that a build reads is there."""
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    files = [file for file in root.glob("src/**/*.[chp]*") if not file.name.endswith(MADE_BY_BUILDS)]
    sources = {file.relative_to(root).as_posix() for file in files}
    if missing := {*NEEDED_TO_BUILD, *sources} - names:
        sys.exit(f"{path.name} lacks {', '.join(sorted(missing))}")
    if strange := [name for name in names if name.startswith(NOT_FOR_OTHERS) or name.endswith(MADE_BY_BUILDS)]:
        sys.exit(f"{path.name} should not have {', '.join(sorted(strange))}")


def check_wheel(path: Path, root: Path) -> None:
    """Check that the package is whole, and that from Python 3.12 on its wheel is for all later versions too."""
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
    # Stubs, templates and references are read at run time.
    endings = (".py", ".pyi", ".jinja", ".bib", ".css", ".js")
    files = [file for file in (root / "src" / "infosift").rglob("*") if file.suffix in endings]
    package = {file.relative_to(root / "src").as_posix() for file in files}
    if missing := {*package, "infosift/py.typed", "infosift/_kernel.pyi"} - names:
        sys.exit(f"{path.name} lacks {', '.join(sorted(missing))}")
    if not any(name.startswith("infosift/_kernel.") and name.endswith((".so", ".pyd")) for name in names):
        sys.exit(f"{path.name} lacks the compiled kernel")
    if strange := [name for name in names if not name.startswith(("infosift/", "infosift-"))]:
        sys.exit(f"{path.name} should not have {', '.join(sorted(strange))}")
    tag = "cp312-abi3" if sys.version_info >= (3, 12) else "cp311-cp311"
    if f"-{tag}-" not in path.name:
        sys.exit(f"{path.name} should be tagged {tag}")


if __name__ == "__main__":
    folder, project = Path(sys.argv[1]), Path(__file__).parents[1]
    (source,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    check_source(source, project)
    check_wheel(wheel, project)
    print(f"{source.name} and {wheel.name} have what they should")
