"""Print the oldest versions that pyproject.toml allows, of what infosift needs and of some extras, for pip."""

import re
import sys
import tomllib
from pathlib import Path


def oldest(requirements: list[str]) -> list[str]:
    """Return requirements with their lower bound, which they must have, as the version."""
    found = []
    for requirement in requirements:
        match = re.fullmatch(r"([A-Za-z0-9-]+)>=([0-9.]+)(?:,<[0-9.]+)?", requirement)
        if match is None:
            sys.exit(f"{requirement} has no lower bound")
        found.append(f"{match[1]}=={match[2]}")
    return found


if __name__ == "__main__":
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [project["optional-dependencies"][name] for name in sys.argv[1:]]
    print(*oldest(project["dependencies"]), *(one for extra in extras for one in oldest(extra)), sep="\n")
