"""Reports in a real browser: they open, sort, search and fit, and a feature chosen in one view is shown in all.

One small case of them is in test_report.py; these are run with the marker "browser".
"""

from dataclasses import replace
from urllib.parse import quote, unquote

import pytest

from infosift.results import Verdict
from pages import LINKED, ODD, linked_results, odd_results, odd_selection, page_of, wide_selection
from samples import selection, small_selection

pytestmark = pytest.mark.browser

SELECTED, REDUNDANT = LINKED[0], LINKED[1]
DESKTOP, PHONE = {"width": 1100, "height": 900}, {"width": 390, "height": 844}
# Where a selected feature is seen.
VIEWS = {
    "Evidence, step by step": "tr",
    "The search, step by step": "button",
    "The verdict on each feature": "button",
    "What explains the redundant features": "button",
    "The first step": "button",
    "Stability over half-samples": "tr",
    "Selected on half-samples": "button",
    "Folds of the model": "tr",
    "All features": "tr",
}
NAMES = 'tr:not([hidden]) th[scope="row"]'


def with_redundant():
    found = small_selection(("annual_value", "signup_month", "mean_weight", *"def"), max_features=3)
    verdict = Verdict("annual_value", "redundant", 0.01, ("signup_month", "mean_weight"))
    return replace(found, verdicts=(verdict, *found.verdicts[1:]))


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """The addresses of reports by name."""
    pages = {
        "all": page_of(*linked_results()),
        "wide": page_of(wide_selection()),
        "odd": page_of(odd_selection()),
        "checked": page_of(*odd_results()),
        "redundant": page_of(with_redundant()),
        "nothing": page_of(replace(selection("published"), steps=(), neighbors=None)),
    }
    pages |= {
        case: page_of(selection(case)) for case in ("backward", "filter", "floating", "published", "grouped")
    }
    folder = tmp_path_factory.mktemp("reports")
    for name, page in pages.items():
        (folder / f"{name}.html").write_text(page, encoding="utf-8")
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
    assert page.locator("figure svg").count() == 4
    assert page.locator("figure svg:visible").count() == 4


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


@pytest.fixture(params=[DESKTOP, PHONE], ids=["desktop", "telephone"])
def page(open_page, reports, request):
    return open_page(reports["all"], viewport=request.param, has_touch=request.param is PHONE)


def part(page, view, name):
    """Return what can be pressed of a view for a feature."""
    found = page.locator(f'[data-view="{view}"] [data-f~="{LINKED.index(name) + 1}"]')
    return (found.locator("button") if VIEWS[view] == "tr" else found).first


def press(button):
    """Click near the lower end: further up, the rows of a heat map lie on its columns."""
    box = button.bounding_box()
    button.click(position={"x": box["width"] / 2, "y": box["height"] - 3})


def chosen(page):
    """Return the features that are marked, by view."""
    script = """views => views.map(view => [view.dataset.view, [...new Set(
        [...view.querySelectorAll('.chosen')].flatMap(one => one.dataset.f.split(' ')))]])"""
    marked = page.locator("[data-view]").evaluate_all(script)
    return {view: [LINKED[int(place) - 1] for place in places] for view, places in marked if places}


def title(page):
    return page.locator("#panel-title").text_content() if page.locator("#panel").is_visible() else None


def fits(page):
    return page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_feature_chosen_in_any_view_is_shown_in_all(page):
    for view in VIEWS:
        pressed = part(page, view, SELECTED)
        press(pressed)
        assert chosen(page) == {key: [SELECTED] for key in VIEWS}, view
        assert pressed.get_attribute("aria-pressed") == "true"
        assert page.locator('[aria-pressed="true"]').count() == len(VIEWS)
        assert title(page) == SELECTED
        assert fits(page)
        press(pressed)
        assert (chosen(page), title(page)) == ({}, None)
        assert page.locator('[aria-pressed="true"]').count() == 0


def test_tapping_a_row_chooses_too(open_page, reports):
    page = open_page(reports["all"], viewport=PHONE, has_touch=True)
    page.locator("#features tbody tr", has_text=SELECTED).locator("td").first.tap()
    assert title(page) == SELECTED


def test_the_panel_says_all_that_was_found(page):
    part(page, "All features", REDUNDANT).click()
    said = dict(
        zip(
            page.locator("#account dt").all_text_contents(),
            page.locator("#account dd").all_text_contents(),
            strict=True,
        )
    )
    assert page.locator("#verdict dt").inner_text().endswith("redundant")
    assert "adds nothing detectable" in page.locator("#verdict dd").text_content()
    assert "adjusted for 8 candidates" in said["P-value"]
    assert " of 8 by statistic at step 1, then " in said["As a candidate"]
    assert said["Explained by"] == SELECTED
    assert said["Half-samples"] == "never selected."
    assert said["Model"] == "selected in no fold, for prediction in 1 of 3 folds."
    page.locator("#account a").first.click()
    assert title(page) == SELECTED
    assert REDUNDANT in page.locator("#account").inner_text()


def test_the_panel_leads_to_each_view(page):
    part(page, "All features", SELECTED).click()
    leading = page.locator("#places button")
    assert leading.all_inner_texts() == list(VIEWS)
    for place, view in enumerate(VIEWS):
        leading.nth(place).click()
        box = part(page, view, SELECTED).bounding_box()
        top_of_panel = page.locator("#panel").bounding_box()["y"]
        assert 0 <= box["y"] + box["height"] / 2 <= top_of_panel, view
        assert page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true"
    assert fits(page)


def test_a_candidate_is_drawn_at_each_step(page):
    part(page, "All features", REDUNDANT).click()
    diamonds = page.locator("#figure-path .at-step")
    assert diamonds.count() == 3
    columns = [one.bounding_box() for one in page.locator("#figure-path .spot").all()]
    drawn = [one.bounding_box() for one in diamonds.all()]
    for column, diamond in zip(columns, drawn, strict=True):
        assert diamond["x"] + diamond["width"] / 2 == pytest.approx(column["x"] + column["width"] / 2, abs=2)
    part(page, "All features", SELECTED).click()
    assert diamonds.count() == 2
    page.keyboard.press("Escape")
    assert diamonds.count() == 0


def test_marks_lie_on_what_they_are_about(open_page, reports):
    page = open_page(reports["all"], viewport=DESKTOP)
    for name in ("plain", "50 %/#?&=+"):
        for figure in ("verdicts", "ranking"):
            label = page.locator(f"#figure-{figure} svg text", has_text=name).first.bounding_box()
            spot = page.locator(f'#figure-{figure} .spot[data-f="{LINKED.index(name) + 1}"]').bounding_box()
            middle = label["y"] + label["height"] / 2
            assert spot["y"] < middle < spot["y"] + spot["height"]
            assert spot["x"] <= label["x"] + 4


def test_the_keyboard_alone(page):
    first = page.locator("#features [aria-pressed]").first
    first.focus()
    assert page.locator('#features [aria-pressed][tabindex="0"]').count() == 1
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    third = page.locator("#features tbody tr").nth(2).locator("th").text_content()
    assert title(page) == third
    page.keyboard.press("Home")
    page.keyboard.press("Space")
    assert title(page) == first.text_content()
    page.keyboard.press("End")
    assert page.evaluate("document.activeElement.closest('tr').nextElementSibling") is None
    page.keyboard.press("Escape")
    assert (title(page), chosen(page)) == (None, {})
    figure = page.locator("#figure-verdicts [aria-pressed]")
    figure.first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert title(page) == figure.nth(1).get_attribute("aria-label")
    for view in page.locator("[data-view]").all():
        assert view.locator('[aria-pressed][tabindex="0"]').count() == 1


@pytest.mark.parametrize("name", LINKED)
def test_the_address_keeps_the_choice(open_page, reports, name):
    page = open_page(f"{reports['all']}#feature={quote(name, safe='')}", viewport=DESKTOP)
    assert title(page) == name
    assert chosen(page)["All features"] == [name]
    page.locator("#let-go").click()
    assert "#" not in page.url
    part(page, "All features", name).click()
    assert unquote(page.url.partition("#")[2]) == f"feature={name}"
    again = open_page(page.url, viewport=PHONE)
    assert title(again) == name
    assert fits(again)
    again.evaluate(f"location.hash = 'feature={quote(SELECTED, safe='')}'")
    again.wait_for_function("document.querySelector('#panel-title').textContent.startsWith('a ')")
    assert chosen(again) == {key: [SELECTED] for key in VIEWS}


@pytest.mark.parametrize("address", ["#feature=nobody", "#feature=%E0%A4%A", "#cautions", "#feature=", "#"])
def test_an_address_that_names_no_feature(open_page, reports, address):
    assert title(open_page(reports["all"] + address)) is None


def test_any_feature_is_found_by_name(open_page, reports):
    page = open_page(reports["wide"], viewport=DESKTOP)
    find, matches = page.locator("#find"), page.locator("#matches")
    find.fill("wavelength 1999 nm")
    assert title(page) == "wavelength 1999 nm"
    assert page.locator("#names option").count() == 2000
    find.fill("LENGTH 77")
    find.press("Enter")
    assert title(page) == "wavelength 77 nm"
    assert page.locator("#features tr.chosen th").text_content() == "wavelength 77 nm"
    find.fill("meter")
    find.press("Enter")
    assert matches.inner_text() == "No feature has that in its name."
    assert title(page) == "wavelength 77 nm"
    find.fill("")
    find.press("Escape")
    assert title(page) is None


def test_what_a_figure_only_counts_is_marked_as_such(open_page, reports):
    page = open_page(reports["wide"], viewport=DESKTOP)
    drawn = page.locator("#figure-ranking button.spot").evaluate_all("all => all.map(one => one.ariaLabel)")
    name = next(f"wavelength {i} nm" for i in range(2000) if f"wavelength {i} nm" not in drawn)
    page.locator("#find").fill(name)
    assert "The first step, among the others" in page.locator("#places").inner_text()
    assert page.locator("#figure-ranking span.chosen").count() == 1
    assert page.locator("#figure-ranking .spot").count() == 31


def test_sorting_and_searching_leave_the_choice(open_page, reports):
    page = open_page(reports["all"], viewport=DESKTOP)
    part(page, "All features", SELECTED).click()
    page.locator("#features thead button", has_text="feature").click()
    page.fill("#search", "quoted")
    assert title(page) == SELECTED
    assert page.locator("#features tr.chosen:visible th").text_content() == SELECTED
    page.locator("#features tr.chosen button").focus()
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.closest('tr').hidden") is False


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "telephone"])
def test_without_javascript_all_is_there(open_page, reports, viewport):
    page = open_page(reports["all"], java_script_enabled=False, viewport=viewport)
    assert page.locator(".control:visible").count() == 0
    assert page.locator("#features tbody tr:visible").count() == len(LINKED)
    said = page.locator("#accounts article")
    assert said.count() == len(LINKED)
    for name in LINKED:
        own = page.locator(f'#accounts article[data-f="{LINKED.index(name) + 1}"]')
        assert own.is_visible()
        assert own.locator("h3 bdi").text_content() == name
        assert own.locator("dt", has_text="As a candidate").is_visible()
    assert "Explained by" in page.locator("#accounts").text_content()
    assert said.evaluate_all("all => all.every(one => one.scrollWidth <= one.clientWidth + 1)")


def test_without_javascript_an_address_leads_to_the_words(open_page, reports):
    page = open_page(f"{reports['wide']}#feature=wavelength%201999%20nm", java_script_enabled=False)
    page.wait_for_timeout(300)
    own = page.locator("#accounts article", has_text="wavelength 1999 nm")
    assert own.is_visible()
    assert own.bounding_box()["y"] < page.viewport_size["height"]


@pytest.mark.parametrize("name", ["backward", "filter", "floating", "published", "grouped", "nothing"])
def test_features_can_be_chosen_whatever_the_search(open_page, reports, name):
    page = open_page(reports[name], viewport=PHONE)
    for feature in "abcdef":
        page.locator("#find").fill(feature)
        assert title(page) == feature
        assert page.locator("#features tr.chosen th").text_content() == feature
        assert page.locator("#places button").last.inner_text() == "All features"
        for leads in page.locator("#places button").all():
            leads.click()
    assert fits(page)


def test_each_click_on_a_group_chooses_the_next_of_its_features(open_page, reports):
    page = open_page(reports["grouped"], viewport=DESKTOP)
    row = page.locator('[data-view="Evidence, step by step"] button', has_text="both")
    found = []
    for _ in range(3):
        row.click()
        found.append(title(page))
    assert found == ["d", "e", None]


def test_paper_has_no_panel(open_page, reports):
    page = open_page(f"{reports['all']}#feature=plain")
    assert title(page) == "plain"
    page.emulate_media(media="print")
    assert page.locator(".control:visible").count() == 0
