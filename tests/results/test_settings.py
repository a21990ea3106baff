"""The settings of a run: plain values that say what was asked for, and travel as JSON."""

import json

import numpy as np
import pytest

from infosift import KSG, Calibrated, MutualInfoSelector, Published
from infosift.results import Component, Settings
from samples import friedman


def settings_of(**options):
    X, y = friedman(0, n=40)
    X[:, 7] = np.round(3 * X[:, 7])  # few enough values to be categories
    return MutualInfoSelector(**{"max_features": 1, "random_state": 0, **options}).fit(X, y).selection_.settings


@pytest.mark.parametrize(
    ("options", "method", "criterion"),
    [
        (
            {},
            Component(name="Calibrated", parameters={"n_permutations": "auto", "null": "residual"}),
            Component(name="KSG", parameters={"max_neighbors": 20, "n_neighbors": "auto", "variant": 1}),
        ),
        (
            {"method": "published", "criterion": "ksg2"},
            Component(name="Published", parameters={"n_folds": 30, "n_permutations": "auto", "t_threshold": None}),
            Component(name="KSG", parameters={"max_neighbors": 20, "n_neighbors": "auto", "variant": 2}),
        ),
        (
            {"method": Published(n_permutations=19), "criterion": KSG(n_neighbors=6)},
            Component(name="Published", parameters={"n_folds": 30, "n_permutations": 19, "t_threshold": None}),
            Component(name="KSG", parameters={"max_neighbors": 20, "n_neighbors": 6, "variant": 1}),
        ),
        (
            {"method": Calibrated(null="local", n_permutations=39)},
            Component(name="Calibrated", parameters={"n_permutations": 39, "null": "local"}),
            Component(name="KSG", parameters={"max_neighbors": 20, "n_neighbors": "auto", "variant": 1}),
        ),
    ],
)
def test_method_and_criterion_are_named_with_their_parameters(options, method, criterion):
    settings = settings_of(**options)
    assert settings.method == method
    assert settings.criterion == criterion
    for record in (settings, method, criterion):
        assert type(record).from_json(record.to_json()) == record
        assert type(record).from_json(record.to_json(indent=2)).to_json() == record.to_json()


def test_everything_that_can_be_asked_for_comes_back_from_json():
    settings = settings_of(
        alpha=0.1,
        max_features=4,
        keep=["x3"],
        ignore=[-1],
        feature_groups={"ends": ["x0", "x4"]},
        discrete_features=["x7"],
        discrete_target=False,
        scale="rank",
        missing="drop",
        time_limit=1000,
    )
    assert Settings.from_json(settings.to_json()) == settings
    assert settings.keep == ("x3",)
    assert settings.ignore == ("x9",)
    assert settings.feature_groups == (("ends", ("x0", "x4")),)
    assert settings.discrete_features == ("x7",)
    assert settings.discrete_target is False
    assert (settings.scale, settings.missing, settings.time_limit) == ("rank", "drop", 1000.0)
    assert settings.n_row_groups is None


def test_numbers_of_numpy_become_plain():
    settings = settings_of(
        alpha=np.float64(0.1),
        max_features=np.int64(1),
        random_state=np.int64(7),
        method=Published(n_permutations=np.int64(19), n_folds=np.int32(5), t_threshold=np.float64(2)),
        criterion=KSG(max_neighbors=np.int64(8)),
    )
    plain = settings_of(
        alpha=0.1,
        random_state=7,
        method=Published(n_permutations=19, n_folds=5, t_threshold=2.0),
        criterion=KSG(max_neighbors=8),
    )
    assert settings == plain
    assert settings.to_json() == plain.to_json()


def test_records_compare_by_value_and_type():
    component = Component(name="KSG", parameters={"n_neighbors": 6})
    assert component == Component(name="KSG", parameters={"n_neighbors": 6})
    assert component != Component(name="KSG", parameters={"n_neighbors": 7})
    assert component != Component(name="Other", parameters={"n_neighbors": 6})
    assert component != {"name": "KSG", "parameters": {"n_neighbors": 6}}


def test_the_text_of_another_record_is_refused():
    component = Component(name="KSG", parameters={})
    with pytest.raises(ValueError, match="not a Settings written by infosift's to_json"):
        Settings.from_json(component.to_json())
    with_more = json.dumps({**json.loads(component.to_json()), "more": 1})
    with pytest.raises(ValueError, match="not a Component"):
        Component.from_json(with_more)
