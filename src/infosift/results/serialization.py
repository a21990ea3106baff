"""Records: frozen dataclasses that compare by value, and are written as JSON and as data frames.

The JSON of a record outlives versions of the package. It has a ``format_version``, which grows whenever a field is
added, renamed or removed, or a value renamed. A reader fills in the fields that an older writer did not have by
their defaults, reads what is renamed by the tables below, and ignores, with a warning, fields of a newer writer. A
digest shows whether any value was changed since the text was written; it is verified where it is present.
"""

from __future__ import annotations

import json
import re
import types
import warnings
from ast import literal_eval
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from functools import cache
from hashlib import blake2b
from importlib.util import find_spec
from typing import Any, Literal, Self, TypeAlias, TypeVar, get_args, get_origin, get_type_hints

import narwhals.stable.v1 as nw
import numpy as np

from infosift.errors import InputError, listing, require_choice

# 1: infosift 0.1.0 before its release. 2: data warnings have titles and hints, targets their kinds, and tests a
# description; the digest is called so. 3: the verdict "irrelevant", which no test shows, is called "not shown". 4:
# settings have a goal, and selections features for prediction.
FORMAT_VERSION = 4
# Names that older formats have for records, fields of records and values of fields, by which they are called now.
_RENAMED_RECORDS = {"Notice": "DataWarningRecord"}
_RENAMED_FIELDS = {"DataWarningRecord": {"sentence": "message"}}
_RENAMED_VALUES = {"Verdict": {"verdict": {"irrelevant": "not shown"}}}
_KIND, _FORMAT, _DIGEST, _DIGEST_OF_FORMAT_1 = "infosift", "format_version", "digest", "seal"

R = TypeVar("R")
Library: TypeAlias = Literal["pandas", "polars", "pyarrow"]
_LIBRARIES = ("pandas", "polars", "pyarrow")
_DATES = {"datetime": datetime, "date": date}
# Names of columns may hold lone surrogates, which cannot be encoded.
_LONE_SURROGATES = re.compile("[\ud800-\udfff]")
_PLAIN_TYPES: dict[Any, tuple[type, ...]] = {str: (str,), bool: (bool,), int: (int, float), float: (int, float)}


class NotAsWrittenError(InputError):
    """A text is not what infosift wrote; the message is the reason, to be put in a sentence."""


class Record:
    """Base of the dataclasses that hold results."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        compared = [field.name for field in fields(self) if field.compare]  # type: ignore[arg-type]
        return all(_equal(getattr(self, name), getattr(other, name)) for name in compared)

    __hash__ = None  # type: ignore[assignment]

    def to_json(self, *, indent: int | None = None) -> str:
        """Return the record as JSON text with a digest; ``from_json`` gives an equal record back."""
        content = with_digest({_KIND: type(self).__name__, _FORMAT: FORMAT_VERSION, **_encode(self)})
        text = json.dumps(content, indent=indent, ensure_ascii=False, allow_nan=False)
        return _LONE_SURROGATES.sub(lambda half: f"\\u{ord(half[0]):04x}", text)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Return the record that ``to_json`` wrote, of this version or another.

        The text may be laid out anew, but with a digest no value may have changed.
        """
        try:
            return read_record(cls, text)
        except NotAsWrittenError as error:
            raise InputError(
                f"The text is not a {cls.__name__} written by infosift's to_json: {error}."
            ) from error


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and np.array_equal(a, b, equal_nan=True)
    return bool(a == b)


def _encode(value: Any) -> Any:
    if is_dataclass(value):
        return {field.name: _encode(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, np.ndarray):
        # JSON has no NaN; in these arrays it marks what was not computed.
        listed = value.astype(object)
        listed[np.isnan(value)] = None
        return listed.tolist()
    if isinstance(value, tuple):
        return [_encode(item) for item in value]
    return value


def with_digest(content: dict[str, Any]) -> dict[str, Any]:
    """Add a digest of all values to the content of a record."""
    return {_KIND: content[_KIND], _DIGEST: _digest(content), **content}


def _digest(content: dict[str, Any]) -> str:
    """Compute a digest of the values, whatever the order of keys, the layout and the form of numbers."""
    plain = json.dumps(_with_whole_numbers(content), sort_keys=True, separators=(",", ":"), allow_nan=False)
    return blake2b(plain.encode("ascii"), digest_size=16).hexdigest()


def _with_whole_numbers(value: Any) -> Any:
    """Write floats without a fraction as integers, since other programs write 1.0 as 1."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, (list, tuple)):
        return [_with_whole_numbers(item) for item in value]
    if isinstance(value, dict):
        return {name: _with_whole_numbers(item) for name, item in value.items()}
    return value


def read_record(cls: type[R], text: str | bytes, *, needs_digest: bool = False) -> R:
    """Read a record from JSON; where that is impossible, the error is the reason in a few words."""
    content, digest = _parse(text)
    if needs_digest and digest is None:
        raise NotAsWrittenError("it has no digest")
    kind, written_in = content.pop(_KIND), content.pop(_FORMAT, 1)
    if _RENAMED_RECORDS.get(kind, kind) != cls.__name__:
        raise NotAsWrittenError(f"it is a {kind}")
    decoder = _Decoder(is_newer=isinstance(written_in, int) and written_in > FORMAT_VERSION)
    try:
        record = decoder.record(cls, content)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        reason = "a newer version wrote it, which this one cannot read" if decoder.is_newer else "it is damaged"
        raise NotAsWrittenError(reason) from error
    if decoder.ignored:
        warnings.warn(
            f"The {kind} was written by a newer version of infosift ({content.get('version', written_in)}): what "
            f"this version does not know is ignored ({listing(sorted(decoder.ignored))}).",
            UserWarning,
            stacklevel=3,
        )
    return record


def _parse(text: str | bytes) -> tuple[dict[str, Any], str | None]:
    """Parse the JSON of a record; return its content and the digest, which is verified, where there is one."""
    try:
        content = json.loads(text, object_pairs_hook=_without_repeats, parse_constant=_refuse_constant)
        if not isinstance(content, dict) or not isinstance(content.get(_KIND), str):
            raise NotAsWrittenError("it is something else")
        digest = content.pop(_DIGEST, content.pop(_DIGEST_OF_FORMAT_1, None))
        computed = _digest(content)  # refuses numbers too large for a float
    except NotAsWrittenError:
        raise
    except (ValueError, TypeError, RecursionError) as error:
        raise NotAsWrittenError("it is damaged, or no JSON") from error
    if digest not in (None, computed):
        raise NotAsWrittenError("it was changed after it was written")
    return content, digest


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        raise ValueError("a key is there twice")
    return content


def _refuse_constant(literal: str) -> None:
    raise ValueError(f"{literal} is no JSON")


class _Decoder:
    """Makes records of what JSON has for them; ``ignored`` are fields of a newer format, which have no place."""

    def __init__(self, is_newer: bool) -> None:
        self.is_newer, self.ignored = is_newer, set[str]()

    def record(self, cls: type[R], content: dict[str, Any]) -> R:
        """Make a dataclass of its fields by name; those that are missing have their defaults."""
        renamed = _RENAMED_FIELDS.get(cls.__name__, {})
        types_of_fields = _types_of_fields(cls)  # type: ignore[arg-type]
        given = {renamed.get(name, name): value for name, value in content.items()}
        unknown = given.keys() - types_of_fields
        if unknown and not self.is_newer:
            raise KeyError(*unknown)
        self.ignored |= unknown
        for name, present in _RENAMED_VALUES.get(cls.__name__, {}).items():
            given[name] = present.get(given[name], given[name])
        known = given.keys() & types_of_fields
        return cls(**{name: self.value(types_of_fields[name], given[name]) for name in known})

    def value(self, hint: Any, value: Any) -> Any:
        """Make what a type hint stands for of a value of JSON."""
        origin, arguments = get_origin(hint), get_args(hint)
        if origin is types.UnionType:
            if value is None and types.NoneType in arguments:
                return None
            # A union is of types that JSON tells apart, or of one type and None, or of text and a dataclass.
            is_nested = isinstance(value, dict)
            possible = [one for one in arguments if is_dataclass(one) or not is_nested]
            return self.value(next((one for one in possible if type(value) is one), possible[0]), value)
        if origin is np.ndarray:
            return np.array(value, dtype=np.float64)
        if origin is tuple:
            if not isinstance(value, list):
                raise TypeError(f"{value!r} is no list")
            hints = arguments[:1] * len(value) if arguments[-1] is Ellipsis else arguments
            return tuple(self.value(part, item) for part, item in zip(hints, value, strict=True))
        if isinstance(hint, type) and is_dataclass(hint):
            return self.record(hint, value)
        plain = _PLAIN_TYPES.get(hint)
        if plain is not None and (not isinstance(value, plain) or isinstance(value, bool) != (hint is bool)):
            raise TypeError(f"{value!r} is no {hint.__name__}")
        return value


@cache
def _types_of_fields(cls: type) -> dict[str, Any]:
    hints = get_type_hints(cls)
    return {field.name: hints[field.name] for field in fields(cls)}


def written_label(label: Any) -> str:
    """Write the label of a column as text: as Python does, a date after its type, anything else as its text."""
    plain = _without_numpy(label)
    for kind, of_kind in _DATES.items():
        if isinstance(plain, of_kind):
            return f"{kind} {plain.isoformat()}"
    try:
        return repr(plain) if literal_eval(repr(plain)) == plain else repr(str(label))
    except (ValueError, SyntaxError):
        return repr(str(label))


def read_label(text: str) -> Hashable:
    """Read a label that ``written_label`` wrote."""
    kind, _, value = text.partition(" ")
    label: Hashable = _DATES[kind].fromisoformat(value) if kind in _DATES else literal_eval(text)
    return label


def _without_numpy(label: Any) -> Any:
    if isinstance(label, tuple):
        return tuple(_without_numpy(part) for part in label)
    return label.item() if isinstance(label, np.generic) else label


def in_whole_characters(name: str) -> str:
    """Write lone surrogates, which no file or picture can hold, by their codes."""
    return name.encode(errors="backslashreplace").decode()


def data_frame(content: Mapping[str, Sequence[Any]], library: Library | None) -> Any:
    """Make a data frame of columns: of pandas where it is installed, else of polars, unless a library is named.

    Several names in one cell are separated by commas.
    """
    if library is not None:
        require_choice("library", library, _LIBRARIES)
    installed: Library = "pandas" if find_spec("pandas") else "polars"
    columns = {name: [_cell(value) for value in values] for name, values in content.items()}
    return nw.from_dict(columns, backend=library or installed).to_native()


def _cell(value: Any) -> Any:
    value = ", ".join(value) if isinstance(value, tuple) else value
    return in_whole_characters(value) if isinstance(value, str) else value
