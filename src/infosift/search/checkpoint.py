"""The state of a run after each decided step, in a file: a run that was killed goes on where it was."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol, TypeVar

from infosift.data.table import Table
from infosift.errors import InputError, shown
from infosift.io import write_file
from infosift.results.serialization import NotAsWrittenError, Record, read_record
from infosift.results.settings import Settings
from infosift.results.steps import NeighborChoice, Step

R = TypeVar("R", bound=Record)

# Settings that decide when a run ends, but not what it decides before.
_FREE = ("time_limit",)


@dataclass(frozen=True, eq=False, kw_only=True)
class State(Record):
    """All that a run has decided so far, and what it was asked."""

    data: str
    version: str
    settings: Settings
    neighbors: NeighborChoice | None
    steps: tuple[Step, ...]


def fresh_state(settings: Settings, data: str = "") -> State:
    """Return the state in which nothing is decided; ``data`` is a digest of the table, which only a file needs."""
    return State(data=data, version=version("infosift"), settings=settings, neighbors=None, steps=())


def checkpoint_path(given: Any) -> Path:
    """Return where a checkpoint is to be; refuse what is no path."""
    try:
        path = Path(given)
    except TypeError:
        raise InputError(f"checkpoint must be a path, not {shown(given)}.") from None
    if "\0" in str(path):
        raise InputError(f"checkpoint must be a path, and no file can be called {str(path)!r}.")
    return path


class Checkpoint:
    """A file that holds the state of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._found = read_whole(path, State)

    @property
    def seed(self) -> int | None:
        """Seed of the run in the file, where there is one."""
        return None if self._found is None else self._found.settings.seed

    def resume(self, table: Table, settings: Settings) -> State:
        """Return the state to go on from; refuse that of other data, settings or another version."""
        fresh = fresh_state(settings, fingerprint(table))
        found = self._found
        if found is None:
            return fresh
        require_same_run(self.path, found, fresh)
        return found

    def write(self, state: State) -> None:
        """Put a state in the place of the one before."""
        write_whole(self.path, state)


class OfARun(Protocol):
    """What a file says of the run that it is of."""

    @property
    def data(self) -> str:
        """A digest of the data."""
        ...

    @property
    def version(self) -> str:
        """The version of infosift."""
        ...

    @property
    def settings(self) -> Settings:
        """The settings of the run."""
        ...


def require_same_run(path: Path, found: OfARun, asked: OfARun) -> None:
    """Refuse what was found in a file where it is of other data, settings or another version."""
    refused = f"The checkpoint {path} "
    hint = ": remove it, or give another file."
    if found.version != asked.version:
        raise InputError(f"{refused}was written by infosift {found.version}, not {asked.version}{hint}")
    theirs, ours = _by_name(found.settings), _by_name(asked.settings)
    for name in {**ours, **theirs}:
        if name not in _FREE and theirs.get(name) != ours.get(name):
            differs = f"{name}={theirs.get(name)!r}, not {ours.get(name)!r}"
            raise InputError(f"{refused}is of a run with {differs}{hint}")
    if found.data != asked.data:
        raise InputError(f"{refused}is of a run on other data{hint}")


def read_whole(path: Path, kind: type[R]) -> R | None:
    """Return the record in a file, None where there is no file; refuse any other content."""
    if not path.parent.is_dir():
        raise InputError(f"There is no folder {path.parent} for the checkpoint {path.name}.")
    try:
        if not path.exists():
            return None
        if not path.is_file():  # reading a device or a pipe may never end
            raise InputError(f"The checkpoint {path} is a folder, a device or a pipe: give a file.")
        return read_record(kind, path.read_bytes(), needs_digest=True)
    except OSError as error:
        raise InputError(f"The checkpoint {path} cannot be read ({error.strerror}).") from error
    except NotAsWrittenError as error:
        raise InputError(
            f"{path} is not a whole checkpoint of infosift ({error}); it is left as it is: give another file."
        ) from error


def write_whole(path: Path, record: Record) -> None:
    """Put a record in the place of the one before, such that at any moment the file is whole."""
    try:
        write_file(path, record.to_json().encode())
    except OSError as error:
        raise InputError(f"The checkpoint {path} cannot be written ({error.strerror}).") from error


def _by_name(settings: Settings) -> dict[str, Any]:
    """Return the settings by name, those of method, search and criterion among them."""
    named = asdict(settings)
    for part in ("method", "search", "criterion"):
        component = named.pop(part)
        named |= {part: component["name"], **component["parameters"]}
    return named


def fingerprint(table: Table) -> str:
    """Return a digest of all that the table brings to a run."""
    digest = blake2b(digest_size=16)
    target = table.target
    said = (table.names, target.name, table.units, table.constant, table.discrete, target.n_classes)
    digest.update(repr(said).encode())
    digest.update(b"".join(table.digests))
    digest.update(target.columns.tobytes())
    for scale in table.distance_scale or ():
        digest.update(scale.tobytes())
    if table.row_groups is not None:
        digest.update(table.row_groups.tobytes())
    return digest.hexdigest()
