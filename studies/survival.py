"""Times until an event: error rates, power over kinds of hazard, and concordance on real data."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from itertools import product
from statistics import fmean

import numpy as np
from scipy.stats import chi2
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from infosift.arrays import FloatArray
from infosift.comparison import concordance_score, cox_model
from infosift.data.survival import martingale_residuals, read_censored
from infosift.selector import MutualInfoSelector
from studies import simulated
from studies.calibration import Situation, count
from studies.outcome import Outcome, Setting, Table, per_cent

_N_FOLDS, _N_DIVISIONS = 5, 4
_LEVEL, _SMALLEST_PENALTY = 0.05, 0.01
TABLES = ("GBSG2", "WHAS500", "GSE7390")
SUBSETS = ("selected", "Coxnet, as many as selected", "for prediction", "Coxnet, as many as for prediction", "all")
_EFFECTS = tuple(name for name in simulated.HAZARDS if name != "no effect")

Scores = dict[str, float]


def levels() -> list[Situation]:
    """Return tables in which nothing is to be found, whatever censoring depends on."""
    return [
        Situation(
            f"{100 * censored:.0f} % censored, {censoring}, n = {n}",
            partial(simulated.survival, "no effect", n=n, censored=censored, censoring=censoring),
            200,
            ("any",),
            "at most 7 %",
        )
        for censoring, censored, n in product(simulated.CENSORING, (0.3, 0.7), (100, 300))
    ]


def changes() -> list[Situation]:
    """Return hazards given x0 that are not proportional, where an uninformative feature drives censoring."""
    return [
        Situation(
            f"given x0: {name} hazards, n = {n}",
            partial(simulated.changing_hazards, name, n=n),
            200,
            ("unrelated",),
            "",
            keeps=True,
        )
        for name, n in product(("crossing", "delayed", "cured"), (100, 300))
    ]


def effects() -> list[Situation]:
    """Return effects on the hazard."""
    return [
        Situation(
            f"{name}, {100 * censored:.0f} % censored",
            partial(simulated.survival, name, n=200, censored=censored),
            100,
            ("exact", "all", "clean"),
            "",
        )
        for name, censored in product(_EFFECTS, (0.3, 0.7))
    ]


def cox_screen(X: FloatArray, y: np.ndarray) -> frozenset[int]:
    """Return the features whose score test in a Cox model of their own is significant, by Bonferroni."""
    (column,) = read_censored(y).values
    residuals, times = martingale_residuals(column).residuals[0], np.abs(column)
    at_risk = times[:, None] >= times[~np.signbit(column)]  # rows x events
    means, squares = (own.T @ at_risk / at_risk.sum(axis=0) for own in (X, X**2))
    statistics = (X.T @ residuals) ** 2 / (squares - means**2).sum(axis=1)
    return frozenset(np.flatnonzero(chi2.sf(statistics, 1) * X.shape[1] <= _LEVEL).tolist())


def load_table(name: str) -> tuple[FloatArray, np.ndarray]:
    """Return a table that comes with scikit-survival, categories as codes in the order of their names."""
    from sksurv import datasets

    loaders = {"GBSG2": "load_gbsg2", "WHAS500": "load_whas500", "GSE7390": "load_breast_cancer"}
    frame, y = getattr(datasets, loaders[name])()
    columns = [
        own.cat.codes.to_numpy() if str(own.dtype) == "category" else own.to_numpy() for _, own in frame.items()
    ]
    return np.column_stack(columns).astype(np.float64), y


def coxnet_features(X: FloatArray, y: np.ndarray, n_features: int) -> list[int]:
    """Return the features of an L1-penalised Cox model, at the largest penalty with as many of them."""
    from sksurv.linear_model import CoxnetSurvivalAnalysis

    if not n_features:
        return []
    scaled = StandardScaler().fit_transform(X)
    path = CoxnetSurvivalAnalysis(l1_ratio=1.0, alpha_min_ratio=_SMALLEST_PENALTY, n_alphas=200)
    coefficients = np.abs(path.fit(scaled, y).coef_)
    numbers = np.count_nonzero(coefficients, axis=0)
    enough = np.flatnonzero(numbers >= n_features)
    place = enough[0] if len(enough) else int(np.argmax(numbers))
    order = np.argsort(-coefficients[:, place], kind="stable")
    return [int(i) for i in order[: min(n_features, numbers[place])]]


def concordance_on(name: str, division: int, fold: int) -> Scores:
    """Return the concordance of a Cox model of each subset on a fold, by features chosen on the other rows."""
    X, y = load_table(name)
    strata = ~np.signbit(read_censored(y).values[0])
    splitter = StratifiedKFold(_N_FOLDS, shuffle=True, random_state=division)
    train, test = list(splitter.split(X, strata))[fold]
    with threadpool_limits(1):
        selection = MutualInfoSelector(random_state=fold, n_jobs=1).fit(X[train], y[train]).selection_
        answer = selection.for_prediction
        own = {"selected": list(selection.indices), "for prediction": list(answer.indices) if answer else []}
        subsets = {**own, "all": list(range(X.shape[1]))}
        for ours, columns in own.items():
            subsets[f"Coxnet, as many as {ours}"] = coxnet_features(X[train], y[train], len(columns))
        scores = {
            subset: _concordance(X[np.ix_(train, columns)], y[train], X[np.ix_(test, columns)], y[test])
            for subset, columns in subsets.items()
        }
    return {**scores, **{f"{subset}, number": float(len(columns)) for subset, columns in own.items()}}


def _concordance(X: FloatArray, y: np.ndarray, X_test: FloatArray, y_test: np.ndarray) -> float:
    if X.shape[1] == 0:
        return 0.5
    return concordance_score(cox_model(y, has_classes=False, seed=0).fit(X, y), X_test, y_test)


def run(setting: Setting) -> Outcome:
    """Count false and true selections, and compare concordances."""
    situations = [*levels(), *changes(), *effects()][:: 8 if setting.quick else 1]
    counts: dict[str, dict[str, float]] = {}
    for situation in setting.track(situations, "situations"):
        n_runs = 2 if setting.quick else situation.n_runs
        counts[situation.name] = {**count(situation, n_runs, setting.map), "runs": n_runs}
        if "exact" in situation.counted:
            screened = list(setting.map(partial(_screen_is_exact, situation.sample), range(n_runs)))
            counts[situation.name]["Cox screen"] = fmean(screened)
    names, n_divisions = (TABLES[:1], 1) if setting.quick else (TABLES, _N_DIVISIONS)
    numbers = {name: _mean_scores(name, n_divisions, setting.map) for name in setting.track(names, "tables")}
    return Outcome("survival", tuple(tables(counts, numbers)), {"counts": counts, "concordance": numbers})


def _screen_is_exact(sample: Callable[[int], simulated.Sample], seed: int) -> float:
    drawn = sample(seed)
    return float(cox_screen(drawn.X, drawn.y) == drawn.truth)


def _mean_scores(name: str, n_divisions: int, map_: Callable[..., Iterable[Scores]]) -> dict[str, float]:
    folds = list(product((name,), range(n_divisions), range(_N_FOLDS)))
    runs = list(map_(concordance_on, *zip(*folds, strict=True)))
    return {**{key: fmean(one[key] for one in runs) for key in runs[0]}, "folds": len(runs)}


def tables(counts: dict[str, dict[str, float]], numbers: dict[str, dict[str, float]]) -> list[Table]:
    """Return the tables of counts and of concordances."""

    def share(counted: dict[str, float], name: str) -> str:
        return per_cent(counted[name], int(counted["runs"]))

    of_level = [
        (name, share(own, what), f"{own['runs']}")
        for name, own in counts.items()
        for what in ("any", "unrelated")
        if what in own
    ]
    of_power = [
        (name, *(share(own, what) for what in ("exact", "all", "clean", "Cox screen")), f"{own['runs']}")
        for name, own in counts.items()
        if "exact" in own
    ]
    of_tables = [
        (
            name,
            *(f"{own[subset]:.3f}" for subset in SUBSETS),
            *(f"{own[f'{subset}, number']:.1f}" for subset in ("selected", "for prediction")),
        )
        for name, own in numbers.items()
    ]
    numbered = ("number selected", "number for prediction")
    return [
        Table(
            "Nothing to find, or nothing but x0: runs in which another feature is selected, in per cent",
            ("times", "selected", "runs"),
            tuple(of_level),
        ),
        Table(
            "Effects on the hazard, n = 200, d = 10: share of runs in per cent",
            ("hazard", "exact", "all found", "no other", "exact by Cox screen", "runs"),
            tuple(of_power),
        ),
        Table("Concordance of a Cox model on rows left out", ("data", *SUBSETS, *numbered), tuple(of_tables)),
    ]
