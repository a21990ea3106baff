"""Tables, targets and parameters of every kind, well or badly made, each from a number that makes it again."""

import datetime as dt
import struct
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from scipy import sparse

from infosift import (
    KSG,
    Backward,
    Calibrated,
    DeltaTest,
    Filter,
    Floating,
    Forward,
    GammaTest,
    GaussianCopula,
    Histogram,
    KernelDensity,
    MutualInfoSelector,
    NeighborError,
    Published,
    QuadraticMI,
    Series,
)

_DAY = dt.datetime(2024, 2, 28, 22, 15)
_LETTERS = ["", "a", "b", "ab", "1", "1,5", "2.5", "ö", "nan", "NA", "<b>", "2024-01-31", "\x00", "😀", "x\ny"]


@dataclass
class Fit:
    """What a selector is to be asked: ``is_plain`` where there is nothing in it that could be refused."""

    X: Any
    y: Any
    groups: Any = None
    parameters: dict[str, Any] = field(default_factory=dict)
    is_plain: bool = False

    def selector(self):
        return MutualInfoSelector(**self.parameters)


def one_of(rng, values):
    return values[int(rng.integers(len(values)))]


def random_fit(seed, folder):
    """Return the fit of a seed; what it writes or reads lies in a folder."""
    rng = np.random.default_rng(seed)
    if seed % 4 == 0:
        return _plain_fit(rng, folder)
    n_rows = int(one_of(rng, [0, 1, 2, 3, 5, 8, *[12, 20, 30, 40, 60] * 6]))
    n_columns = int(one_of(rng, [0, *[1, 2, 3, 4, 5, 6, 8] * 6]))
    columns = _columns(rng, n_rows, n_columns)
    names = _names(rng, n_columns)
    y = _target(rng, columns, n_rows)
    X, names = _table(rng, columns, names, n_rows)
    parameters = _parameters(rng, names, folder)
    return Fit(X, y, _row_groups(rng, n_rows), parameters)


def _plain_fit(rng, folder):
    n_rows, n_columns = int(rng.integers(30, 61)), int(rng.integers(1, 9))
    columns = [_PLAIN[one_of(rng, sorted(_PLAIN))](rng, n_rows) for _ in range(n_columns)]
    y = sum(rng.normal() * as_numbers(column) for column in columns[:3]) + 0.3 * rng.normal(size=n_rows)
    names = [f"column {i}" for i in range(n_columns)]
    content = dict(zip(names, columns, strict=True))
    X = one_of(rng, [pd.DataFrame, pl.DataFrame, pa.table])(content)
    parameters = {
        name: one_of(rng, valid)
        for name, valid in valid_parameters(names).items()
        if name not in ("criterion", "discrete_target", "feature_groups", "missing")
    }
    parameters["method"] = one_of(
        rng, ["calibrated", Calibrated(n_permutations=199), Published(n_permutations=39)]
    )
    parameters["alpha"] = one_of(rng, [0.05, 0.1, 0.2])
    parameters["min_features"] = one_of(rng, [0, 1])
    parameters["ignore"] = None
    parameters["checkpoint"] = one_of(rng, [None, folder / "state.json"])
    return Fit(X, y, None, parameters, is_plain=True)


_PLAIN = {
    "normal": lambda rng, n: rng.normal(size=n),
    "tied": lambda rng, n: rng.normal(size=n).round(1),
    "integers": lambda rng, n: rng.integers(-5, 6, size=n),
    "booleans": lambda rng, n: rng.integers(0, 2, size=n).astype(bool),
    "categories": lambda rng, n: rng.choice(["a", "b", "ab"], size=n).tolist(),
    "days": lambda rng, n: [_DAY + dt.timedelta(days=int(day)) for day in rng.integers(0, 900, size=n)],
}


def as_numbers(column):
    """Return numbers in the order of the values, of unit spread where they have any."""
    written = [value if isinstance(value, (int, float, np.number)) else str(value) for value in column]
    try:
        codes = np.unique(written, return_inverse=True)[1].astype(float)
    except TypeError:
        codes = np.unique([str(value) for value in written], return_inverse=True)[1].astype(float)
    return (codes - codes.mean()) / (codes.std() or 1.0) if len(codes) else codes


# Columns.


def _any_floats(rng, n):
    return [struct.unpack("d", rng.bytes(8))[0] for _ in range(n)]


def _spread_out(rng, n):
    return (rng.choice([-1.0, 1.0], size=n) * 10.0 ** rng.uniform(-320, 308, size=n)).tolist()


def _moments(rng, n, unit="hours"):
    return [_DAY + dt.timedelta(**{unit: int(number)}) for number in rng.integers(-(10**5), 10**5, size=n)]


KINDS = {
    "normal": lambda rng, n: rng.normal(size=n).tolist(),
    "uniform": lambda rng, n: rng.uniform(size=n).tolist(),
    "heavy tails": lambda rng, n: rng.standard_cauchy(size=n).tolist(),
    "lognormal": lambda rng, n: np.exp(5 * rng.normal(size=n)).tolist(),
    "far from zero": lambda rng, n: (1e12 + rng.normal(size=n)).tolist(),
    "huge": lambda rng, n: (1.7e308 * rng.uniform(-1, 1, size=n)).tolist(),
    "tiny": lambda rng, n: (1e-310 * rng.normal(size=n)).tolist(),
    "smallest": lambda rng, n: (5e-324 * rng.integers(0, 3, size=n)).tolist(),
    "spread out": _spread_out,
    "any floats": _any_floats,
    "rounded": lambda rng, n: rng.normal(size=n).round(1).tolist(),
    "half zeros": lambda rng, n: np.maximum(rng.normal(size=n), 0.0).tolist(),
    "nearly constant": lambda rng, n: (1.0 + 1e-16 * rng.integers(0, 4, size=n)).tolist(),
    "one differs": lambda rng, n: [1.0 if i == n // 2 else 0.0 for i in range(n)],
    "constant": lambda rng, n: [3.5] * n,
    "integers": lambda rng, n: rng.integers(-5, 6, size=n).tolist(),
    "large integers": lambda rng, n: rng.integers(-(2**62), 2**62, size=n).tolist(),
    "unsigned": lambda rng, n: (2**63 + rng.integers(0, 2**62, size=n).astype(np.uint64)).tolist(),
    "row numbers": lambda rng, n: list(range(n)),
    "booleans": lambda rng, n: rng.integers(0, 2, size=n).astype(bool).tolist(),
    "two values": lambda rng, n: rng.choice([0.0, 1.5], size=n).tolist(),
    "text": lambda rng, n: rng.choice(["a", "b", "ab"], size=n).tolist(),
    "odd text": lambda rng, n: [one_of(rng, _LETTERS) for _ in range(n)],
    "text of its own": lambda rng, n: [f"row {i}" for i in range(n)],
    "written numbers": lambda rng, n: [f"{number:.2f}" for number in rng.normal(size=n)],
    "days": lambda rng, n: [moment.date() for moment in _moments(rng, n)],
    "moments": _moments,
    "microseconds": lambda rng, n: _moments(rng, n, "microseconds"),
    "zoned": lambda rng, n: [moment.replace(tzinfo=dt.UTC) for moment in _moments(rng, n)],
    "durations": lambda rng, n: [moment - _DAY for moment in _moments(rng, n)],
    "hours": lambda rng, n: [moment.time() for moment in _moments(rng, n)],
    "decimals": lambda rng, n: [Decimal(int(number)) / 8 for number in rng.integers(-50, 50, size=n)],
}
_ODD_KINDS = {
    "nothing": lambda rng, n: [None] * n,
    "of several types": lambda rng, n: [one_of(rng, [1, 2.5, "a", None, True, _DAY]) for _ in range(n)],
    "complex": lambda rng, n: [complex(a, b) for a, b in rng.normal(size=(n, 2))],
    "lists": lambda rng, n: [[1, 2]] * n,
    "bytes": lambda rng, n: [b"a", b"\xff"] * (n // 2) + [b""] * (n % 2),
    "large": lambda rng, n: [10**400 if i % 2 else 1 for i in range(n)],
    "infinite": lambda rng, n: rng.choice([0.5, 1.5, 2.5, np.inf, -np.inf], size=n).tolist(),
}


def _column(rng, n_rows, earlier):
    odd = rng.random() < 0.02
    kinds = _ODD_KINDS if odd else KINDS
    column = list(kinds[one_of(rng, sorted(kinds))](rng, n_rows))
    if earlier and rng.random() < 0.2:
        column = _like(rng, one_of(rng, earlier))
    if rng.random() < 0.15 and n_rows:
        gaps = rng.integers(0, n_rows, size=int(one_of(rng, [1, 2, n_rows // 3, n_rows])))
        gap = one_of(rng, [None, None, float("nan")])
        column = [gap if i in gaps else value for i, value in enumerate(column)]
    return column


def _like(rng, column):
    """Return a copy of a column, or nearly one."""
    if all(isinstance(value, float) for value in column) and rng.random() < 0.7:
        changed = np.array(column)
        with np.errstate(all="ignore"):
            changed = one_of(rng, [2 * changed, -changed, changed * (1 + 1e-12 * rng.normal(size=len(column)))])
        return np.where(np.isfinite(changed), changed, column).tolist()
    return list(column)


def _columns(rng, n_rows, n_columns):
    columns = []
    for _ in range(n_columns):
        columns.append(_column(rng, n_rows, columns))
    return columns


_ODD_NAMES = [
    *(
        "",
        " ",
        "a b",
        "x0",
        "target",
        "ö",
        "😀",
        "line\nbreak",
        "tab\t",
        "\x1b[31mred",
        "<b>&amp;",
        "[bold]",
        "{0} %s",
    ),
    *(
        "__class__",
        "half \ud800",
        "quote\"'",
        "n" * 300,
        "a,b",
        "\u2028",
        "\u202eback",
        "−",
        "nan",
        "True",
        "0",
        "\0",
    ),
]
_ODD_LABELS = [0, 1, -1, 1.5, float("nan"), None, True, ("a", 1), _DAY, b"bytes", "text", "0", Decimal(1)]


def _names(rng, n_columns):
    """Return names: plain ones, odd ones, or of other types than text, now and then not unique."""
    kind = rng.random()
    if kind < 0.6:
        return [f"column {i}" for i in range(n_columns)]
    odd = _ODD_NAMES if kind < 0.9 else _ODD_LABELS
    drawn = [odd[i] for i in rng.permutation(len(odd))[:n_columns]]
    if n_columns > 1 and rng.random() < 0.05:
        drawn[-1] = drawn[0]
    return drawn


# Tables of columns.


def _table(rng, columns, names, n_rows):
    """Return the columns as some library has them, and the names by which they can be asked for."""
    kind = one_of(
        rng, [*["pandas"] * 5, *["polars"] * 4, *["pyarrow"] * 2, *["numpy"] * 2, *["lists"] * 2, "other"]
    )
    if kind == "pandas":
        return _pandas(rng, columns, names, n_rows), names
    as_text = [str(name).replace("\ud800", "?") for name in names]
    if kind in ("polars", "pyarrow"):
        as_text = [f"{name} {i}" if name in as_text[:i] else name for i, name in enumerate(as_text)]
        make = _polars if kind == "polars" else _pyarrow
        return make(rng, columns, as_text), as_text
    positions = list(range(len(columns)))
    rows = [list(row) for row in zip(*columns, strict=True)] if columns else [[] for _ in range(n_rows)]
    if kind == "lists":
        return one_of(rng, [rows, [tuple(row) for row in rows]]), positions
    cells = np.empty((n_rows, len(columns)), dtype=object)
    for i, column in enumerate(columns):
        cells[:, i] = [*column]
    if kind == "numpy":
        return _numpy(rng, cells), positions
    return _other(rng, cells, names, columns), positions


def _pandas(rng, columns, names, n_rows):
    series = []
    for column in columns:
        one = pd.Series(column, dtype=object) if rng.random() < 0.2 else pd.Series(column)
        wanted = one_of(
            rng, [None, None, "category", "string", "float32", "Float64", "Int64", "boolean", "object"]
        )
        series.append(_attempted(lambda one=one, wanted=wanted: one.astype(wanted), one) if wanted else one)
    frame = pd.concat(series, axis=1) if series else pd.DataFrame(index=range(n_rows))
    frame.columns = pd.Index(names, dtype=object)
    if rng.random() < 0.1 and n_rows:
        frame.index = rng.integers(0, 3, size=n_rows)  # an index is no feature, and need not be unique
    return frame


def _polars(rng, columns, names):
    series = []
    for name, column in zip(names, columns, strict=True):
        one = _attempted(lambda name=name, column=column: pl.Series(name, column, strict=False), None)
        one = pl.Series(name, [str(value) for value in column]) if one is None else one
        wanted = one_of(rng, [None, None, pl.Categorical, pl.Float32, pl.Int8, pl.String])
        series.append(_attempted(lambda one=one, wanted=wanted: one.cast(wanted), one) if wanted else one)
    return pl.DataFrame(series)


def _pyarrow(rng, columns, names):
    arrays = []
    for column in columns:
        one = _attempted(lambda column=column: pa.array(column, from_pandas=bool(rng.integers(2))), None)
        one = pa.array([str(value) for value in column]) if one is None else one
        arrays.append(_attempted(one.dictionary_encode, one) if rng.random() < 0.2 else one)
    return pa.table(arrays, names=names)


def _numpy(rng, cells):
    wanted = one_of(rng, [object, float, float, str, "U3", np.float32, int, bool])
    with np.errstate(all="ignore"):
        return _attempted(lambda: cells.astype(wanted), cells)


def _other(rng, cells, names, columns):
    """Return what few people pass: masked and sparse arrays, cubes, a single column, things that are no table."""
    numbers = _attempted(lambda: cells.astype(float), np.zeros(cells.shape))
    kinds = [
        lambda: np.ma.masked_array(numbers, rng.random(numbers.shape) < 0.05),
        lambda: sparse.csr_array(np.nan_to_num(numbers)),
        lambda: sparse.csc_matrix(np.nan_to_num(numbers)),
        lambda: numbers[:, :, None],
        lambda: np.asfortranarray(numbers),
        lambda: numbers[::-1],
        lambda: numbers[:, 0] if len(columns) else numbers,
        lambda: {str(name): column for name, column in zip(names, columns, strict=True)},
        lambda: one_of(rng, [None, "table.csv", 3, [1, 2, 3], object(), [[1, 2], [3]]]),
        lambda: pl.LazyFrame({"a": [1.0, 2.0]}),
    ]
    return one_of(rng, kinds)()


def _attempted(make, otherwise):
    """Return what a library makes of values, or something else where it cannot."""
    try:
        return make()
    except Exception:  # of any library, which is not what is tested
        return otherwise


# Targets and row groups.


def _target(rng, columns, n_rows):
    numbers = [as_numbers(column) for column in columns if len(column) == n_rows]
    signal = sum((rng.normal() * one for one in numbers[:3]), np.zeros(n_rows)) + 0.2 * rng.normal(size=n_rows)
    kinds = [
        *[lambda: signal, lambda: np.sin(3 * signal), lambda: rng.normal(size=n_rows)] * 3,
        *[lambda: signal.round().astype(int), lambda: signal > 0, lambda: np.where(signal > 0, "yes", "no")] * 2,
        lambda: signal.tolist(),
        lambda: pd.Series(signal, name=one_of(rng, _ODD_NAMES)),
        lambda: pl.Series(one_of(rng, ["y", "", "[bold]", "line\nbreak"]), signal),
        lambda: pa.array(signal),
        lambda: pd.Series(np.where(signal > 0, "yes", "no"), dtype="category"),
        lambda: signal[:, None],
        lambda: np.stack([signal, rng.normal(size=n_rows)], axis=1),
        lambda: pd.DataFrame({"one": signal, "two": signal > 0}),
        lambda: _column(rng, n_rows, columns),
        lambda: pd.Series(_column(rng, n_rows, columns)),
        lambda: signal * one_of(rng, [1e300, 1e-300, 1e-320]),
    ]
    spoilt = [
        lambda: None,
        lambda: np.ones(n_rows),
        lambda: np.where(rng.random(n_rows) < 0.1, np.nan, signal),
        lambda: np.where(rng.random(n_rows) < 0.1, np.inf, signal),
        lambda: signal[:-1],
        lambda: [*signal, 1.0],
        lambda: [f"class {i}" for i in range(n_rows)],
        lambda: signal[:, None, None],
        lambda: "y",
        lambda: 3,
        lambda: [[1, 2], [3]],
        lambda: [None] * n_rows,
        lambda: signal + 1j,
    ]
    return one_of(rng, spoilt if rng.random() < 0.08 else kinds)()


def _row_groups(rng, n_rows):
    if rng.random() < 0.85:
        return None
    kinds = [
        lambda: rng.integers(0, max(n_rows // 3, 1), size=n_rows),
        lambda: np.arange(n_rows) // 2,
        lambda: pd.Series(rng.choice(["a", "b", "c", "d", "e", "f", "g"], size=n_rows)),
        lambda: pl.Series([f"group {i // 4}" for i in range(n_rows)]),
        lambda: [i // 3 if i % 2 else f"{i // 3}" for i in range(n_rows)],
        lambda: np.zeros(n_rows),
        lambda: [None] * n_rows,
        lambda: np.where(np.arange(n_rows) == 1, np.nan, np.arange(n_rows) // 2),
        lambda: [0, 1],
        lambda: "groups",
        lambda: np.zeros((n_rows, 2)),
    ]
    return one_of(rng, kinds)()


# Parameters.


def valid_parameters(names):
    some = names[: max(len(names) // 2, 1)]
    return {
        "alpha": [0.05, 0.1, 0.2, 0.5, np.float32(0.05)],
        "method": [
            *["calibrated", "published"] * 3,
            *(Calibrated(n_permutations=count) for count in (99, 199, 399)),
            Calibrated(null="circular"),
            Calibrated(null="local", n_permutations=99),
            *(Published(n_permutations=19, n_folds=count) for count in (2, 5, 30, 100)),
            Published(n_permutations=39, t_threshold=1.0),
            Published(n_permutations=39),
        ],
        "search": [
            *["forward"] * 4,
            *("backward", "floating", "filter", Forward(), Backward(), Floating(add=2), Floating(add=2, remove=2)),
            *(Filter(), Filter(control="fdr"), Filter(control=None)),
        ],
        "criterion": [
            *["ksg"] * 6,
            *("ksg2", "quadratic", "gamma", "delta", "neighbor-error", "histogram", "kernel-density"),
            *("gaussian-copula", "series", KSG(1), KSG(3), KSG(50), KSG(4, variant=2), KSG(max_neighbors=3)),
            *(GammaTest(2), DeltaTest(), GaussianCopula(), Histogram(2), Histogram(5, spacing="width")),
            *(Histogram(spacing="width"), KernelDensity(0.5), KernelDensity(1e-9), KernelDensity(1e9)),
            *(QuadraticMI(1.0), QuadraticMI(distance="euclidean"), NeighborError(3), Series()),
        ],
        "min_features": [0, 0, 0, 1, 2, np.int64(1)],
        "max_features": [None, None, 3, 4, np.int64(2)],
        "keep": [None, None, None, some[:1], some[0] if some else None],
        "ignore": [None, None, None, [-1], names[-1:]],
        "feature_groups": [
            None,
            None,
            None,
            {},
            {"pair": [0, -1]},
            {"[bold]": some},
            {"first": [0], "last": [-1]},
        ],
        "discrete_features": ["auto", "auto", True, False, None, [0], some, [False] * len(names)],
        "discrete_target": ["auto", "auto", "auto", True, False],
        "scale": ["standard", "rank", "none"],
        "missing": ["error", "drop", "drop", "drop", "partial"],
        "random_state": [0, 1, None, 2**40, np.int64(5)],
        "n_jobs": [None, None, 1, 2, -1],
        "verbose": [0, 0, 1, True],
        "time_limit": [None, None, None, 600, float("inf"), 0.02, 1e-9],
    }


_ODD = [
    *(None, True, 0, -1, 1.5, 99, 2**70, 10**400, float("nan"), float("inf"), "", "none such", "auto", b"a", 1j),
    *(
        [],
        [99],
        ["none such"],
        [1.5],
        [True],
        [None],
        {},
        {"a": 1},
        {"a": []},
        {"a": [0], "b": [0]},
        {1: [0]},
        set(),
    ),
    *(object(), KSG, KSG(), Decimal("0.1"), np.arange(2), np.array(0.5), _DAY, float, ("a", 1), [[0]], lambda: 0),
]
_ODD_OBJECTS = {
    "method": [
        *(Calibrated, Calibrated(null="none"), Calibrated(n_permutations=0), Calibrated(n_permutations="many")),
        *(
            Calibrated(n_permutations=2.5),
            Published(n_folds=1),
            Published(n_folds="5"),
            Published(t_threshold="a"),
        ),
        *(Published(t_threshold=float("nan")), Published(n_permutations=1), Published(n_permutations=True)),
    ],
    "search": [Filter, Filter(control="none"), Floating(add=0), Floating(remove=2), Floating(add="2")],
    "criterion": [
        *(KSG(0), KSG(1.5), KSG("none"), KSG(variant=3), KSG(max_neighbors=0), KSG(1000), KSG(2**70)),
        *(Histogram(1), Histogram(2**40), Histogram(spacing="none"), KernelDensity(0), KernelDensity(-1.0)),
        *(KernelDensity(float("nan")), QuadraticMI(distance="none"), QuadraticMI("a"), GammaTest(0)),
        *(NeighborError(1000), NeighborError(None)),
    ],
    "random_state": [np.random.default_rng(0), np.random.RandomState(0), -5, [1, 2], "seed"],
}


def _parameters(rng, names, folder):
    """Return parameters, most of them left as they are, now and then one that cannot be used."""
    valid = valid_parameters(list(names))
    parameters = {name: one_of(rng, values) for name, values in valid.items() if rng.random() < 0.4}
    parameters.setdefault("missing", one_of(rng, valid["missing"]))
    parameters.setdefault("random_state", 0)
    if rng.random() < 0.15:
        parameters["checkpoint"] = _checkpoint(rng, folder)
    if rng.random() < 0.2:
        spoilt = one_of(rng, [*valid, "checkpoint"])
        odd = one_of(rng, _ODD_OBJECTS.get(spoilt, _ODD) if rng.random() < 0.5 else _ODD)
        parameters[spoilt] = str(folder / odd) if spoilt == "checkpoint" and isinstance(odd, str) else odd
    return parameters


def _checkpoint(rng, folder):
    path = folder / "state.json"
    if rng.random() < 0.1:
        path.write_bytes(one_of(rng, [b"", b"{}", b'{"infosift": "State"}', b"\xff", b"[" * 9000]))
    return one_of(rng, [*[path] * 4, *[str(path)] * 4, folder, folder / "none" / "state.json"])
