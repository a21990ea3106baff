"""Results as data frames of whichever library is at hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any, Literal, TypeAlias

import narwhals.stable.v1 as nw

from infosift.errors import require_choice
from infosift.results.labels import in_whole_characters

Library: TypeAlias = Literal["pandas", "polars", "pyarrow"]
_LIBRARIES = ("pandas", "polars", "pyarrow")


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
