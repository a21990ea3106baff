"""Whether a comma in written numbers is decimal or divides thousands, and what a whole table says about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from infosift.errors import InputError, listing

COMMA, POINT = "comma", "point"
DECIMALS = (None, COMMA, POINT)
_MARKS = {COMMA: ",", POINT: "."}
_ENGLISH = r"^[+-]?(?:\d+|[1-9]\d{0,2}(?:,\d{3})+)(?:\.\d+)?$"
_CONTINENTAL = r"^[+-]?(?:\d+|[1-9]\d{0,2}(?:\.\d{3})+)(?:,\d+)?$"
_NO_ZERO = r"^([+-]?)([.,]\d)"


@dataclass(frozen=True)
class Marks:
    """The numbers of a column as they are written, without units, and which readings they allow."""

    text: pl.Series
    is_english: bool
    is_continental: bool

    @classmethod
    def of(cls, text: pl.Series) -> Marks | None:
        """Look at the marks of numbers; None where they are no numbers by any reading."""
        text = text.str.replace(_NO_ZERO, "${1}0$2")
        english, continental = (bool(text.str.contains(form).all()) for form in (_ENGLISH, _CONTINENTAL))
        return cls(text, english, continental) if text.count() and (english or continental) else None

    @property
    def example(self) -> str | None:
        """A number with a mark, where both readings are possible; None where they are not, or do not differ."""
        marked = self.text.filter(self.text.str.contains("[.,]"))
        return marked[0] if self.is_english and self.is_continental and len(marked) else None

    def has(self, decimal: str) -> bool:
        """Tell whether some number has a mark, such as a comma."""
        return bool(self.text.str.contains(_MARKS[decimal], literal=True).any())

    def require_clear(self, decimal: str, column: str) -> None:
        """Refuse numbers that have a mark and may be read both ways."""
        if self.example is not None and self.has(decimal):
            raise InputError(
                f'Column "{column}" has numbers like "{self.example}", whose {decimal} may be decimal or divide '
                'thousands: say decimal="comma" or decimal="point".'
            )

    def numbers(self, decimal: str | None) -> pl.Series:
        """Return the numbers, by the reading that is asked for where it is possible."""
        is_english = self.is_english if decimal != COMMA else not self.is_continental
        if is_english:
            plain = self.text.str.replace_all(",", "", literal=True)
        else:
            plain = self.text.str.replace_all(".", "", literal=True).str.replace(",", ".", literal=True)
        return plain.cast(pl.Float64)


@dataclass(frozen=True)
class Settled:
    """A column whose commas can only be decimal, and the columns that could be read both ways without it."""

    by: str
    others: Sequence[str]

    def __str__(self) -> str:
        return (
            f"Numbers are read with decimal commas, as in {self.by}, also in {listing(list(self.others))}: if "
            'that is wrong, say decimal="point".'
        )


def settle(columns: Sequence[tuple[str, Marks]]) -> Settled | None:
    """Return which column shows that commas are decimal; None where none does, or another that points are."""
    by = [(name, marks) for name, marks in columns if not marks.is_english and marks.has(COMMA)]
    if not by or not all(marks.is_continental for _, marks in columns):
        return None
    name, marks = by[0]
    shown = marks.text.filter(~marks.text.str.contains(_ENGLISH))[0]
    others = [f'"{name}" ("{marks.example}")' for name, marks in columns if marks.example is not None]
    return Settled(f'"{name}" ("{shown}")', others)
