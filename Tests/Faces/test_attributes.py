"""Pages that are made by attributes, those of docs/pages.md and of Examples/Pages, and what their forms send."""

import json
import os
import pathlib
import re

import pytest

from pages import ask, increment, outputs, public_text
from processes import Bindery, eventually

ROOT = pathlib.Path(__file__).parents[2]
SCRIPT, ATTRIBUTES = re.findall(r"```html\n(.*?)```", (ROOT / "docs/pages.md").read_text(), re.DOTALL)

HEAD = '<!doctype html><html data-session="public"><script type="module" src="/bindery-attributes.js"></script>'
PROFILE = f"""{HEAD}<form data-action="profile/load" method="dialog">
    <input type="number" name="paramA" data-bind="profile.paramA"> <input name="paramB" data-bind="profile.paramB">
    <button>Save</button> <button type="reset">Reset</button>
    </form><p data-problem="profile/load"></p><output data-bind="profile.paramB"></output>"""


@pytest.fixture
def profile(opened):
    """A page with a form for the profile, and its fields."""
    page = opened(PROFILE)
    eventually(lambda: page.locator("[name=paramA]").input_value() == "0", "the state is shown")
    return page, page.locator("[name=paramA]"), page.locator("[name=paramB]"), page.get_by_role("button", name="Save")


@pytest.fixture
def held(context):
    """Holds requests to act back until they are let go. Playwright calls a route while it is asked for something."""
    routes = []
    context.route("**/profile/load", lambda route: routes.append(route))
    return routes


def load(bindery, **body):
    assert ask(bindery.port, "POST", "/profile/load", json.dumps(body).encode()).status == 200


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
    page.get_by_role("button", name="+").dblclick()
    outputs(page, "2")
    assert public_text(bindery.port) == "2"
    page.get_by_label("ID").fill("taro")
    page.get_by_label("Password").fill("himitsu")
    page.get_by_role("button", name="Log in").click()
    page.get_by_text("OK!!!").wait_for()
    assert page.get_by_text("OK!!!").evaluate("text => text.style.color") == "green"
    assert "himitsu" not in page.url
    # Enabled by a script, the button does what the view model refuses, and the page says so.
    for text in "1", "0":
        down.click()
        outputs(page, text)
    down.evaluate("button => { button.disabled = false; button.click() }")
    eventually(lambda: page.get_by_role("alert").inner_text() != "", "the problem is shown")


@pytest.mark.parametrize("program, name, button, shown", [
    ("bindery", "kiosk", "increment", "1"), ("Tickets", "board", "Take a number", "Welcome")])
def test_the_pages_of_the_examples_act(tmp_path, monkeypatch, context, program, name, button, shown):
    own = pathlib.Path(os.environ["PROXIES_BINARY"])
    monkeypatch.setenv("PROXIES_BINARY", str(own if program == "bindery" else own.parent / program))
    server = Bindery(tmp_path / program, "--static", str(ROOT / "Examples/Pages"))
    try:
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{server.start().port}/{name}.html")
        page.get_by_role("button", name=button).click()
        outputs(page, shown)
        if program == "Tickets":
            page.get_by_text("1 waiting").wait_for()
            assert page.get_by_role("button", name="Call the next").is_enabled()
    finally:
        server.kill()


def test_a_form_submitted_twice_quickly_is_one_action(bindery, profile, held):
    page, number, text, save = profile
    text.fill("once")
    save.click()
    eventually(lambda: page.evaluate("1") and held, "it is sent")
    assert page.locator("form").get_attribute("aria-busy") == "true" and save.is_disabled()
    assert number.is_enabled() and text.is_enabled()
    text.press("Enter")
    page.evaluate("document.forms[0].requestSubmit()")
    held[0].continue_()
    outputs(page, "once")
    eventually(save.is_enabled, "the button is enabled")
    assert page.locator("form").get_attribute("aria-busy") is None
    assert len(held) == 1 and json.loads(held[0].request.post_data) == {"paramA": 0, "paramB": "once"}
    # The next submission is another action, under another key.
    text.fill("twice")
    save.click()
    eventually(lambda: page.evaluate("1") and len(held) == 2, "it is sent")
    held[1].continue_()
    outputs(page, "twice")
    assert len({route.request.headers["idempotency-key"] for route in held}) == 2


def test_a_field_that_the_user_changed_is_not_overwritten_until_it_was_sent(bindery, profile, held):
    page, number, text, save = profile
    text.fill("mine")
    load(bindery, paramA=1, paramB="theirs")
    outputs(page, "theirs")
    assert (number.input_value(), text.input_value()) == ("1", "mine")
    save.click()
    eventually(lambda: page.evaluate("1") and held, "it is sent")
    # What is typed meanwhile belongs to the next submission.
    number.fill("5")
    held[0].continue_()
    outputs(page, "mine")
    load(bindery, paramA=2, paramB="theirs again")
    outputs(page, "theirs again")
    eventually(lambda: text.input_value() == "theirs again", text.input_value)
    assert number.input_value() == "5"
    page.get_by_role("button", name="Reset").click()
    eventually(lambda: number.input_value() == "2", number.input_value)


def test_a_problem_with_a_pointer_marks_its_field_and_keeps_what_was_typed(bindery, opened):
    page = opened(PROFILE.replace('type="number" ', ""))
    number, save = page.locator("[name=paramA]"), page.get_by_role("button", name="Save")
    eventually(lambda: number.input_value() == "0", "the state is shown")
    number.fill("seven")
    save.click()
    eventually(lambda: number.get_attribute("aria-invalid") == "true", "it is marked")
    assert number.evaluate("field => field.validationMessage") == page.locator("[data-problem]").inner_text() != ""
    assert number.input_value() == "seven" and number.evaluate("field => field == document.activeElement")
    # What was marked does not hold the next submission back.
    number.press("Enter")
    eventually(lambda: number.get_attribute("aria-invalid") == "true" and save.is_enabled(), "it is marked again")
    number.fill("")
    assert number.get_attribute("aria-invalid") is None


def test_fields_are_sent_as_json_of_their_kind(context, opened):
    sent = []

    def note(route):
        sent.append(json.loads(route.request.post_data))
        route.fulfill(json={})

    context.route("**/a/do", note)
    page = opened(HEAD + """<form data-action="a/do" method="dialog">
        <input name="text" value="t"> <input type="number" name="empty"> <input type="number" name="number" value="1.5">
        <input type="checkbox" name="yes" checked> <input type="checkbox" name="no"> <input name="off" value="x" disabled>
        <input type="checkbox" name="list" value="a" checked> <input type="checkbox" name="list" value="b">
        <input type="checkbox" name="list" value="c" checked> <input type="radio" name="none" value="1">
        <input type="radio" name="one" value="1"> <input type="radio" name="one" value="2" checked> <input type="file" name="file">
        <select name="choice"><option>A<option selected>B</select> <select name="many" multiple><option>A<option selected>B</select>
        <button name="button" value="pressed">Do</button> <button name="other" value="not">Other</button></form>""")
    page.get_by_role("button", name="Do").click()
    eventually(lambda: page.evaluate("1") and sent, "it is sent")
    assert sent == [{
        "text": "t", "number": 1.5, "yes": True, "no": False, "list": ["a", "c"], "one": "2", "choice": "B", "many": ["B"],
        "button": "pressed"}]


def test_what_the_page_adds_is_bound_until_that_ends(bindery, opened):
    page = opened(HEAD + "<main></main>")
    page.evaluate(
        """async () => {
            const { bind, session } = await import("/bindery-attributes.js")
            document.querySelector("main").innerHTML = '<output data-bind="counter.text"></output><i data-shown="counter.enabled">some</i>'
            self.end = await bind(document.querySelector("main"))
            self.connected = await session
        }""")
    outputs(page, "0")
    assert page.locator("i").is_hidden()
    increment(bindery.port)
    outputs(page, "1")
    assert page.locator("i").is_visible()
    page.evaluate("end()")
    increment(bindery.port)
    eventually(lambda: page.evaluate("connected.viewModel('counter').text") == "2", "the session knows it")
    outputs(page, "1")
