"""What an Arrow file says of its parts: lengths that damage made up, at which polars would end the process."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path
from struct import Struct, error
from typing import TypeAlias

_MARK = b"ARROW1"
_CONTINUES = 0xFFFFFFFF
_DICTIONARY = 2
_MOST_COMPRESSED = 2**15  # 128 kB of one value are four bytes
_U8, _U16, _I32, _U32, _I64 = (Struct(f"<{kind}") for kind in "BHiIq")
_BLOCK, _BUFFER = Struct("<qiiq"), Struct("<qq")

Content: TypeAlias = bytes | mmap.mmap


class _Table:
    """A table of the format FlatBuffers, whose fields go by number."""

    def __init__(self, content: Content, reference: int) -> None:
        self._content = content
        self._at = reference + _read(_U32, content, reference)[0]

    def place(self, number: int) -> int | None:
        """Return where a field is, None where there is none."""
        fields = self._at - _read(_I32, self._content, self._at)[0]
        slot = 4 + 2 * number
        if slot >= _read(_U16, self._content, fields)[0]:
            return None
        offset = _read(_U16, self._content, fields + slot)[0]
        return self._at + offset if offset else None

    def table(self, number: int) -> _Table | None:
        """Return a field that is a table."""
        place = self.place(number)
        return None if place is None else _Table(self._content, place)

    def items(self, number: int, item: Struct) -> Iterator[tuple[int, ...]]:
        """Return the items of a field that is a list of numbers."""
        place = self.place(number)
        if place is None:
            return
        start = place + _read(_U32, self._content, place)[0]
        for i in range(_read(_U32, self._content, start)[0]):
            yield _read(item, self._content, start + 4 + i * item.size)


def require_whole(source: Path | bytes) -> None:
    """Refuse an Arrow file in which a part would lie outside of it."""
    if isinstance(source, bytes):
        return _require_whole(source)
    with source.open("rb") as file:
        if not file.read(1):
            return None
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return _require_whole(content)


def _require_whole(content: Content) -> None:
    end = len(content) - len(_MARK) - _I32.size
    if end < 0 or content[: len(_MARK)] != _MARK or content[-len(_MARK) :] != _MARK:
        return  # polars says so
    try:
        footer = _Table(content, end - _read(_I32, content, end)[0])
        for number in (2, 3):  # dictionaries, rows
            for block in footer.items(number, _BLOCK):
                _require_block(content, *block)
    except (error, OverflowError) as cause:
        raise OSError("it is damaged") from cause


def _require_block(content: Content, offset: int, metadata: int, _: int, length: int) -> None:
    body = offset + metadata
    _require(offset >= 0 and metadata >= 0 and length >= 0 and body + length <= len(content))
    start = offset + (8 if _read(_U32, content, offset)[0] == _CONTINUES else 4)
    message = _Table(content, start)
    kind, rows = message.place(1), message.table(2)
    if rows is not None and kind is not None and _read(_U8, content, kind)[0] == _DICTIONARY:
        rows = rows.table(1)
    if rows is None:
        return
    is_compressed = rows.place(3) is not None
    for start, size in rows.items(2, _BUFFER):
        _require(start >= 0 and size >= 0 and start + size <= length)
        if is_compressed and size:
            _require(_read(_I64, content, body + start)[0] <= size * _MOST_COMPRESSED)


def _read(what: Struct, content: Content, place: int) -> tuple[int, ...]:
    _require(place >= 0)
    return what.unpack_from(content, place)


def _require(is_so: bool) -> None:
    if not is_so:
        raise error
