"""The paragraph for a paper names what was done, and the references are those of it."""

from infosift import Calibrated, MutualInfoSelector, Published
from infosift.display.report import summarise
from samples import friedman, selection


def test_methods_and_references():
    calibrated, published = selection("three"), selection("published")
    for one in (calibrated, published):
        text = summarise(one)["methods"]
        assert "François et al. (2007)" in text
        assert "60 observations" in text
        assert all(name in text for name in one.names)
        assert f"seed was {one.settings.seed}" in text
    assert f"{published.n_neighbors}, was chosen from 1 to" in summarise(published)["methods"]
    assert "10.1016/j.neucom.2006.11.019" in summarise(published)["bibtex"]
    assert f"version = {{{published.version}}}" in summarise(published)["bibtex"]


def test_methods_of_a_published_filter_name_its_criterion():
    method = Published(n_permutations=19)
    selector = MutualInfoSelector(method=method, search="filter", criterion="gaussian-copula", random_state=0)
    said = summarise(selector.fit(*friedman(0, n=60)).selection_)["methods"]
    assert "on its own, by mutual information (GaussianCopula); 19 permutations were drawn per feature." in said


def test_methods_say_that_surrogates_are_shifted():
    selector = MutualInfoSelector(method=Calibrated(null="circular"), max_features=1, random_state=0)
    said = summarise(selector.fit(*friedman(0, n=60)).selection_)["methods"]
    assert "surrogates in which candidates and target are shifted against each other in time" in said
    assert "while there were none, also by mutual information with" in said
    assert "shifts were drawn per step" in said
    assert "kernel ridge" not in said
