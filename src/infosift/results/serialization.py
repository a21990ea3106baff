"""Records: frozen dataclasses that compare by value, and are written as JSON and data frames."""

from __future__ import annotations

import json
import re
import types
from ast import literal_eval
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from hashlib import blake2b
from importlib.util import find_spec
from typing import Any, Literal, Self, TypeAlias, TypeVar, get_args, get_origin, get_type_hints

import narwhals.stable.v1 as nw
import numpy as np

from infosift.errors import InputError, require_choice

_DATES = {"datetime": datetime, "date": date}
Library: TypeAlias = Literal["pandas", "polars", "pyarrow"]
_LIBRARIES = ("pandas", "polars", "pyarrow")
_KIND, _SEAL = "infosift", "seal"
R = TypeVar("R")
# A name may hold half a character, which a file cannot.
_HALF_CHARACTERS = re.compile("[\ud800-\udfff]")


def written_label(label: Any) -> str:
    """Return a label as text: as Python writes it, or a date with its type before it; any other as its text."""
    plain = _without_numpy(label)
    for kind, of_kind in _DATES.items():
        if isinstance(plain, of_kind):
            return f"{kind} {plain.isoformat()}"
    try:
        return repr(plain) if literal_eval(repr(plain)) == plain else repr(str(label))
    except (ValueError, SyntaxError):
        return repr(str(label))


def read_label(text: str) -> Hashable:
    """Return the label that was written."""
    kind, _, value = text.partition(" ")
    label: Hashable = _DATES[kind].fromisoformat(value) if kind in _DATES else literal_eval(text)
    return label


def _without_numpy(label: Any) -> Any:
    if isinstance(label, tuple):
        return tuple(_without_numpy(part) for part in label)
    return label.item() if isinstance(label, np.generic) else label


def in_whole_characters(name: str) -> str:
    """Return a name in which half a character, which no file or picture can hold, is written by its code."""
    return name.encode(errors="backslashreplace").decode()


def data_frame(content: Mapping[str, Sequence[Any]], library: Library | None) -> Any:
    """Return columns as a data frame: None is pandas where it is installed, else polars.

    Names of several features in one cell have commas between them.
    """
    if library is not None:
        require_choice("library", library, _LIBRARIES)
    installed: Library = "pandas" if find_spec("pandas") else "polars"
    columns = {name: [_cell(value) for value in values] for name, values in content.items()}
    return nw.from_dict(columns, backend=library or installed).to_native()


def _cell(value: Any) -> Any:
    value = ", ".join(value) if isinstance(value, tuple) else value
    return in_whole_characters(value) if isinstance(value, str) else value


class NotAsWrittenError(InputError):
    """A text is not what infosift wrote; the message is the reason, to be put in a sentence."""


def seal(kind: str, content: dict[str, Any]) -> dict[str, Any]:
    """Return content with its kind and a digest of all of it."""
    named = {_KIND: kind, **content}
    return {_KIND: kind, _SEAL: _digest(named), **content}


def unseal(kind: str, text: str | bytes) -> dict[str, Any]:
    """Return content that was sealed; refuse any other, and that of another kind."""
    try:
        content = json.loads(text, object_pairs_hook=_without_repeats, parse_constant=_no_number)
        if not isinstance(content, dict) or _KIND not in content:
            raise NotAsWrittenError("it is something else")
        sealed_by = content.pop(_SEAL, None)
        if sealed_by is None:
            raise NotAsWrittenError("it has no seal: an older version wrote it, and can still read it")
        if sealed_by != _digest(content):
            raise NotAsWrittenError("it was changed after it was written")
    except NotAsWrittenError:
        raise
    except (ValueError, TypeError, RecursionError) as error:
        raise NotAsWrittenError("it is damaged, or no JSON") from error
    if (found := content.pop(_KIND)) != kind:
        raise NotAsWrittenError(f"it is a {found}")
    return content


def _digest(content: dict[str, Any]) -> str:
    """Return a digest of the values, however they are written: of any order of keys, layout or form of numbers."""
    plain = json.dumps(_with_whole_numbers(content), sort_keys=True, separators=(",", ":"), allow_nan=False)
    return blake2b(plain.encode("ascii"), digest_size=16).hexdigest()


def _with_whole_numbers(value: Any) -> Any:
    """Return a value in which whole numbers are integers, since other programs write 1.0 as 1."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, (list, tuple)):
        return [_with_whole_numbers(item) for item in value]
    if isinstance(value, dict):
        return {name: _with_whole_numbers(item) for name, item in value.items()}
    return value


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        raise ValueError("a key is there twice")
    return content


def _no_number(literal: str) -> None:
    raise ValueError(f"{literal} is no JSON")


class Record:
    """Base of the dataclasses that hold results."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        compared = [field.name for field in fields(self) if field.compare]  # type: ignore[arg-type]
        return all(_equal(getattr(self, name), getattr(other, name)) for name in compared)

    __hash__ = None  # type: ignore[assignment]

    def to_json(self, *, indent: int | None = None) -> str:
        """Return the record as JSON text with a seal; ``from_json`` gives an equal record back."""
        content = seal(type(self).__name__, _encode(self))
        text = json.dumps(content, indent=indent, ensure_ascii=False, allow_nan=False)
        return _HALF_CHARACTERS.sub(lambda half: f"\\u{ord(half[0]):04x}", text)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Return the record that ``to_json`` wrote; it may be laid out anew, but no value may have changed."""
        try:
            return read_record(cls, text)
        except NotAsWrittenError as error:
            raise InputError(
                f"The text is not a {cls.__name__} written by infosift's to_json: {error}."
            ) from error


def read_record(cls: type[R], text: str | bytes) -> R:
    """Return the record in a text; where there is none, the error says why in a few words."""
    content = unseal(cls.__name__, text)
    try:
        return _decode_record(cls, content)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise NotAsWrittenError("it is of another version") from error


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


def _decode_record(cls: type[R], content: dict[str, Any]) -> R:
    hints = get_type_hints(cls)
    names = {field.name for field in fields(cls)}  # type: ignore[arg-type]
    if set(content) != names:
        raise KeyError(*(set(content) ^ names))
    return cls(**{name: _decode(hints[name], value) for name, value in content.items()})


def _decode(hint: Any, value: Any) -> Any:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is types.UnionType:
        if value is None:
            return None
        # A union is of a type and None, or of text and a dataclass.
        is_nested = isinstance(value, dict)
        return _decode(next(one for one in arguments if is_dataclass(one) or not is_nested), value)
    if origin is np.ndarray:
        return np.array(value, dtype=np.float64)
    if origin is tuple:
        if arguments[-1] is Ellipsis:
            return tuple(_decode(arguments[0], item) for item in value)
        return tuple(_decode(part, item) for part, item in zip(arguments, value, strict=True))
    if isinstance(hint, type) and is_dataclass(hint):
        return _decode_record(hint, value)
    return value
