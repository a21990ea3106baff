"""A digest with what is written as JSON: a text that was damaged or changed since is not taken for a result."""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import Any

from infosift.errors import InputError

_KIND, _SEAL = "infosift", "seal"


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
    plain = json.dumps(_plain(content), sort_keys=True, separators=(",", ":"), allow_nan=False)
    return blake2b(plain.encode("ascii"), digest_size=16).hexdigest()


def _plain(value: Any) -> Any:
    """Return a value in which whole numbers are integers, since other programs write 1.0 as 1."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return value


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        raise ValueError("a key is there twice")
    return content


def _no_number(literal: str) -> None:
    raise ValueError(f"{literal} is no JSON")
