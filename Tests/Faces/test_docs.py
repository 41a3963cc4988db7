"""The pages of docs/pages.md do what it says of them."""

import pathlib
import re

import pytest

from client import Client
from processes import eventually

DOCUMENT = (pathlib.Path(__file__).parents[2] / "docs/pages.md").read_text()
SCRIPT, ATTRIBUTES = re.findall(r"```html\n(.*?)```", DOCUMENT, re.DOTALL)


@pytest.fixture
def opened(bindery, context):
    """Opens a text as a page of the server's origin."""

    def open_text(text):
        page = context.new_page()
        page.route("**/a-page", lambda route: route.fulfill(body=text, content_type="text/html; charset=utf-8"))
        page.goto(f"http://127.0.0.1:{bindery.port}/a-page")
        return page

    return open_text


def outputs(page, text):
    output = page.locator("output")
    eventually(lambda: output.inner_text() == text, lambda: f"{output.inner_text()!r} instead of {text!r}")


def test_the_page_with_a_script_counts(opened):
    page = opened(SCRIPT)
    outputs(page, "0")
    assert page.get_by_role("button", name="−").is_disabled()
    page.get_by_role("button", name="+").click()
    outputs(page, "1")
    page.get_by_role("button", name="−").click()
    outputs(page, "0")
    assert page.locator("#said").inner_text() == ""


def test_the_page_by_attributes_counts_and_logs_in(bindery, opened):
    page = opened(ATTRIBUTES)
    outputs(page, "0")
    down = page.get_by_role("button", name="−")
    assert down.is_disabled() and down.evaluate("button => button.style.opacity") == "0.5"
    page.get_by_role("button", name="+").click()
    outputs(page, "1")
    assert Client(bindery.port).ask("GET", "/counter").json()["text"] == "1"
    page.get_by_label("ID").fill("taro")
    page.get_by_label("Password").fill("himitsu")
    page.get_by_role("button", name="Log in").click()
    page.get_by_text("OK!!!").wait_for()
    assert page.get_by_text("OK!!!").evaluate("text => text.style.color") == "green"
    # The button is enabled still, by what is shown, when another has counted down meanwhile.
    page.evaluate("document.querySelector('[data-enabled]').removeAttribute('data-enabled')")
    assert Client(bindery.port).ask("POST", "/counter/decrement").status == 200
    outputs(page, "0")
    down.evaluate("button => { button.disabled = false; button.click() }")
    page.get_by_role("alert").get_by_text("The counter is at zero").wait_for()
