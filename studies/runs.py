"""The runs of a study that are done, in a file: one that was ended goes on from there."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import joblib

from infosift.errors import InputError
from infosift.io import write_file


class Runs:
    """Answers of runs by what was asked, each a line of a file.

    A run is known by its function, what it is given and the version of infosift: another study, other data or
    another version find nothing of theirs.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._answers = path, dict[str, Any]()
        *lines, rest = path.read_bytes().split(b"\n") if path.exists() else [b""]
        try:
            self._answers.update(map(json.loads, lines))
        except (ValueError, TypeError) as error:
            raise InputError(f"{path} is damaged: remove it to start the study anew.") from error
        if rest:  # of a line that was being written when the study was ended
            write_file(path, b"".join(line + b"\n" for line in lines))
        self.n_before = len(self._answers)

    def keys(self, function: Callable[..., Any], calls: Sequence[tuple[Any, ...]]) -> list[str]:
        """Return what runs of a function are known by."""
        asked = joblib.hash((version("infosift"), function))
        return [joblib.hash((asked, call)) for call in calls]

    def __contains__(self, key: str) -> bool:
        return key in self._answers

    def __getitem__(self, key: str) -> Any:
        return self._answers[key]

    def add(self, key: str, answer: Any) -> None:
        """Keep an answer, which is anything that JSON has."""
        with self._path.open("ab") as file:
            file.write(json.dumps([key, answer]).encode() + b"\n")
        self._answers[key] = answer
