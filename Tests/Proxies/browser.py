"""Debian's Chromium as a visitor of the test's host: without a window its headless shell, which takes half the time."""

import contextlib
import shutil

from playwright.sync_api import sync_playwright


def launch(playwright, program="chromium-headless-shell"):
    """A browser to which every name that ends in `.test` is this machine."""
    return playwright.chromium.launch(
        executable_path=shutil.which(program),
        # Chromium's own sandbox wants privileges that a container has not; it meets no page but ours.
        args=["--no-sandbox", "--host-resolver-rules=MAP *.test 127.0.0.1"],
        # Visitors' browsers keep the page that they came from; the shell does not.
        ignore_default_args=["--disable-back-forward-cache"])


@contextlib.contextmanager
def launched():
    with sync_playwright() as playwright, launch(playwright) as browser:
        yield browser


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
