"""Numbers and dates in place of the text of a data frame, as files are read."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v1 as nw
import polars as pl

from infosift.data.column_names import with_names_as_text
from infosift.data.decimal_marks import DECIMALS
from infosift.data.formats import MISSING_WORDS
from infosift.data.written_numbers import read_written
from infosift.errors import require_choice


def parse_numbers(frame: Any, *, decimal: str | None = None) -> Any:
    """Read text that is numbers or dates as such, as the command line reads files.

    Numbers may have a decimal comma, divided thousands, a currency, a percent sign, or the same unit in every cell
    ("12,5", "1,234.50", "€ 5", "3 %", "5 kg"), which is left off. Dates are those such as 2024-05-01, 1.5.2024 or
    31/12/2024. A column is read only where every cell can be; otherwise it stays as it is, as do categories.

    Parameters
    ----------
    frame : data frame
        A table of any library.
    decimal : {None, "comma", "point"}
        What the mark of "1,234" is, where nothing else in a column tells. None refuses such columns.

    Returns
    -------
    data frame
        The same with floats and datetimes in place of such text. Cells that are empty, or words for a missing
        value such as "NA", are missing in them.

    Examples
    --------
    >>> import polars as pl
    >>> from infosift import parse_numbers
    >>> frame = pl.DataFrame({"rate": ["3.5 %", "12 %"], "town": ["Bern", "Basel"]})
    >>> parse_numbers(frame).row(0)
    (3.5, 'Bern')
    """
    require_choice("decimal", decimal, DECIMALS)
    view = nw.from_native(with_names_as_text(frame), eager_only=True)
    text = pl.DataFrame(
        [
            pl.Series(name, view[name].to_list(), pl.String, strict=False)
            for name, dtype in view.schema.items()
            if dtype == nw.String
        ]
    )
    stripped = pl.all().str.strip_chars()
    text = text.select(pl.when(~stripped.is_in(MISSING_WORDS)).then(pl.all()))
    parsed = [
        nw.new_series(
            column.name,
            (column if column.dtype.is_float() else column.cast(pl.Datetime("us"))).to_list(),
            nw.Float64 if column.dtype.is_float() else nw.Datetime,
            backend=nw.get_native_namespace(view),
        )
        for column in read_written(text, decimal).columns
        if column.count()
    ]
    return view.with_columns(*parsed).to_native() if parsed else frame
