"""Checkpoints: the state of a run after each decision, in a file, from which a run that was killed goes on."""

from __future__ import annotations

from dataclasses import asdict
from hashlib import blake2b
from pathlib import Path
from typing import Any, Generic, TypeVar

from infosift.data.table import Table
from infosift.errors import Hint, InputError, shown
from infosift.io import write_file
from infosift.results.selection import Settings
from infosift.results.serialization import NotAsWrittenError, read_record
from infosift.search.runner import RunState

# Settings that decide when a run ends, but not what it decides before.
_FREE_SETTINGS = ("time_limit",)


S = TypeVar("S", bound=RunState)


class Checkpoint(Generic[S]):
    """A file that holds the state of one run; ``kind`` is the class of the state."""

    def __init__(self, path: Any, kind: type[S]) -> None:
        try:
            self._path, self._kind = Path(path), kind
        except TypeError:
            raise InputError(Hint("checkpoint"), f" must be a path, not {shown(path)}.") from None
        if "\0" in str(path):
            raise InputError(Hint("checkpoint"), f" must be a path, and no file can be called {str(path)!r}.")
        self._stored = self._read()

    @property
    def seed(self) -> int | None:
        """Seed of the run in the file, where there is one."""
        return None if self._stored is None else self._stored.settings.seed

    def resume(self, table: Table, settings: Settings) -> S:
        """Return the state to go on from; refuse that of other data, settings or another version."""
        fresh, stored = self._kind(settings=settings, data=fingerprint(table)), self._stored
        if stored is None:
            return fresh
        refused, remedy = f"The checkpoint {self._path} ", ": remove it, or give another file."
        if stored.version != fresh.version:
            raise InputError(f"{refused}was written by infosift {stored.version}, not {fresh.version}{remedy}")
        theirs, ours = _by_name(stored.settings), _by_name(fresh.settings)
        for name in {**ours, **theirs}:
            if name not in _FREE_SETTINGS and theirs.get(name) != ours.get(name):
                differs = f"{name}={theirs.get(name)!r}, not {ours.get(name)!r}"
                raise InputError(f"{refused}is of a run with {differs}{remedy}")
        if stored.data != fresh.data:
            raise InputError(f"{refused}is of a run on other data{remedy}")
        return stored

    def write(self, state: S) -> None:
        """Replace the state in the file, such that the file is whole at any moment."""
        try:
            write_file(self._path, state.to_json().encode())
        except OSError as error:
            raise InputError(f"The checkpoint {self._path} cannot be written ({error.strerror}).") from error

    def _read(self) -> S | None:
        """Return the state in the file, None where there is no file; refuse any other content."""
        path = self._path
        if not path.parent.is_dir():
            raise InputError(f"There is no folder {path.parent} for the checkpoint {path.name}.")
        try:
            if not path.exists():
                return None
            if not path.is_file():  # reading a device or a pipe may never end
                raise InputError(f"The checkpoint {path} is a folder, a device or a pipe: give a file.")
            return read_record(self._kind, path.read_bytes(), needs_digest=True)
        except OSError as error:
            raise InputError(f"The checkpoint {path} cannot be read ({error.strerror}).") from error
        except NotAsWrittenError as error:
            raise InputError(
                f"{path} is not a whole checkpoint of infosift ({error}); it is left as it is: give another file."
            ) from error


def _by_name(settings: Settings) -> dict[str, Any]:
    """Return the settings by name, those of method, search and criterion among them."""
    named = asdict(settings)
    for part in ("method", "search", "criterion"):
        component = named.pop(part)
        named |= {part: component["name"], **component["parameters"]}
    return named


def fingerprint(table: Table) -> str:
    """Return a digest of everything in a table that a run depends on."""
    digest, target = blake2b(digest_size=16), table.target
    names = (table.names, target.name, table.units, table.constant, table.discrete, target.n_classes)
    digest.update(repr(names).encode())
    digest.update(b"".join(table.digests))
    digest.update(target.columns.tobytes())
    for scale in table.distance_scale or ():
        digest.update(scale.tobytes())
    if table.row_groups is not None:
        digest.update(table.row_groups.tobytes())
    return digest.hexdigest()
