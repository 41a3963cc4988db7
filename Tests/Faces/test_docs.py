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

    def open_text(text, **options):
        page = context.new_page()
        page.route("**/a-page", lambda route: route.fulfill(body=text, content_type="text/html; charset=utf-8"))
        page.goto(f"http://127.0.0.1:{bindery.port}/a-page", **options)
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


FORM = """<!doctype html>
<html lang="en" data-session="public">
<script type="module" src="/bindery-attributes.js"></script>
<form data-action="profile/load" method="dialog">
  <input name="paramA" type="number" aria-label="A">
  <input name="paramB" data-bind="profile.paramB" aria-label="B">
  <input name="kind" type="radio" value="small" checked><input name="kind" type="radio" value="large">
  <button>Load</button>
</form>
<input data-bind="profile.paramB" aria-label="Alone">
<output data-bind="profile.paramB"></output>
</html>
"""


def test_a_form_sends_what_is_chosen_and_leaves_out_what_is_empty(opened):
    page = opened(FORM)
    with page.expect_request("**/profile/load") as asked:
        page.get_by_label("B").fill("b")
        page.get_by_role("button").click()
    assert asked.value.post_data_json == {"paramB": "b", "kind": "small"}


def test_a_field_keeps_what_is_typed_until_it_was_sent_and_shows_the_state_again(bindery, opened):
    page = opened(re.sub('<input name="kind".*>', "", FORM))
    def load(text):
        return Client(bindery.port).ask("POST", "/profile/load", body=f'{{"paramB":"{text}"}}'.encode())

    field, alone = page.get_by_label("B"), page.get_by_label("Alone")
    outputs(page, "")
    field.fill("mine")
    assert load("theirs").status == 200
    outputs(page, "theirs")
    # Left, and not sent yet.
    alone.fill("typed")
    assert field.input_value() == "mine"
    page.get_by_role("button").focus()
    assert alone.input_value() == "theirs"
    page.get_by_role("button").click()
    outputs(page, "mine")
    assert load("later").status == 200
    outputs(page, "later")
    assert field.input_value() == "later" and alone.input_value() == "later"


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


def test_a_field_belongs_to_the_form_that_it_names(bindery, opened):
    outside = '<form id="of" data-action="profile/load" method="dialog"></form><input name="paramB" form="of" data-bind="profile.paramB" aria-label="B">'
    page = opened(f'<!doctype html><html data-session="public"><script type="module" src="/bindery-attributes.js"></script>{outside}<output data-bind="counter.text"></output><button form="of">Load</button>')
    outputs(page, "0")
    page.get_by_label("B").fill("mine")
    with page.expect_request("**/profile/load") as asked:
        page.get_by_role("button").click()
    assert asked.value.post_data_json == {"paramB": "mine"}


def test_a_button_with_a_name_is_sent_where_it_is_the_one_pressed(opened):
    buttons = '<button name="paramB" value="first">First</button><button name="paramB" value="second">Second</button>'
    page = opened(FORM.replace("<button>Load</button>", buttons + '<select name="kinds" multiple><option selected>a<option selected>b</select>'))
    with page.expect_request("**/profile/load") as asked:
        page.get_by_role("button", name="First").click()
    assert asked.value.post_data_json == {"paramB": "first", "kind": "small", "kinds": ["a", "b"]}


def test_a_field_that_was_refused_is_marked_until_it_is_right(opened):
    page = opened(re.sub('<input name="kind".*>', "", FORM).replace('type="number"', 'type="text"'))
    field = page.get_by_label("A", exact=True)
    field.fill("many")
    page.get_by_role("button").click()
    eventually(lambda: field.get_attribute("aria-invalid") == "true", "marked")
    assert field.evaluate("field => document.activeElement == field")
    assert page.get_by_label("B").get_attribute("aria-invalid") is None
    page.get_by_role("button").evaluate("button => button.form.elements.paramA.disabled = true")
    page.get_by_role("button").click()
    eventually(lambda: field.get_attribute("aria-invalid") is None, "not marked any more")


def test_a_field_that_nobody_has_touched_shows_what_the_server_has(bindery, opened):
    fields = """<select size="2" data-bind="profile.paramA" aria-label="List"><option>7<option>8</select>
        <select multiple data-bind="profile.paramA" aria-label="Many"><option>7<option>8</select>
        <select data-bind="profile.paramA" aria-label="Chosen"><option disabled>none<option>8<option>7</select>
        <input type="range" data-bind="profile.paramA" aria-label="Range"><input type="reset" value="Reset">"""
    page = opened(FORM.replace("<button>Load</button>", fields + "<button>Load</button>"))
    outputs(page, "")
    assert Client(bindery.port).ask("POST", "/profile/load", body=b'{"paramA":7,"paramB":"b"}').status == 200
    outputs(page, "b")
    for name in "List", "Many", "Chosen", "Range":
        assert page.get_by_label(name).input_value() == "7", name
    # A reset that the page prevents changes nothing.
    page.get_by_label("B").fill("mine")
    page.evaluate("document.querySelector('form').onreset = () => false")
    page.get_by_role("button", name="Reset").click()
    page.evaluate("new Promise((done) => setTimeout(done, 50))")
    assert page.get_by_label("B").input_value() == "mine"


CHOICES = """<input type="checkbox" data-bind="counter.enabled" aria-label="Box">
    <select data-bind="profile.paramB" aria-label="Kind"><option>small<option>large</select>
    <select data-bind="profile.paramB" aria-label="Left"><option value="">none<option>large</select>
    <input type="number" value=" 1 " data-bind="profile.paramA" aria-label="Number"><input type="reset" value="Reset">"""


def test_what_was_chosen_before_the_script_was_there_stays_until_the_form_is_reset(context, opened):
    held = []
    context.route("**/bindery-attributes.js", lambda route: held.append(route))
    page = opened(FORM.replace("<button>Load</button>", CHOICES), wait_until="commit")
    box, kind, left = page.get_by_label("Box"), page.get_by_label("Kind"), page.get_by_label("Left")
    box.click()
    kind.press("ArrowDown")
    page.get_by_label("Left").focus()
    eventually(lambda: page.evaluate("1") and held, "the script is asked for")
    held[0].continue_()
    eventually(lambda: page.get_by_label("Number").input_value() == "0", "what the server has")
    assert box.is_checked() and kind.input_value() == "large" and left.input_value() == ""
    page.get_by_role("button", name="Reset").click()
    eventually(lambda: not box.is_checked() and kind.input_value() == "", "what the server has")


def test_what_the_browser_puts_back_is_not_what_somebody_typed(bindery, opened):
    load = lambda number, text: Client(bindery.port).ask(
        "POST", "/profile/load", body=f'{{"paramA":{number},"paramB":"{text}"}}'.encode())
    assert load(1, "large").status == 200
    page = opened(FORM.replace("<button>Load</button>", CHOICES))
    fields = [page.get_by_label(name, exact=True) for name in ("B", "Alone", "Left", "Number")]
    shown = lambda: [field.input_value() for field in fields]
    eventually(lambda: shown() == ["large", "large", "large", "1"], shown)
    # No page with such a listener is kept whole.
    page.evaluate("addEventListener('unload', () => {})")
    page.goto(f"http://127.0.0.1:{bindery.port}/livez")
    assert load(2, "").status == 200
    page.go_back()
    outputs(page, "")
    eventually(lambda: shown() == ["", "", "", "2"], shown)


def test_the_radios_of_a_name_keep_what_was_chosen(bindery, opened):
    radios = "".join(f'<input type="radio" name="kind" value="{value}" data-bind="profile.paramB" aria-label="{value}">' for value in "xyz")
    page = opened(re.sub('<input name="kind".*>', radios, FORM))
    load = lambda text: Client(bindery.port).ask("POST", "/profile/load", body=f'{{"paramB":"{text}"}}'.encode())
    assert load("x").status == 200
    outputs(page, "x")
    assert page.get_by_label("x").is_checked()
    page.get_by_label("z").click()
    assert load("y").status == 200
    outputs(page, "y")
    assert page.get_by_label("z").is_checked()


def test_a_name_that_the_server_does_not_know_is_said_on_the_console(opened, context):
    page_text = ATTRIBUTES.replace("login.color", "login.colour").replace('data-action="login/validate"', 'data-action="login/valid"')
    with context.expect_console_message(lambda message: message.text.startswith("No such output: login.colour")):
        page = opened(page_text)
    with context.expect_console_message(lambda message: message.type == "warning" and "login/valid" in message.text):
        page.get_by_role("button", name="Log in").click()
