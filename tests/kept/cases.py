"""Tables and parameters of the kept selections: both methods, every kind of table."""

import numpy as np
import polars as pl
from sklearn.datasets import load_wine

from studies.simulated import draw_friedman


def _numbers(seed=0, n=100):
    X, y = draw_friedman(seed, n)
    return pl.DataFrame(X, schema=[f"x{i}" for i in range(10)]), pl.Series("y", y)


def _copies():
    X, y = draw_friedman(3, 100)
    rng = np.random.default_rng(3)
    near = [X[:, 3] + 0.05 * rng.normal(size=100) for _ in range(5)]
    frame = pl.DataFrame(X, schema=[f"x{i}" for i in range(10)])
    return frame.with_columns(**{f"copy{i}": values for i, values in enumerate(near)}), pl.Series("y", y)


def _classes(n_classes):
    rng = np.random.default_rng(n_classes)
    X = rng.normal(size=(150, 6))
    signal = X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=150)
    y = np.digitize(signal, np.quantile(signal, np.linspace(0, 1, n_classes + 1)[1:-1]))
    names = np.array(["low", "middle", "high"])[y] if n_classes == 3 else np.array(["no", "yes"])[y]
    return pl.DataFrame(X, schema=list("abcdef")), pl.Series("class", names)


def _mixed():
    rng = np.random.default_rng(5)
    n = 120
    color = rng.choice(["red", "green", "blue"], size=n)
    rain = np.maximum(rng.normal(size=n), 0.0)
    noise = rng.normal(size=n)
    y = (color == "red") + rain + 0.3 * rng.normal(size=n)
    frame = pl.DataFrame({"color": color, "rain": rain, "noise": noise, "flag": rng.integers(0, 2, n)})
    frame = frame.with_columns(grid=pl.Series(rng.integers(0, 9, n).astype(float)), constant=pl.lit(1.0))
    return frame.with_columns(twice=2 * pl.col("noise")), pl.Series("y", y)


def _targets():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(120, 5))
    Y = np.column_stack([X[:, 0] + 0.4 * rng.normal(size=120), X[:, 1] ** 2 + 0.4 * rng.normal(size=120)])
    return pl.DataFrame(X, schema=list("abcde")), pl.DataFrame(Y, schema=["first", "second"])


def _exclusive_or():
    rng = np.random.default_rng(11)
    X = rng.normal(size=(200, 6))
    y = np.sign(X[:, 0] * X[:, 1]) + 0.3 * rng.normal(size=200)
    return pl.DataFrame(X, schema=list("abcdef")), pl.Series("y", y)


def _repeated_measures():
    rng = np.random.default_rng(13)
    people = np.repeat(np.arange(30), 4)
    own = rng.normal(size=(30, 4))[people]
    X = own + 0.5 * rng.normal(size=(120, 4))
    y = X[:, 0] + own[:, 1] + 0.5 * rng.normal(size=120)
    return pl.DataFrame(X, schema=list("abcd")), pl.Series("y", y), people


def _gaps():
    frame, y = _numbers(2)
    holes = np.random.default_rng(17).uniform(size=frame.shape) < 0.02
    values = np.where(holes, np.nan, frame.to_numpy())
    return pl.DataFrame(values, schema=frame.columns), y


def _chain():
    rng = np.random.default_rng(19)
    n = 150
    hidden = rng.normal(size=(n, 2))
    columns = {f"a{i}": hidden[:, 0] + 0.3 * rng.normal(size=n) for i in range(4)}
    columns |= {f"b{i}": hidden[:, 1] + 0.3 * rng.normal(size=n) for i in range(3)}
    columns["best"] = hidden[:, 0] + 0.01 * rng.normal(size=n)
    return pl.DataFrame(columns), pl.Series("y", hidden[:, 0] + hidden[:, 1] + 0.3 * rng.normal(size=n))


def _wine():
    data = load_wine()
    return pl.DataFrame(data.data, schema=list(data.feature_names)), pl.Series("cultivar", data.target)


def _poor_then_good():
    rng = np.random.default_rng(23)
    n = 200
    causes = rng.normal(size=(n, 3))
    mixture = causes.sum(axis=1) + 0.4 * rng.normal(size=n)
    columns = {"mixture": mixture, **{f"cause{i}": causes[:, i] for i in range(3)}, "noise": rng.normal(size=n)}
    return pl.DataFrame(columns), pl.Series("y", causes.sum(axis=1) + 0.2 * rng.normal(size=n))


_GROUPS = {"shape": ["x0", "x1"], "rest": ["x7", "x8", "x9"]}
_TABLES = {
    "numbers": (_numbers, {}),
    "copies": (_copies, {}),
    "two classes": (lambda: _classes(2), {}),
    "three classes": (lambda: _classes(3), {}),
    "mixed": (_mixed, {}),
    "several targets": (_targets, {}),
    "pairs": (_exclusive_or, {}),
    "feature groups": (_numbers, {"feature_groups": _GROUPS}),
    "row groups": (_repeated_measures, {}),
    "gaps dropped": (_gaps, {"missing": "drop"}),
    "chain": (_chain, {}),
    "one that the others replace": (_poor_then_good, {}),
    "kept and ignored": (_numbers, {"keep": ["x3", "x6"], "ignore": ["x9"], "max_features": 4}),
    "ranks": (_numbers, {"scale": "rank", "alpha": 0.1}),
    "long": (lambda: _numbers(4, 500), {"max_features": 3}),
}
# Parameters of one method or criterion are written "method.name" and "criterion.name".
_ONLY = {
    "published": {
        "gaps compared": (_gaps, {"missing": "partial"}),
        "second variant": (_numbers, {"criterion": "ksg2"}),
        "resampling": (_numbers, {"method.n_folds": 10, "criterion.max_neighbors": 12, "method.t_threshold": 2.0}),
        "given neighbors": (_numbers, {"criterion.n_neighbors": 7, "method.n_permutations": 39}),
    },
    "calibrated": {
        "wine": (_wine, {"random_state": 0, "discrete_target": True}),
        "local null": (_numbers, {"method.null": "local", "max_features": 2}),
        "shuffled null": (_numbers, {"method.null": "shuffle"}),
        "given neighbors": (_numbers, {"criterion.n_neighbors": 7}),
        "given permutations": (_numbers, {"method.n_permutations": 99}),
    },
}
CASES = {
    f"{method}, {name}": (make, {"method": method, **options})
    for method in ("published", "calibrated")
    for name, (make, options) in {**_TABLES, **_ONLY[method]}.items()
}
