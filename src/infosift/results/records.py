"""Frozen dataclasses that compare by value, arrays included, and travel to JSON and back without loss."""

from __future__ import annotations

import json
import re
import types
from dataclasses import fields, is_dataclass
from typing import Any, Self, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

from infosift.errors import InputError
from infosift.results.seals import NotAsWrittenError, seal, unseal

R = TypeVar("R")
# A name may hold half a character, which a file cannot.
_HALF_CHARACTERS = re.compile("[\ud800-\udfff]")


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
