"""The fields of a page by attributes: what they show, what somebody fills in, and what is sent of both."""

import re

import pytest

from client import Client
from forms import FORM, saved
from processes import eventually
from shown import outputs


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


BEYOND = {
    "range": ('<input name="x" type="range" max="10" data-bind="a.x">', 50),
    "color": ('<input name="x" type="color" data-bind="a.x">', "red"),
    "line": ('<input name="x" data-bind="a.x">', "two\nlines"),
    "lines": ('<textarea name="x" data-bind="a.x"></textarea>', "two\r\nlines"),
    "select": ('<select name="x" data-bind="a.x"><option>s<option>m</select>', "xl"),
    "many": ('<select name="x" multiple data-bind="a.x"><option>s<option>m</select>', ["m", "xl"]),
    "boxes": ("".join(f'<input type="checkbox" name="x" value="{value}" data-bind="a.x">' for value in "sm"), ["xl", "s"]),
    "radios": ("".join(f'<input type="radio" name="x" value="{value}" data-bind="a.x">' for value in "sm"), "xl"),
}


@pytest.mark.parametrize("kind", BEYOND)
def test_what_nobody_has_filled_in_is_sent_as_the_state_says_it(form, kind):
    fields, value = BEYOND[kind]
    assert saved(form(fields, x=value)) == {"x": value}


def test_a_list_is_what_a_select_and_boxes_of_one_name_choose(form):
    boxes = "".join(f'<input type="checkbox" name="boxes" value="{value}" data-bind="a.list" aria-label="{value}">' for value in "xyz")
    page = form(f'{boxes}<select name="many" multiple data-bind="a.list"><option>x<option>y<option>z</select>', list=["x", "z"])
    assert saved(page) == {"boxes": ["x", "z"], "many": ["x", "z"]}
    page.evaluate("asked[0].done()")
    page.get_by_label("y").click()
    page.locator("select").select_option(["y"])
    assert saved(page) == {"boxes": ["x", "y", "z"], "many": ["y"]}


def test_what_has_nothing_chosen_is_left_out(form):
    radios = '<input type="radio" name="a" value="x"><select name="b"><option value="" disabled selected>Choose<option>x</select>'
    assert saved(form(f'{radios}<input type="number" name="c" data-bind="a.none"><input name="d" value="d">', none=None)) == {"d": "d"}


def test_what_is_typed_while_the_form_is_sent_stays(form):
    page = form('<textarea data-bind="a.x" name="x"></textarea><input name="y" data-bind="a.y"><input type="checkbox" data-bind="a.z">', x="", y="", z=True)
    text, line, box = page.locator("textarea"), page.locator("[name=y]"), page.locator("[type=checkbox]")
    text.fill("one")
    line.fill("sent")
    assert saved(page) == {"x": "one", "y": "sent"}
    text.fill("one two three")
    box.click()
    page.evaluate("change({ x: 'one', y: 'as it was taken' }); asked[0].done()")
    eventually(lambda: line.input_value() == "as it was taken", "done")
    assert text.input_value() == "one two three" and not box.is_checked()
    # A second submission that is refused takes nothing away.
    assert saved(page) == {"x": "one two three", "y": "as it was taken"}
    page.evaluate("asked[1].refused({ message: 'Too long.', pointer: '#/x' })")
    page.get_by_text("Too long.").wait_for()
    assert text.input_value() == "one two three"


def test_what_is_filled_in_after_a_submission_that_waits_is_not_sent_with_it(form):
    page = form('<input name="x" data-bind="a.x"><input name="y">', x="theirs")
    page.locator("[name=y]").fill("first")
    page.get_by_role("button").click()
    page.locator("[name=y]").fill("second")
    page.get_by_role("button").click()
    page.locator("[name=x]").fill("later")
    page.evaluate("asked[0].done()")
    page.wait_for_function("asked.length == 2")
    assert page.evaluate("bodies()") == [{"x": "theirs", "y": "first"}, {"x": "theirs", "y": "second"}]
    assert page.locator("[name=x]").input_value() == "later"


@pytest.mark.parametrize("name", ["matches", "elements", "dataset", "addEventListener", "dispatchEvent", "reset"])
def test_a_field_may_be_called_as_a_member_of_forms(form, name):
    page = form(f'<input name="{name}" data-bind="a.x">', x="x")
    assert saved(page) == {name: "x"}
    page.evaluate("change({ x: 'y' }); asked[0].done()")
    assert saved(page) == {name: "y"}


def test_a_field_that_has_the_focus_shows_the_first_state_and_is_sent_as_the_last(form):
    page = form('<input name="x" autofocus data-bind="a.x">', x="first")
    field = page.locator("input")
    field.focus()
    assert field.input_value() == "first"
    page.evaluate("change({ x: 'theirs' })")
    assert field.input_value() == "first"
    field.press("Enter")
    page.wait_for_function("asked.length")
    assert page.evaluate("bodies()") == [{"x": "theirs"}]
    page.evaluate("asked[0].done()")
    eventually(lambda: field.input_value() == "theirs", "shown once it was sent")


def test_what_is_sent_is_of_the_kind_that_the_state_is(form):
    fields = """<input type="hidden" name="number" data-bind="a.number"><input type="hidden" name="flag" data-bind="a.flag">
        <input type="hidden" name="list" data-bind="a.list"><select name="choice" data-bind="a.number"><option>5<option>7</select>
        <input name="line" data-bind="a.number"><input name="none" data-bind="a.none"><input type="number" name="text" data-bind="a.text">
        <input type="checkbox" name="one" value="x" data-bind="a.list">"""
    page = form(fields, number=5, flag=True, list=["x"], none=None, text="5")
    assert saved(page) == {"number": 5, "flag": True, "list": ["x"], "choice": 5, "line": 5, "text": 5, "one": ["x"]}
    page.locator("select").select_option("7")
    page.locator("[name=line]").fill("7")
    page.locator("[name=none]").fill("7")
    page.locator("[name=one]").click()
    page.evaluate("asked[0].refused({ message: 'No.' })")
    page.get_by_text("No.").wait_for()
    assert saved(page) == {"number": 5, "flag": True, "list": ["x"], "choice": 7, "line": 7, "none": "7", "text": 5, "one": []}
    page.locator("[name=line]").fill("seven")
    page.evaluate("asked.at(-1).done(); asked.length = 0")
    assert saved(page)["line"] == "seven"


def test_of_several_fields_of_one_output_the_one_that_was_filled_in_counts(form):
    page = form('<input type="range" name="x" max="10" data-bind="a.x"><input type="number" name="x" data-bind="a.x">', x=5)
    page.locator("[type=range]").fill("7")
    assert saved(page) == {"x": 7}


def test_others_of_one_name_are_a_list(form):
    assert saved(form('<input name="x" value="a"><input name="x" value="b">')) == {"x": ["a", "b"]}


def test_what_is_disabled_for_a_while_is_not_filled_in_by_that(form):
    radios = "".join(f'<input type="radio" name="x" value="{value}" data-bind="a.x">' for value in "abc")
    page = form(f'<fieldset data-enabled="a.enabled">{radios}</fieldset>', x="b", enabled=False)
    page.evaluate("change({ enabled: true }); change({ x: 'c' })")
    assert page.locator("[value=c]").is_checked()
    assert saved(page) == {"x": "c"}


def test_radios_without_a_form_keep_what_was_chosen_until_they_are_left(form):
    page = form("", x="a")
    page.evaluate(
        """document.body.innerHTML = "";
        make([..."abc"].map((value) => `<input type="radio" name="x" value="${value}" data-bind="a.x">`).join(""), { x: "a" })""")
    page.locator("[value=c]").click()
    page.evaluate("change({ x: 'b' })")
    assert page.locator("[value=c]").is_checked()
    # Another window is no other field.
    page.locator("[value=c]").dispatch_event("blur")
    assert page.locator("[value=c]").is_checked()
    page.locator("[value=c]").blur()
    assert page.locator("[value=b]").is_checked()


def test_a_bar_shows_a_number(form):
    assert form('<progress max="10" data-bind="a.x"></progress>', x=5).locator("progress").evaluate("bar => bar.value") == 5


@pytest.mark.parametrize("isPutBack", [False, True])
def test_a_form_that_is_sent_before_the_script_is_there_counts_for_nothing_typed(bindery, context, opened, isPutBack):
    load = lambda text: Client(bindery.port).ask("POST", "/profile/load", body=f'{{"paramB":"{text}"}}'.encode())
    assert load("large").status == 200
    page = opened(re.sub('<input name="kind".*>', CHOICES, FORM).replace('aria-label="B"', 'aria-label="B" autofocus'))
    shown = lambda: [page.get_by_label(name, exact=True).input_value() for name in ("B", "Kind")]
    eventually(lambda: shown() == ["large", "large"], shown)
    held = []
    context.route("**/bindery-attributes.js", lambda route: held.append(route))
    if isPutBack:
        # No page with such a listener is kept whole.
        page.evaluate("addEventListener('unload', () => {})")
        page.goto(f"http://127.0.0.1:{bindery.port}/livez")
        page.go_back(wait_until="commit")
    else:
        page.goto(page.url, wait_until="commit")
    assert load("small").status == 200
    page.get_by_role("button", name="Load").click()
    page.wait_for_function("document.querySelector('select').matches(':user-valid')")
    eventually(lambda: page.evaluate("1") and held, "the script is asked for")
    held[0].continue_()
    eventually(lambda: shown() == ["small", "small"], shown)


def test_what_the_page_adds_later_is_not_filled_in_by_that(form):
    radios = "".join(f'<input type="radio" name="x" value="{value}" data-bind="a.x">' for value in "ab")
    page = form(f'{radios}<input name="y" data-bind="a.y">', x="b", y="first")
    page.evaluate(
        """() => {
            document.forms[0].insertAdjacentHTML("afterbegin", '<input type="radio" name="x" value="c" data-bind="a.x">')
            document.forms[0].y.replaceWith(document.forms[0].y.cloneNode(true))
            bindAll()
            change({ x: "a", y: "theirs" })
        }""")
    assert page.locator("[value=a]").is_checked() and page.locator("[name=y]").input_value() == "theirs"
    assert saved(page) == {"x": "a", "y": "theirs"}
    # What was chosen before one more came stays chosen.
    page.evaluate("asked[0].done()")
    page.locator("[value=b]").click()
    page.evaluate(
        """() => {
            document.forms[0].insertAdjacentHTML("afterbegin", '<input type="radio" name="x" value="d" data-bind="a.x">')
            bindAll()
            change({ x: "c" })
        }""")
    assert saved(page) == {"x": "b", "y": "theirs"}


def test_what_is_chosen_of_a_list_of_numbers_is_one(form):
    boxes = "".join(f'<input type="checkbox" name="x" value="{value}" data-bind="a.x">' for value in (5, 7, 9))
    page = form(boxes, x=[5, 7])
    page.locator("[value='9']").click()
    assert saved(page) == {"x": [5, 7, 9]}


def test_a_reset_of_a_form_of_the_pages_own_shows_the_state(form):
    page = form("", x="first")
    page.evaluate("""make('<form><input name="x" data-bind="a.x"></form>', { x: "first" })""")
    page.evaluate("document.forms[0].reset()")
    eventually(lambda: page.locator("input").input_value() == "first", "the state")


BOXES = "".join(f'<input type="checkbox" name="x" value="{value}" data-bind="a.x">' for value in "xyz")


ADDED = """document.querySelector("button").insertAdjacentHTML("beforebegin", '<input type="checkbox" name="x" value="w" data-bind="a.x">'); bindAll()"""


def test_what_was_done_is_done_where_the_page_takes_a_box_away_meanwhile(form):
    page = form(BOXES, x=["x"])
    page.locator("[value=y]").click()
    assert saved(page) == {"x": ["x", "y"]}
    page.evaluate("document.querySelector('[value=x]').remove(); change({ x: ['y'] }); asked[0].done()")
    eventually(lambda: page.evaluate("document.forms[0].ariaBusy") is None, "done")
    assert page.locator("[data-problem]").inner_text() == ""
    page.evaluate("change({ x: ['z'] })")
    assert page.locator("[value=z]").is_checked() and not page.locator("[value=y]").is_checked()


def test_a_box_that_is_gone_says_nothing_to_those_that_are_there(form):
    page = form(BOXES, x=["y"])
    page.evaluate(f"document.querySelector('[value=x]').remove(); {ADDED}")
    page.locator("[value=w]").click()
    page.evaluate("change({ x: ['z'] })")
    assert saved(page) == {"x": ["y", "w"]}


def test_what_waits_is_sent_as_the_state_is_then_also_with_one_box_more(form):
    page = form(BOXES + '<input name="t">', x=["x"])
    for text in "one", "two":
        page.locator("[name=t]").fill(text)
        page.get_by_role("button").click()
    page.evaluate(f"{ADDED}; change({{ x: ['z'] }}); asked[0].done()")
    page.wait_for_function("asked.length == 2")
    assert page.evaluate("bodies()[1]") == {"x": ["z"], "t": "two"}


def test_what_is_filled_in_and_disabled_as_the_form_is_sent_stays(form):
    page = form('<input name="x" data-bind="a.x"><fieldset><input name="y" data-bind="a.y"></fieldset>', x="X", y="Y")
    page.locator("[name=y]").fill("mine")
    page.evaluate("document.querySelector('fieldset').disabled = true")
    assert saved(page) == {"x": "X"}
    page.evaluate("asked[0].done()")
    eventually(lambda: page.evaluate("document.forms[0].ariaBusy") is None, "done")
    assert page.locator("[name=y]").input_value() == "mine"


def test_what_is_bound_may_be_the_form_or_the_field_itself(form):
    page = form("")
    page.evaluate("make('<form data-action=\"a/do\"><button>Do</button></form><output data-bind=\"a.x\"></output>', { x: 'shown' }, 'form, output')")
    page.get_by_role("button", name="Do").click()
    page.wait_for_function("asked.length == 1")
    assert page.locator("output").inner_text() == "shown"


def test_what_a_template_gives_is_bound_before_the_page_puts_it_in(form):
    page = form("")
    page.evaluate(
        """() => {
            const template = document.createElement("template")
            template.innerHTML = '<input name="x" data-bind="a.x" aria-label="X"><output data-bind="a.x"></output>'
            make("", { x: "shown" }, template.content)
            document.body.append(template.content)
        }""")
    eventually(lambda: page.locator("output").inner_text() == "shown", "shown")
    assert page.get_by_label("X").input_value() == "shown"


def test_of_two_fields_that_the_page_keeps_alike_the_one_that_somebody_filled_in_counts(form):
    fields = """<input type="number" name="x" data-bind="a.x" oninput="this.form.x[1].value = value" aria-label="N">
        <input type="range" name="x" max="100" step="10" data-bind="a.x" oninput="this.form.x[0].value = value" aria-label="R">"""
    page = form(fields, x=50)
    page.get_by_label("R").fill("70")
    page.get_by_label("N").fill("155")
    assert page.get_by_label("R").input_value() == "100"
    assert saved(page) == {"x": 155}


def test_what_waits_is_done_as_it_was_asked_also_where_the_page_has_its_element_do_something_else(form):
    page = form('<input name="x">')
    page.evaluate("make('<form data-action=\"a/one\"><input name=\"x\"><button>Do</button></form>', {})")
    for text in "ab":
        page.locator("input").fill(text)
        page.get_by_role("button").click()
    page.evaluate("document.forms[0].dataset.action = 'a/two'; asked[0].done()")
    page.wait_for_function("asked.length == 2")
    assert page.evaluate("asked.map(({ name }) => name)") == ["one", "one"]


def test_what_was_typed_before_the_script_was_there_was_filled_in_by_somebody(form):
    page = form("")
    page.evaluate(
        """() => make('<form data-action="a/do"><input name="x" aria-label="one"><input name="x" aria-label="two"><button>Save</button></form>', {})""")
    page.get_by_label("one").fill("typed")
    page.evaluate(
        """async () => {
            const { Draft } = await import("/bindery-draft.js")
            const { filledIn } = await import("/bindery-form.js")
            const [form] = document.forms
            for (const field of form.querySelectorAll("input")) Draft.bind(field, true).state = "old"
            form.x[1].value = "by the page"
            self.body = filledIn(form).body
        }""")
    assert page.evaluate("body") == {"x": "typed"}


def test_a_form_that_is_reset_shows_the_state_also_in_the_field_in_focus(form):
    page = form('<input name="n" data-bind="a.n" aria-label="n">', n="Ann")
    page.get_by_label("n").focus()
    page.evaluate("new Promise((done) => { document.forms[0].reset(); setTimeout(done) })")
    page.keyboard.press("End")
    page.keyboard.type("a")
    assert saved(page) == {"n": "Anna"}


def test_a_field_in_focus_shows_what_comes_after_a_reset_until_somebody_types(form):
    page = form('<input name="n" data-bind="a.n" aria-label="n">', n="Ann")
    page.get_by_label("n").focus()
    page.evaluate("change({ n: 'Bea' })")
    assert page.get_by_label("n").input_value() == "Ann"
    page.evaluate("new Promise((done) => { document.forms[0].reset(); setTimeout(done) })")
    page.evaluate("change({ n: 'Cleo' })")
    assert page.get_by_label("n").input_value() == "Cleo"
    page.keyboard.press("End")
    page.keyboard.type("!")
    page.evaluate("change({ n: 'Dan' })")
    assert saved(page) == {"n": "Cleo!"}


def test_what_the_pages_script_does_by_the_session_of_the_attributes_is_shown_once_it_is_done(opened):
    page = opened(FORM.replace('<output data-bind="profile.paramB">', '<output id="text" data-bind="counter.text">'))
    outputs(page, "0")
    shown = page.evaluate(
        """async () => {
            const { session } = await import("/bindery-attributes.js")
            const { text } = await (await session).viewModel("counter").increment()
            return [text, document.getElementById("text").value]
        }""")
    assert shown[0] == shown[1]


def test_a_number_that_a_browser_rounds_is_warned_of(form):
    page = form('<input type="number" name="x" data-bind="a.x">', x=2**53 - 1)
    with page.expect_console_message(lambda message: message.type == "warning" and "may round" in message.text):
        page.evaluate("change({ x: 2 ** 53 })")


def test_a_form_of_the_pages_own_keeps_what_is_typed_until_it_is_reset(form):
    page = form("")
    page.evaluate("""make('<form><input name="x" data-bind="a.x"><button>Search</button></form><p></p>', { x: "old" })""")
    page.evaluate(
        """() => document.forms[0].addEventListener("submit", (event) => {
            event.preventDefault()
            document.querySelector("p").textContent = document.forms[0].x.value
        })""")
    page.locator("input").fill("mine")
    page.get_by_role("button").click()
    assert page.locator("p").inner_text() == "mine"
    page.evaluate("change({ x: 'new' }); document.forms[0].reset()")
    eventually(lambda: page.locator("input").input_value() == "new", "shown")


def test_rows_of_a_table_that_come_from_a_template_know_the_forms_that_their_fields_name(form):
    page = form("")
    page.evaluate(
        """() => {
            make("<table></table>", { x: "s", y: "m" })
            const template = document.createElement("template")
            const radios = (form, output) => ["s", "m"].map((value) =>
                `<td><input type="radio" name="k" value="${value}" form="${form}" data-bind="a.${output}">`).join("")
            template.innerHTML = ["x", "y"].map((one) =>
                `<tr>${radios(one, one)}<td><form id="${one}" data-action="a/do"><button>${one}</button></form></tr>`).join("")
            bindTo(template.content)
            document.querySelector("table").append(template.content)
        }""")
    for name in ["x", "y"]:
        page.get_by_role("button", name=name).click()
    page.wait_for_function("asked.length == 2")
    assert page.evaluate("bodies()") == [{"k": "s"}, {"k": "m"}]


def test_what_another_script_adds_before_there_is_a_session_is_shown(opened):
    page = opened(
        """<!doctype html><html lang="en" data-session="public"><script type="module" src="/bindery-attributes.js"></script>
        <script type="module">document.body.innerHTML = '<output data-bind="counter.text"></output>'</script><body></body></html>""")
    eventually(lambda: page.locator("output").inner_text() == "0", "shown")


def test_what_was_filled_in_last_counts_also_where_the_page_adds_one_more_of_a_name(form):
    page = form('<input name="x" data-bind="a.t"><input type="checkbox" name="x" value="b" data-bind="a.x" aria-label="b">', t="", x=[])
    page.locator("input").first.fill("typed")
    page.get_by_label("b").check()
    page.evaluate(
        """() => {
            document.querySelector("button").insertAdjacentHTML("beforebegin", '<input type="checkbox" name="x" value="c" data-bind="a.x">')
            bindAll()
        }""")
    assert saved(page) == {"x": ["b"]}
