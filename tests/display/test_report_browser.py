"""A report in a real browser: it opens, sorts, searches, and fits a telephone, the dark and paper."""

from dataclasses import replace

import pytest

from infosift.display.report import write_report
from infosift.results import Verdict
from pages import ODD, select, select_and_check, select_and_measure, wide_selection

NAMES = 'tr:not([hidden]) th[scope="row"]'


def with_redundant():
    selection = select(("annual_value", "signup_month", "mean_weight", *"def"))
    found = Verdict("annual_value", "redundant", 0.01, ("signup_month", "mean_weight"))
    return replace(selection, verdicts=(found, *selection.verdicts[1:]))


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    selections = {
        "odd": select(ODD),
        "published": select(method="published", max_features=None),
        "wide": wide_selection(),
        "redundant": with_redundant(),
    }
    for name, selection in selections.items():
        write_report(selection, folder / f"{name}.html")
    selection, check = select_and_check()
    write_report(selection, folder / "checked.html", check, select_and_measure()[1])
    return {path.stem: path.as_uri() for path in folder.iterdir()}


@pytest.fixture
def opened(open_page, reports):
    """Return a function that opens a report by its name."""
    return lambda name, **options: open_page(reports[name], **options)


def texts(page, place=None):
    selector = f"#features tbody {NAMES}" if place is None else f"#features tbody td:nth-child({place})"
    return page.locator(selector).all_inner_texts()


@pytest.mark.parametrize("name", ["odd", "published"])
def test_a_report_opens(opened, name):
    page = opened(name)
    assert "features selected for yield" in page.locator("h1").inner_text()
    assert page.locator("figure svg").count() == 3
    assert page.locator("figure svg:visible").count() == 3


def test_names_are_text_in_the_browser(opened):
    page = opened("odd")
    assert sorted(texts(page)) == sorted(ODD)
    assert page.locator("script").count() == 1


def test_clicking_a_header_sorts(opened):
    page = opened("published")
    header = page.locator("#features th", has=page.get_by_role("button", name="first step"))
    header.get_by_role("button").click()
    assert header.get_attribute("aria-sort") == "ascending"
    place = 1 + header.evaluate("header => header.cellIndex")
    rising = [float(text.replace("−", "-")) for text in texts(page, place)]
    assert rising == sorted(rising)
    header.get_by_role("button").press("Enter")
    assert header.get_attribute("aria-sort") == "descending"
    assert [float(text.replace("−", "-")) for text in texts(page, place)] == rising[::-1]
    page.locator("#features th button", has_text="feature").click()
    assert header.get_attribute("aria-sort") is None
    assert texts(page) == sorted(texts(page))


def test_what_has_no_value_comes_last(opened):
    page = opened("wide")
    button = page.get_by_role("button", name="p-value")
    for _ in range(2):
        button.click()
        assert [text != "" for text in texts(page, 4)[:3]] == [True, False, False]


def test_searching_hides_the_other_rows(opened):
    page = opened("wide")
    page.fill("#search", "LENGTH 77")
    names = texts(page)
    assert names == [name for name in names if name.startswith("wavelength 77")]
    assert len(names) == 11
    assert page.locator("#found").inner_text() == "11 of 2,000 features"
    page.fill("#search", "")
    assert len(texts(page)) == 2000


def test_copying(opened):
    page = opened("published")
    button = page.locator('[data-copies="bibtex"]')
    button.click()
    page.wait_for_function("document.querySelector('[data-copies=bibtex]').textContent !== 'Copy'")
    assert button.inner_text() in ("Copied", "Press Ctrl+C")


def test_the_table_of_a_model_fits_a_telephone(opened):
    page = opened("checked", viewport={"width": 390, "height": 844})
    assert page.locator(".check").evaluate("table => table.offsetWidth <= table.parentElement.clientWidth")


@pytest.mark.parametrize("name", ["odd", "published", "wide", "checked"])
def test_a_report_fits_a_telephone(opened, name):
    page = opened(name, viewport={"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("table", ["#features", ".steps"])
def test_names_stay_whole_and_tables_scroll_in_their_cards(opened, table, width):
    page = opened("redundant", viewport={"width": width, "height": 844})
    lines = "name => new Set([...name.getClientRects()].map(one => one.top)).size"
    names = page.locator(f"{table} tbody th bdi")
    assert [name.evaluate(lines) for name in names.all()] == [1] * names.count()
    card = page.locator(".scroll", has=page.locator(table))
    hidden = card.evaluate("card => [card.scrollWidth - card.clientWidth, card.getBoundingClientRect().right]")
    assert hidden[1] <= width
    card.evaluate("card => { card.scrollLeft = 9999 }")
    assert card.evaluate("card => card.scrollLeft") == hidden[0]


def test_a_telephone_says_that_a_table_goes_on(opened):
    said = "hint => getComputedStyle(hint, '::before').content"
    for width, is_said in ((390, True), (1280, False)):
        hint = opened("redundant", viewport={"width": width, "height": 844}).locator(".scroll:has(.steps) + .hint")
        assert ("sideways" in hint.evaluate(said)) == is_said


def test_the_dark(opened):
    page = opened("odd", color_scheme="dark")
    colour = "element => getComputedStyle(element).backgroundColor"
    dark = page.locator("body").evaluate(colour)
    assert page.locator(".card").first.evaluate(colour) == "rgb(255, 255, 255)"
    page.emulate_media(color_scheme="light")
    assert page.locator("body").evaluate(colour) != dark


def test_paper(opened):
    page = opened("wide", color_scheme="dark")
    page.fill("#search", "77")
    page.emulate_media(media="print")
    assert page.locator("#features tbody tr:visible").count() == 2000
    assert page.locator(".control:visible").count() == 0
    assert page.locator("body").evaluate("element => getComputedStyle(element).backgroundColor") in (
        "rgb(255, 255, 255)",
    )
    assert len(opened("odd").pdf()) > 10_000


def test_a_report_of_many_features_opens_at_once(opened):
    page = opened("wide")
    # Under two seconds on an idle machine; the machines of tests are not.
    assert page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd") < 5000
