"""A real browser, in which pages are opened and watched."""

import shutil

import pytest


@pytest.fixture(scope="session")
def browser():
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        pytest.skip("Chromium is not installed (on Debian: apt install chromium)")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser):
    """Return a function that opens a page; in the end, nothing went wrong and nothing was loaded."""
    troubles, pages = [], []

    def open_page(address, **options):
        page = browser.new_page(**options)
        pages.append(page)
        page.on("console", lambda message: troubles.append(message.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        own = address.partition("#")[0]
        page.on("request", lambda request: None if request.url == own else troubles.append(request.url))
        page.goto(address)
        return page

    yield open_page
    for page in pages:
        page.close()
    assert troubles == []
