"""Debian's Chromium without a window, as a visitor of the test's host."""

import contextlib
import shutil

from playwright.sync_api import sync_playwright


@contextlib.contextmanager
def launched():
    """A browser to which every name that ends in `.test` is this machine."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            # Chromium's own sandbox wants privileges that a container has not; it meets no page but ours.
            args=["--no-sandbox", "--host-resolver-rules=MAP *.test 127.0.0.1"],
            # Visitors' browsers keep the page that they came from.
            ignore_default_args=["--disable-back-forward-cache"])
        try:
            yield browser
        finally:
            browser.close()


@contextlib.contextmanager
def opened(browser, url):
    """A page in a profile of its own."""
    context = browser.new_context(ignore_https_errors=True)
    try:
        page = context.new_page()
        page.goto(url)
        yield page
    finally:
        context.close()
