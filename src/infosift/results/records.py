"""Frozen dataclasses that compare by value, arrays included, and travel to JSON and back without loss."""

from __future__ import annotations

import json
import types
from dataclasses import fields
from typing import Any, Self, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

R = TypeVar("R", bound="Record")


class Record:
    """Base of the dataclasses that hold results."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        compared = [field.name for field in fields(self) if field.compare]  # type: ignore[arg-type]
        return all(_equal(getattr(self, name), getattr(other, name)) for name in compared)

    __hash__ = None  # type: ignore[assignment]

    def to_json(self, *, indent: int | None = None) -> str:
        """Return the record as JSON text; ``from_json`` gives an equal record back."""
        content = {"infosift": type(self).__name__, **_encode(self)}
        return json.dumps(content, indent=indent, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the record that ``to_json`` wrote."""
        try:
            content = json.loads(text)
            if content.pop("infosift") != cls.__name__:
                raise KeyError
            return _decode_record(cls, content)
        except (json.JSONDecodeError, AttributeError, KeyError, TypeError) as error:
            raise ValueError(f"The text is not a {cls.__name__} written by infosift's to_json.") from error


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and np.array_equal(a, b, equal_nan=True)
    return bool(a == b)


def _encode(value: Any) -> Any:
    if isinstance(value, Record):
        return {field.name: _encode(getattr(value, field.name)) for field in fields(value)}  # type: ignore[arg-type]
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
        return None if value is None else _decode(arguments[0], value)
    if origin is np.ndarray:
        return np.array(value, dtype=np.float64)
    if origin is tuple:
        if arguments[-1] is Ellipsis:
            return tuple(_decode(arguments[0], item) for item in value)
        return tuple(_decode(part, item) for part, item in zip(arguments, value, strict=True))
    if isinstance(hint, type) and issubclass(hint, Record):
        return _decode_record(hint, value)
    return value
