"""What is timed. Functions return lines of the table; ``Size`` makes them long, or short for a smoke test."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.feature_selection import mutual_info_regression

from benchmarks import peers
from benchmarks.data import TABLES, columns, selection_table
from benchmarks.timing import Result, interleaved, seconds
from infosift import MutualInfoSelector, Selection, permutation_test, score_candidates

K = 10
_TIMED_COLUMNS = 6  # of the peer's choice of k, for the extrapolation


@dataclass(frozen=True)
class Size:
    """How much to do."""

    one_column: tuple[int, ...] = (1_000, 10_000, 100_000)
    one_column_d: int = 50
    given: tuple[int, ...] = (1_000, 4_000, 16_000)
    given_d: int = 100
    permutations_n: int = 1_000
    selection: tuple[int, int] = (1_024, 104)
    tables: tuple[str, ...] = TABLES
    table_rows: int | None = None
    table_columns: int | None = None
    large_tables: tuple[tuple[int, int], ...] = ((20_000, 200), (1_000_000, 5), (200, 50_000))
    resamples: int = 50
    growth_one: tuple[int, ...] = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000)
    growth_given: tuple[int, ...] = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000)
    growth_d: int = 100
    repeats: int = 5


SMOKE = Size(
    one_column=(200,),
    one_column_d=4,
    given=(200,),
    given_d=4,
    permutations_n=100,
    selection=(60, 8),
    tables=("diabetes", "wine", "sonar"),
    table_rows=60,
    table_columns=4,
    large_tables=((300, 6),),
    resamples=4,
    growth_one=(200, 400),
    growth_given=(200, 400),
    growth_d=4,
    repeats=1,
)


def one_column(size: Size) -> list[Result]:
    """MI of each column with y: scikit-learn, ennemi, infomeasure."""
    results = []
    for n, bar in zip(size.one_column, (10, 12, 12), strict=False):
        C, _, y = columns(n, size.one_column_d)
        few = C[:, :: max(1, C.shape[1] // 5)]  # peers are timed on a few of the columns, and scaled up
        share = C.shape[1] / few.shape[1]
        contestants = {
            "infosift": lambda C=C, y=y: score_candidates(C, y, n_neighbors=K),
            "scikit-learn": lambda few=few, y=y: mutual_info_regression(few, y, n_neighbors=K),
        }
        if n <= 10_000 and peers.installed("ennemi"):
            contestants["ennemi"] = lambda few=few, y=y: peers.ennemi_scores(few, y, K)
        if n <= 10_000 and peers.installed("infomeasure"):
            contestants["infomeasure"] = lambda few=few, y=y: peers.infomeasure_scores(few, y, K)
        np.testing.assert_allclose(
            np.maximum(score_candidates(few, y, n_neighbors=K), 0),
            mutual_info_regression(few, y, n_neighbors=K),
            atol=1e-3,
        )
        times = interleaved(contestants, size.repeats if n < 100_000 else min(size.repeats, 3))
        for peer in list(times)[1:]:
            work = f"{C.shape[1]} columns one by one, n = {n:,}"
            results.append(
                Result(work, peer, times["infosift"], share * times[peer], bar if peer == "scikit-learn" else None)
            )
    return results


def given_subset(size: Size) -> list[Result]:
    """MI(S + c; y) for many candidates c given five columns S: the textbook KD-tree."""
    results = []
    for n, bar in zip(size.given, (50, 60, 50), strict=False):
        C, S, y = columns(n, size.given_d, n_given=5)
        few = 3
        share = C.shape[1] / few
        joint = [np.column_stack([S, C[:, i]]) for i in range(few)]

        def tree(joint=joint, y=y):
            return [peers.kd_tree_ksg(X, y, [K])[0] for X in joint]

        np.testing.assert_allclose(score_candidates(C[:, :few], y, S, n_neighbors=K), tree(), atol=1e-9)
        times = interleaved(
            {"infosift": lambda C=C, y=y, S=S: score_candidates(C, y, S, n_neighbors=K), "SciPy KD-tree": tree},
            size.repeats if n <= 4_000 else min(size.repeats, 3),
        )
        work = f"{C.shape[1]} candidates given 5 columns, n = {n:,}"
        results.append(Result(work, "SciPy KD-tree", times["infosift"], share * times["SciPy KD-tree"], bar))
    return results


def permutations(size: Size) -> list[Result]:
    """200 permutations of one candidate given three columns: tigramite's CMIknn."""
    C, S, y = columns(size.permutations_n, 1, n_given=3)
    work = f"200 permutations given 3 columns, n = {size.permutations_n:,}"

    def ours() -> object:
        return permutation_test(C, y, S, n_permutations=200, n_neighbors=K, random_state=0)

    if not peers.installed("tigramite"):
        return [Result(work, "tigramite", seconds(ours), None, 50, "tigramite is not installed")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peers.tigramite_test(C[:20, 0], y[:20], S[:20], 3, 2)  # its compilation is not what is compared
        times = interleaved(
            {"infosift": ours, "tigramite": lambda: peers.tigramite_test(C[:, 0], y, S, K, 200)},
            min(size.repeats, 3),
        )
    return [Result(work, "tigramite", times["infosift"], times["tigramite"], 50, "with its local permutations")]


def whole_selection(size: Size) -> list[Result]:
    """Whole published selection: the same steps on KD-trees, extrapolated; and two threads against one."""
    X, y, source = selection_table(*size.selection)

    def select(n_jobs: int) -> MutualInfoSelector:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # constant and repeated columns of the data
            return MutualInfoSelector(method="published", random_state=0, n_jobs=n_jobs).fit(X, y)

    selection = select(1).selection_
    times = interleaved({"one": lambda: select(1), "two": lambda: select(2)}, min(size.repeats, 3))
    work = f"published selection, k chosen, {X.shape[0]:,} × {X.shape[1]}"
    note = f"{source}; peer extrapolated from {_TIMED_COLUMNS} columns and one score of each step"
    total = _kd_tree_selection_seconds(X, y, selection)
    results = [
        Result(work, "SciPy KD-tree", times["one"], total, 100, note),
        Result(work, "infosift, one thread", times["two"], times["one"], 1.8, f"{source}; two threads"),
    ]
    n_features = max(len(selection.names), 1)
    others = {
        "Boruta": lambda: peers.boruta_selection(X, y),
        "mlxtend": lambda: peers.mlxtend_selection(X, y, n_features),
    }
    for peer, run in others.items():
        if peers.installed(peer):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                taken = seconds(run)
            results.append(Result(work, peer, times["one"], taken, note="another procedure, on the same table"))
        else:
            results.append(Result(work, peer, times["one"], None, note=f"{peer} is not installed"))
    return results


def _kd_tree_selection_seconds(X: np.ndarray, y: np.ndarray, selection: Selection) -> float:
    """Extrapolate from the times of a few columns, shuffled versions of them, and one score of each step."""
    rng = np.random.default_rng(0)
    scaled = (X - X.mean(0)) / np.where(X.std(0) > 0, X.std(0), 1) + 1e-10 * rng.normal(size=X.shape)
    y_scaled = (y - y.mean()) / y.std() + 1e-10 * rng.normal(size=y.shape)
    refused = {*selection.constant, *(name for name, _ in selection.duplicates)}
    usable = [i for i, name in enumerate(selection.feature_names) if name not in refused]
    rows = np.arange(len(y))[: len(y) - len(y) // selection.neighbors.n_folds]
    timed = [usable[i] for i in np.linspace(0, len(usable) - 1, _TIMED_COLUMNS).astype(int)]
    choice = [
        seconds(lambda x=x: peers.kd_tree_ksg(x[:, None], y_scaled[rows], selection.neighbors.candidates))
        for i in timed
        for x in (scaled[rows, i], scaled[rng.permutation(rows), i])
    ]
    total = 2 * selection.neighbors.n_folds * len(usable) * float(np.mean(choice))
    chosen = scaled[:, list(selection.indices)]
    for number, step in enumerate(selection.steps):
        subset = chosen[:, : min(number + 1, chosen.shape[1])]
        one = seconds(lambda subset=subset: peers.kd_tree_ksg(subset, y_scaled, [selection.n_neighbors]))
        total += (len(step.candidates) + step.n_permutations) * one
    return total


def growth(size: Size) -> dict[str, list[tuple[int, float]]]:
    """Seconds per candidate against n: one column alone, and one given three columns."""
    curves: dict[str, list[tuple[int, float]]] = {"one column": [], "given 3 columns": []}
    for name, n_given, lengths in (
        ("one column", 0, size.growth_one),
        ("given 3 columns", 3, size.growth_given),
    ):
        for n in lengths:
            C, S, y = columns(n, size.growth_d if n_given else min(size.growth_d, 10), n_given)
            given = S if n_given else None
            run = lambda C=C, y=y, given=given: score_candidates(C, y, given, n_neighbors=K)  # noqa: E731
            run()  # warm
            repeats = 4 * size.repeats if n <= 5_000 else min(size.repeats, 3)
            curves[name].append((n, interleaved({"run": run}, repeats)["run"] / C.shape[1]))
    return curves


def exponent(curve: list[tuple[int, float]]) -> float:
    """Return the slope from the first to the last point in logarithms."""
    (n0, t0), (n1, t1) = curve[0], curve[-1]
    return float(np.log(t1 / t0) / np.log(n1 / n0))
