"""The report as linked views, in a real browser: a feature chosen in one is shown in all others."""

from dataclasses import replace
from urllib.parse import quote, unquote

import pytest

from infosift.display.report import write_report
from pages import LINKED, linked_results, select, wide_selection

SELECTED, REDUNDANT, OTHER = LINKED[0], LINKED[1], LINKED[5]
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


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    selection, check, stability = linked_results()
    assert (SELECTED in selection.names, len(selection.names)) == (True, 2)
    write_report(selection, folder / "all.html", check, stability)
    write_report(wide_selection(), folder / "wide.html")
    others = {
        "backward": select(search="backward", max_features=None),
        "filter": select(search="filter", max_features=None),
        "floating": select(search="floating", max_features=None),
        "published": select(method="published", max_features=None),
        "grouped": select(feature_groups={"both": ["d", "e"]}, max_features=1),
    }
    others["nothing"] = replace(others["published"], steps=(), neighbors=None)
    for name, other in others.items():
        write_report(other, folder / f"{name}.html")
    return {path.stem: path.as_uri() for path in folder.iterdir()}


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


@pytest.mark.parametrize("view", VIEWS)
def test_a_feature_chosen_in_any_view_is_shown_in_all(page, view):
    pressed = part(page, view, SELECTED)
    press(pressed)
    assert chosen(page) == {key: [SELECTED] for key in VIEWS}
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
    assert said["Model"] == "selected in no fold."
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
