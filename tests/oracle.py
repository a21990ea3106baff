"""The estimators and the choice of k as the papers define them: slow and plainly right."""

import numpy as np
from scipy.special import digamma


def max_norm(columns):
    """Distances between all rows of an array (columns x rows); a row is infinitely far from itself."""
    distances = np.abs(columns[:, :, None] - columns[:, None, :]).max(axis=0)
    np.fill_diagonal(distances, np.inf)
    return distances


def ksg(X, Y, k, variant):
    """Kraskov, Stögbauer and Grassberger (2004), equations 8 and 9, for arrays (columns x rows).

    Rows tied with the k-th neighbour are neighbours when the sides of the rectangle of variant 2 are measured.
    """
    in_x, in_y = max_norm(X), max_norm(Y)
    joint = np.maximum(in_x, in_y)
    n = X.shape[1]
    total = 0.0
    for i in range(n):
        radius = np.sort(joint[i])[k - 1]
        if variant == 1:
            n_x = np.sum(in_x[i] < radius)
            n_y = np.sum(in_y[i] < radius)
            total += digamma(n_x + 1) + digamma(n_y + 1)
        else:
            neighbors = joint[i] <= radius
            n_x = np.sum(in_x[i] <= in_x[i][neighbors].max())
            n_y = np.sum(in_y[i] <= in_y[i][neighbors].max())
            total += digamma(n_x) + digamma(n_y)
    if variant == 1:
        return digamma(k) + digamma(n) - total / n
    return digamma(k) - 1 / k + digamma(n) - total / n


def mixed(X, Y, k):
    """Variant 1 where some values are categories or missing.

    Columns are (values, which of them are categories); None is a missing value. A row is compared in the columns
    of X that it has, with the rows that have them too. Rows are as far apart as in their numbers, or in another
    cell where a category differs. Where the cell of a row has fewer others than k, these are its neighbours. Where
    a row has no numbers, or gaps hide them, the neighbours of a row are those that are equal to it.
    """
    n = len(X[0][0])
    varying = [
        (values, is_category)
        for values, is_category in [*X, *Y]
        if len({v for v, c in zip(values, is_category, strict=True) if v is not None and not c}) > 1
    ]
    gaps = any(v is None for values, _ in X for v in values)

    def distance(columns, i, j):
        apart = 0.0
        for values, is_category in columns:
            if values[i] is None:
                continue
            if is_category[i] or is_category[j]:
                apart = max(apart, 0.0 if values[i] == values[j] else np.inf)
            else:
                apart = max(apart, abs(values[i] - values[j]))
        return apart

    total = 0.0
    for i in range(n):
        has = [values for values, _ in X if values[i] is not None]
        others = [j for j in range(n) if j != i and all(values[j] is not None for values in has)]
        in_x, in_y = (np.array([distance(columns, i, j) for j in others]) for columns in (X, Y))
        joint = np.maximum(in_x, in_y)
        cell = np.sort(joint[np.isfinite(joint)])
        count = min(k, len(cell))
        radius = cell[count - 1] if count else np.inf
        if (gaps and radius == 0) or all(values[i] is None or is_category[i] for values, is_category in varying):
            alike = [1 + np.sum(near == 0) for near in (joint, in_x, in_y)]
            total += digamma(alike[0]) - digamma(alike[1]) - digamma(alike[2])
        else:
            n_x, n_y = (1 + np.sum(near < radius) for near in (in_x, in_y))
            total += digamma(max(count, 1)) - digamma(n_x) - digamma(n_y)
        total += digamma(1 + len(others))
    return total / n


def t_statistic(x, y, k, variant, parts, shuffles):
    """The Student-like measure of the paper for one feature and one k.

    ``parts`` are the rows without each fold, ``shuffles`` the same rows in another order.
    """
    plain = [ksg(x[None, rows], y[None, rows], k, variant) for rows in parts]
    shuffled = [
        ksg(x[None, order], y[None, rows], k, variant) for rows, order in zip(parts, shuffles, strict=True)
    ]
    spread = np.sqrt(np.var(plain, ddof=1) + np.var(shuffled, ddof=1))
    return (np.mean(plain) - np.mean(shuffled)) / spread


def windows(columns, width):
    """Product-Gaussian windows of all pairs of rows, for arrays of numbers and of text (columns x rows)."""
    n = len(columns[0])
    product = np.ones((n, n))
    for column in columns:
        for i in range(n):
            for j in range(n):
                if column.dtype.kind == "U":
                    product[i, j] *= column[i] == column[j]
                else:
                    product[i, j] *= np.exp(-((column[i] - column[j]) ** 2) / (2 * width**2))
    return product


def scott(columns):
    """Scott's rule for columns of unit variance, of which text has no width."""
    n_numbers = sum(column.dtype.kind != "U" for column in columns)
    return len(columns[0]) ** (-1 / (n_numbers + 4)), n_numbers


def quadratic(X, Y, bandwidth, distance):
    """Principe's quadratic information: double sums of Gaussians with the double variance."""
    rule, n_numbers = scott([*X, *Y])
    width = np.sqrt(2) * bandwidth * rule
    height = (2 * np.pi * width**2) ** (-n_numbers / 2)
    in_x, in_y = windows(X, width), windows(Y, width)
    joint = height * np.mean(in_x * in_y)
    marginal = height * np.mean(in_x) * np.mean(in_y)
    cross = height * np.mean([np.mean(a) * np.mean(b) for a, b in zip(in_x, in_y, strict=True)])
    return np.log(joint * marginal / cross**2) if distance == "cauchy-schwarz" else joint - 2 * cross + marginal


def kernel_density(X, Y, bandwidth):
    """The mean logarithm of the ratio of densities, each from the other rows."""
    width = bandwidth * scott([*X, *Y])[0]
    in_x, in_y = windows(X, width), windows(Y, width)
    n = len(in_x)
    total = 0.0
    for i in range(n):
        others = [j for j in range(n) if j != i]
        density = [np.mean(own[i, others]) for own in (in_x * in_y, in_x, in_y)]
        total += np.log(density[0] / density[1] / density[2])
    return total / n


def neighbors_of(X, k):
    """The k nearest rows of each by the Euclidean distance, and the distances; text is one apart."""
    n = len(X[0])
    squared = np.zeros((n, n))
    for column in X:
        if column.dtype.kind == "U":
            squared += column[:, None] != column
        else:
            squared += (column[:, None] - column) ** 2
    np.fill_diagonal(squared, np.inf)
    order = np.argsort(squared, axis=1)[:, :k]
    return order, np.sqrt(np.take_along_axis(squared, order, axis=1))


def gamma_test(X, y, k):
    """The intercept of the regression of gamma on delta, as a share of the variance of y."""
    near, distances = neighbors_of(X, k)
    delta = [np.mean(distances[:, p] ** 2) for p in range(k)]
    gamma = [np.mean((y[near[:, p]] - y) ** 2) / 2 for p in range(k)]
    intercept = gamma[0] if k == 1 else np.polyfit(delta, gamma, 1)[1]
    return intercept / np.var(y)


def neighbor_error(X, y, k):
    """The leave-one-out error of nearest neighbours, of numbers as a share of their variance."""
    near, _ = neighbors_of(X, k)
    if y.dtype.kind != "U":
        return np.mean([(y[i] - np.mean(y[near[i]])) ** 2 for i in range(len(y))]) / np.var(y)
    wrong = 0.0
    for i in range(len(y)):
        votes = {name: np.sum(y[near[i]] == name) for name in set(y)}
        most = [name for name, count in votes.items() if count == max(votes.values())]
        wrong += 1 - (y[i] in most) / len(most)
    return wrong / len(y)


def plug_in(x, y):
    """The sum over the table of two columns of labels."""
    n, total = len(x), 0.0
    for a in set(x):
        for b in set(y):
            both = sum(p == a and q == b for p, q in zip(x, y, strict=True))
            if both:
                total += both / n * np.log(n * both / (list(x).count(a) * list(y).count(b)))
    return total
