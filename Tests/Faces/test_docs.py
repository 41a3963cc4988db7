"""The pages of docs/pages.md do what it says of them."""

import pathlib
import re

from client import Client
from shown import outputs

DOCUMENT = (pathlib.Path(__file__).parents[2] / "docs/pages.md").read_text()
SCRIPT, ATTRIBUTES = re.findall(r"```html\n(.*?)```", DOCUMENT, re.DOTALL)


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


def test_a_form_that_is_sent_before_there_is_a_session_is_sent_by_the_script(bindery, context, opened):
    refusing = True

    def refuse(route):
        route.fulfill(status=503, body="") if refusing else route.continue_()

    context.route("**/session", refuse)
    page = opened(ATTRIBUTES)
    page.get_by_label("ID").fill("taro")
    page.get_by_label("Password").fill("himitsu")
    page.get_by_role("button", name="Log in").click()
    assert "himitsu" not in page.url
    refusing = False
    page.get_by_text("OK!!!").wait_for()
    assert "himitsu" not in page.url
    outputs(page, "0")


def test_a_name_that_the_server_does_not_know_is_said_on_the_console(opened, context):
    page_text = ATTRIBUTES.replace("login.color", "login.colour").replace('data-action="login/validate"', 'data-action="login/valid"')
    with context.expect_console_message(lambda message: message.text.startswith("No such output: login.colour")):
        page = opened(page_text)
    with context.expect_console_message(lambda message: message.type == "warning" and "login/valid" in message.text):
        page.get_by_role("button", name="Log in").click()
