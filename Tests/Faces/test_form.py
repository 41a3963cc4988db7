"""The fields of a page by attributes: what they show, what somebody fills in, and what is sent of both."""

import re

import pytest

from client import Client
from processes import eventually
from shown import outputs

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


FILLED = """<!doctype html>
<html lang="en" data-session="public">
<body></body>
<script type="module">
    import { bind } from "/bindery-attributes.js"
    // A session of whatever outputs, whose actions are noted, and done once `answer` is called.
    self.asked = []
    self.make = (html, outputs, roots) => {
        const watchers = []
        document.body.innerHTML = html
        const session = {
            viewModel: () => ({ toJSON: () => outputs, action: (name, body) => new Promise((done, refused) => {
                asked.push({ name, body: JSON.parse(JSON.stringify(body ?? null)), done: (answer) => done(answer ?? { ...outputs }), refused })
            }) }),
            on: (path, tell) => {
                const name = path.split(".")[1]
                watchers.push((changed) => name in changed && tell(changed[name]))
                tell(outputs[name])
            },
        }
        self.bindTo = (root) => { bind(Promise.resolve(session), root) }
        self.bindAll = () => {
            const all = typeof roots == "string" ? document.querySelectorAll(roots) : [roots ?? document]
            all.forEach(bindTo)
        }
        bindAll()
        self.change = (changed) => watchers.forEach((tell) => tell(Object.assign(outputs, changed) && changed))
    }
    self.bodies = () => asked.map(({ body }) => body)
</script>
</html>
"""


@pytest.fixture
def form(context, opened):
    """Opens a form of the action `a/do`, with outputs of a view model `a`."""
    # Of the server there are the modules alone.
    context.route("**/session", lambda route: route.fulfill(status=503, body=""))

    def open_form(fields, **outputs):
        page = opened(FILLED)
        page.wait_for_function("typeof self.make == 'function'")
        page.evaluate(
            "([html, outputs]) => make(html, outputs)",
            [f'<form data-action="a/do" method="dialog">{fields}<button>Save</button></form><p data-problem="a/do"></p>', outputs])
        return page

    return open_form


def first_is_refused(page):
    """Presses the buttons "one" and "two", and refuses what the first one asks for."""
    for place, name in enumerate(["one", "two"]):
        page.get_by_role("button", name=name).click()
        page.wait_for_function(f"asked.length == {place + 1}")
    page.evaluate("asked[0].refused({ message: 'In use.' })")
    page.get_by_text("In use.").wait_for()


def save(page, *texts):
    """Types each text into the field x, and presses Save, whatever was answered."""
    for text in texts:
        page.get_by_label("x").fill(text)
        page.get_by_role("button").click()


def saved(page):
    """What a click on Save sends, once all before was answered."""
    before = page.evaluate("asked.length")
    page.get_by_role("button", name="Save").click()
    page.wait_for_function(f"asked.length == {before + 1}", timeout=5000)
    return page.evaluate("asked.at(-1).body")


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


@pytest.mark.parametrize("emptied", ["form.requestSubmit(); form.x.value = ''", "form.addEventListener('submit', () => form.reset()); form.requestSubmit()"])
def test_a_form_that_the_page_empties_as_it_is_sent_is_sent_with_what_was_in_it(form, emptied):
    page = form('<input name="x">')
    page.locator("input").fill("hello")
    page.evaluate(f"() => {{ const [form] = document.forms; {emptied} }}")
    page.wait_for_function("asked.length")
    assert page.evaluate("bodies()") == [{"x": "hello"}]
    assert page.locator("input").input_value() == ""


def test_a_double_click_is_one_submission_and_what_comes_later_another(form):
    page = form('<input name="x">')
    page.clock.install()
    page.locator("input").fill("once")
    page.get_by_role("button").dblclick()
    page.locator("input").fill("once!")
    page.get_by_role("button").click()
    page.clock.fast_forward(600)
    page.get_by_role("button").click()
    # One is sent after the other, as the first may have to be repeated.
    for place, text in enumerate(["once", "once!", "once!"]):
        page.wait_for_function(f"asked.length == {place + 1}")
        assert page.evaluate("bodies().at(-1)") == {"x": text}
        assert page.evaluate("document.forms[0].ariaBusy") == "true"
        page.evaluate(f"asked[{place}].done()")
    eventually(lambda: page.evaluate("document.forms[0].ariaBusy") is None, "not busy any more")
    assert len(page.evaluate("asked")) == 3


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


@pytest.mark.parametrize("kind", ["", "multiple"])
def test_what_was_chosen_stays_where_the_page_makes_the_options_anew(form, kind):
    options = "<option>s<option>m<option>l"
    page = form(f'<select name="x" {kind} data-bind="a.x">{options}</select>', x="s")
    page.locator("select").select_option(["m"])
    page.evaluate("(options) => { document.querySelector('select').innerHTML = options }", options)
    eventually(lambda: page.locator("select").input_value() == "m", "chosen")
    assert saved(page) == {"x": "m" if not kind else ["m"]}


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


def test_what_the_page_itself_fills_in_is_sent(form):
    page = form('<input name="x" data-bind="a.x"><input name="y" data-bind="a.y">', x="first", y="first")
    page.evaluate("document.forms[0].x.value = 'suggested'; document.forms[0].reset(); document.forms[0].y.value = 'suggested'")
    page.evaluate("new Promise((done) => setTimeout(done, 50))")
    assert saved(page) == {"x": "first", "y": "suggested"}


def test_a_select_whose_options_come_later_shows_the_state(form):
    page = form('<select name="x" data-bind="a.x"></select>', x="m")
    page.evaluate("document.querySelector('select').append(new Option('s'), new Option('m'))")
    eventually(lambda: page.locator("select").input_value() == "m", "shown")
    assert saved(page) == {"x": "m"}


def test_a_refusal_leaves_alone_who_is_elsewhere_by_now(form):
    page = form('<input name="x"><textarea name="y"></textarea>')
    page.get_by_role("button").click()
    page.locator("textarea").press_sequentially("ab")
    page.evaluate("asked[0].refused({ message: 'Type a name.', pointer: '#/x' })")
    page.get_by_text("Type a name.").wait_for()
    page.keyboard.type("cd")
    assert page.locator("textarea").input_value() == "abcd"
    assert page.locator("[name=x]").get_attribute("aria-invalid") == "true"


def test_a_button_that_was_done_before_takes_no_refusal_away(form):
    page = form("")
    page.evaluate("""make('<button data-action="a/do">Do</button><p data-problem="a/do">', {})""")
    for _ in range(2):
        page.get_by_role("button").click()
    page.wait_for_function("asked.length == 2")
    page.evaluate("asked[1].refused({ message: 'Not twice.' }); asked[0].done()")
    page.get_by_text("Not twice.").wait_for()
    page.evaluate("new Promise((done) => setTimeout(done, 10))")
    assert page.get_by_text("Not twice.").is_visible()


@pytest.mark.parametrize("said", ["onsubmit=\"return false\"", "data-own"])
def test_what_the_page_prevents_is_not_done(form, said):
    page = form('<input name="x">')
    page.evaluate(
        """(said) => {
            make(`<form data-action="a/do" ${said} method="dialog"><button>Save</button></form><button data-action="a/do" onclick="return false">Do</button>`, {})
        }""", said)
    page.get_by_role("button", name="Do").click()
    page.get_by_role("button", name="Save").click()
    page.evaluate("new Promise((done) => setTimeout(done, 10))")
    assert page.evaluate("bodies()") == ([] if "return" in said else [None])


def test_what_is_bound_twice_acts_once(form):
    page = form("")
    page.evaluate("""make('<button data-action="a/do">Do</button>', {})""")
    page.evaluate("bindAll()")
    page.get_by_role("button").click()
    page.evaluate("new Promise((done) => setTimeout(done, 10))")
    assert page.evaluate("asked.length") == 1


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


def test_a_range_that_shrinks_and_a_select_that_tells_of_a_change_alone(form):
    page = form('<input type="range" name="x" data-bind="a.x"><select name="y" data-bind="a.y"><option>s<option>m</select>', x=50, y="s")
    page.evaluate("document.querySelector('[type=range]').max = 30")
    page.evaluate("select => (select.value = 'm', select.dispatchEvent(new Event('change')))", page.locator("select").element_handle())
    assert saved(page) == {"x": 50, "y": "m"}


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


def test_what_is_chosen_stays_where_the_page_takes_the_first_away(form):
    page = form("".join(f'<input type="radio" name="x" value="{value}" data-bind="a.x">' for value in "abc"), x="c")
    page.evaluate("document.querySelector('[value=a]').remove()")
    page.locator("[value=b]").click()
    page.locator("[value=b]").blur()
    assert saved(page) == {"x": "b"}


def test_what_is_chosen_of_a_list_of_numbers_is_one(form):
    boxes = "".join(f'<input type="checkbox" name="x" value="{value}" data-bind="a.x">' for value in (5, 7, 9))
    page = form(boxes, x=[5, 7])
    page.locator("[value='9']").click()
    assert saved(page) == {"x": [5, 7, 9]}


@pytest.mark.parametrize("empties", ["x.value = ''", "reset()"])
def test_a_refusal_is_not_taken_away_by_the_next_thing_that_was_submitted_before_it(form, empties):
    page = form('<input name="x">')
    page.evaluate("(empties) => { document.forms[0].setAttribute('onsubmit', empties) }", empties)
    for text in "first", "second":
        page.locator("input").fill(text)
        page.get_by_role("button").click()
    page.evaluate("new Promise((done) => setTimeout(done, 10))")
    page.evaluate("asked[0].refused({ message: 'Too long.' })")
    page.wait_for_function("asked.length == 2")
    page.evaluate("asked[1].done()")
    eventually(lambda: page.evaluate("document.forms[0].ariaBusy") is None, "done")
    assert page.get_by_text("Too long.").is_visible()
    page.locator("input").fill("third")
    saved(page)
    page.evaluate("asked[2].done()")
    page.get_by_text("Too long.").wait_for(state="hidden")


def test_a_reset_of_a_form_of_the_pages_own_shows_the_state(form):
    page = form("", x="first")
    page.evaluate("""make('<form><input name="x" data-bind="a.x"></form>', { x: "first" })""")
    page.evaluate("document.forms[0].reset()")
    eventually(lambda: page.locator("input").input_value() == "first", "the state")


@pytest.mark.parametrize("field", ['<select name="x" data-bind="a.x" oninput="this.form.requestSubmit()"><option>5<option>6</select>',
                                   '<input type="range" name="x" data-bind="a.x" oninput="this.form.requestSubmit()">'])
def test_what_is_chosen_is_sent_by_its_own_listener(form, field):
    page = form(field, x=5)
    page.locator("[name=x]").focus()
    page.keyboard.press("ArrowUp" if "range" in field else "ArrowDown")
    page.wait_for_function("asked.length")
    assert page.evaluate("bodies()[0]") == {"x": 6}


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


def test_a_state_whose_option_is_disabled_is_sent(form):
    assert saved(form('<select name="x" data-bind="a.x"><option>s<option disabled>m</select>', x="m")) == {"x": "m"}


def test_who_types_on_in_a_form_that_saves_with_each_letter_is_not_disturbed(form):
    page = form('<input name="x" type="number" step="any" data-bind="a.x"><input name="y" data-bind="a.y">', x=0.5, y="")
    page.evaluate("() => { document.forms[0].oninput = () => document.forms[0].requestSubmit() }")

    def typed(text, taken):
        page.keyboard.type(text)
        page.wait_for_function("asked.length")
        page.evaluate("(taken) => change(taken)", taken)
        page.wait_for_function("asked.forEach(({ done }) => done()) ?? !document.forms[0].ariaBusy")

    page.locator("[name=x]").select_text()
    for text, taken in [("1", {"x": 1}), (".05", {"x": 1.05})]:
        typed(text, taken)
    assert page.locator("[name=x]").input_value() == "1.05"
    page.locator("[name=y]").focus()
    # The server takes off the space at the end, which the field shows once it is left.
    for text, taken in [("N", {"y": "N"}), (" ", {}), ("Y", {"y": "N Y"}), (" ", {})]:
        typed(text, taken)
    assert page.locator("[name=y]").input_value() == "N Y "
    page.locator("[name=x]").focus()
    assert page.locator("[name=y]").input_value() == "N Y"


def test_who_saves_by_the_enter_key_sees_what_became_of_it(form):
    page = form('<input name="x" data-bind="a.x">', x="")
    page.locator("[name=x]").fill("milk")
    page.keyboard.press("Enter")
    page.wait_for_function("asked.length")
    page.evaluate("change({ x: '' }); asked[0].done()")
    eventually(lambda: page.locator("[name=x]").input_value() == "", "shown")


@pytest.mark.parametrize("changed", ["form.reset()", "form.n.value = 2"])
def test_a_double_click_is_one_submission_whatever_the_first_answer_changes(form, changed):
    page = form('<input name="x"><input type="hidden" name="n" value="1">')
    page.evaluate(f"() => {{ const [form] = document.forms; form.addEventListener('bindery-done', () => {{ {changed} }}) }}")
    page.locator("[name=x]").fill("milk")
    box = page.get_by_role("button").bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    for count in (1, 2):
        page.mouse.down(click_count=count)
        page.mouse.up(click_count=count)
        page.wait_for_function("asked.length == 1")
        page.evaluate("asked[0].done()")
        page.evaluate("new Promise((done) => setTimeout(done, 10))")
    assert page.evaluate("bodies()") == [{"x": "milk", "n": "1"}]
    # A double click into a text is none of the button.
    page.locator("[name=x]").dblclick()
    page.evaluate("document.forms[0].x.value = 'eggs'; document.forms[0].requestSubmit()")
    page.wait_for_function("asked.length == 2")


def test_a_double_click_in_a_form_without_fields_is_one_submission(form):
    page = form("")
    page.get_by_role("button").dblclick()
    page.evaluate("asked[0].done()")
    page.evaluate("new Promise((done) => setTimeout(done, 10))")
    assert page.evaluate("asked.length") == 1


def test_what_the_page_chooses_itself_is_sent(form):
    page = form('<select name="x" data-bind="a.x"><option>s<option>l</select><input name="n" type="range" max="100" data-bind="a.n">', x="s", n=5)
    page.evaluate("document.forms[0].x.value = 'l'; document.forms[0].n.value = 99")
    assert saved(page) == {"x": "l", "n": 99}


def test_a_range_whose_ends_the_page_moves_is_sent_as_the_state_says_it(form):
    page = form('<input name="n" type="range" max="100" data-bind="a.n">', n=50)
    page.evaluate("document.forms[0].n.max = 10")
    assert page.locator("[name=n]").input_value() == "10"
    assert saved(page) == {"n": 50}
    page.evaluate("asked[0].done(); document.forms[0].n.max = 100")
    eventually(lambda: page.locator("[name=n]").input_value() == "50", "shown")


def test_a_select_that_has_the_focus_shows_the_state_where_the_page_makes_its_options_anew(form):
    page = form('<select name="x" data-bind="a.x"><option>s<option>m<option>l</select>', x="m")
    page.locator("select").focus()
    page.evaluate("document.querySelector('select').replaceChildren(...['s', 'm', 'l'].map((one) => new Option(one)))")
    eventually(lambda: page.locator("select").input_value() == "m", "shown")
    assert saved(page) == {"x": "m"}


def test_what_the_page_holds_back_of_a_list_is_sent_with_the_rest(form):
    page = form(
        """<input type="checkbox" name="x" value="base" disabled data-bind="a.x"><input type="checkbox" name="x" value="more" data-bind="a.x">
        <select name="y" multiple data-bind="a.x"><option disabled>base<option>more</select><input type="checkbox" name="z" value="base" disabled checked>
        <input type="checkbox" name="z" value="more">""", x=["base"])
    page.locator("[name=x][value=more]").check()
    page.evaluate("const [, more] = document.forms[0].y.options; more.selected = true; more.parentElement.dispatchEvent(new Event('input'))")
    assert saved(page) == {"x": ["base", "more"], "y": ["base", "more"], "z": []}


def test_a_refusal_of_what_the_page_saves_by_itself_takes_the_focus_from_nobody(form):
    page = form('<input name="x"><textarea name="y"></textarea>')
    page.locator("textarea").press_sequentially("ab")
    page.evaluate("document.forms[0].requestSubmit()")
    page.wait_for_function("asked.length")
    page.evaluate("asked[0].refused({ message: 'Type a name.', pointer: '#/x' })")
    page.get_by_text("Type a name.").wait_for()
    page.keyboard.type("cd")
    assert page.locator("textarea").input_value() == "abcd"
    assert page.locator("[name=x]").get_attribute("aria-invalid") == "true"


def test_a_refusal_takes_the_focus_from_nobody_who_types_on_where_they_were(form):
    page = form('<input name="x"><input name="y">')
    page.locator("[name=y]").press_sequentially("ab")
    page.keyboard.press("Enter")
    page.keyboard.type("c")
    page.wait_for_function("asked.length")
    page.evaluate("asked[0].refused({ message: 'Type a name.', pointer: '#/x' })")
    page.get_by_text("Type a name.").wait_for()
    page.keyboard.type("d")
    assert page.locator("[name=y]").input_value() == "abcd"


def test_a_refusal_leaves_the_focus_in_the_field_of_that_name_that_has_it(form):
    page = form("".join(f'<input type="radio" name="x" value="{value}" aria-label="{value}">' for value in "abcd"))
    page.get_by_label("c").check()
    page.keyboard.press("Enter")
    page.wait_for_function("asked.length")
    page.evaluate("asked[0].refused({ message: 'Another.', pointer: '#/x' })")
    page.get_by_text("Another.").wait_for()
    page.keyboard.press("ArrowDown")
    assert page.get_by_label("d").is_checked()


@pytest.mark.parametrize("place", ["", '<p data-problem="a/do"></p>'])
def test_a_refusal_in_what_was_bound_is_said_elsewhere_where_that_has_no_place_or_is_gone(form, place):
    page = form("")
    page.evaluate(
        """(place) => make(`<p data-problem="a/do" id="other"></p><div id="row"><form data-action="a/do"><button>Do</button></form>${place}</div>`, {}, "#row")""",
        place)
    page.get_by_role("button", name="Do").click()
    page.wait_for_function("asked.length")
    page.evaluate("document.getElementById('row').remove(); asked[0].refused({ message: 'No.' })")
    eventually(lambda: page.locator("#other").inner_text() == "No.", "said")


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


@pytest.mark.parametrize("click", ["onclick='this.form.n.stepUp()'", "onclick='this.form.n.value = Number(this.form.n.value) + 1'"])
def test_a_button_by_which_the_page_fills_in_something_is_none_that_is_clicked_twice(form, click):
    page = form(f'<input name="n" type="number" data-bind="a.n"><button {click}>+</button>', n=5)
    page.get_by_role("button", name="+").dblclick()
    page.wait_for_function("asked.length == 1")
    page.evaluate("asked[0].done()")
    page.wait_for_function("asked.length == 2")
    assert page.evaluate("bodies()") == [{"n": 6}, {"n": 7}]


def test_what_is_typed_after_a_double_click_is_saved(form):
    page = form('<input name="x">')
    page.get_by_role("button").dblclick()
    page.evaluate("asked[0].done()")
    page.evaluate("document.forms[0].x.value = 'a'; document.forms[0].requestSubmit(document.querySelector('button'))")
    page.wait_for_function("asked.length == 2")


def test_an_option_that_the_page_disables_later_changes_nothing(form):
    page = form('<select name="x" data-bind="a.x"><option>s<option>m<option>l</select>', x="m")
    page.evaluate("document.forms[0].x.options[1].disabled = true")
    assert saved(page) == {"x": "m"}
    page.evaluate("asked[0].done(); change({ x: 'l' })")
    eventually(lambda: page.locator("select").input_value() == "l", "shown")


def test_options_that_are_made_anew_as_the_form_is_submitted_choose_nothing(form):
    page = form('<select name="x" data-bind="a.x"><option>s<option>m</select>', x="m")
    page.evaluate(
        """() => {
            document.forms[0].x.replaceChildren(new Option("s"), new Option("m"))
            document.forms[0].requestSubmit()
        }""")
    page.wait_for_function("asked.length")
    assert page.evaluate("bodies()") == [{"x": "m"}]


REDRAWN = {
    "placeholder": (
        '<select name="x" data-bind="a.x"><option value="" disabled selected>Choose one</select>', "l",
        "x.append(new Option('s'), new Option('l'))"),
    "in place": (
        '<select name="x" data-bind="a.x"><option>s<option>m<option>l</select>', "m", "x.options[0].remove(); x.options[0].value = 'n'; x.add(new Option('m'))"),
    "texts": (
        '<select name="x" data-bind="a.x"><option>s<option>m<option>l</select>', "m",
        "x.options[1].firstChild.data = 'l'; x.options[2].firstChild.data = 'm'"),
    "values": (
        '<select name="x" data-bind="a.x"><option value="s">S<option value="m">M<option value="l">L</select>', "m",
        "x.options[1].value = 'l'; x.options[2].value = 'm'"),
    "many": ('<select name="x" multiple data-bind="a.x"><option>s<option>m<option>l</select>', ["m", "l"], "x.options[2].remove()"),
    "step": ('<input name="x" type="range" max="100" data-bind="a.x">', 37, "x.step = 10; x.max = 95"),
    "spelling": ('<input name="x" type="range" max="100" data-bind="a.x">', 50, "x.max = '5.00'"),
}


@pytest.mark.parametrize("kind", REDRAWN)
def test_what_the_browser_makes_of_other_options_or_ends_is_not_sent(form, kind):
    field, value, change = REDRAWN[kind]
    page = form(field, x=value)
    page.evaluate("(change) => { const { x } = document.forms[0]; eval(change) }", change)
    assert saved(page) == {"x": value}


def test_a_refusal_is_said_in_the_nearest_place(form):
    page = form("")
    page.evaluate(
        """() => {
            make("", {})
            for (const name of ["one", "two"]) {
                const row = document.createRange().createContextualFragment(
                    `<div><form data-action="a/do"><button>${name}</button></form><p data-problem="a/do"></p></div>`)
                bindTo(row)
                document.body.append(row)
            }
        }""")
    page.get_by_role("button", name="two").click()
    page.wait_for_function("asked.length")
    page.evaluate("asked[0].refused({ message: 'No.' })")
    page.get_by_text("No.").wait_for()
    assert page.locator("p").all_inner_texts() == ["", "No."]
    # Of rows that are drawn anew meanwhile none says it.
    page.clock.install()
    page.clock.fast_forward(600)
    page.get_by_role("button", name="one").click()
    page.wait_for_function("asked.length == 2")
    page.evaluate("document.body.innerHTML = document.body.innerHTML.replaceAll('No.', ''); asked[1].refused({ message: 'No.' })")
    page.evaluate("new Promise((done) => setTimeout(done, 10))")
    assert page.locator("p").all_inner_texts() == ["", ""]


def test_a_form_without_a_button_shows_what_became_of_it_after_the_enter_key(form):
    page = form("")
    page.evaluate("""make('<form data-action="a/do"><input name="x" data-bind="a.x"></form>', { x: "" })""")
    page.locator("input").fill("hello")
    page.keyboard.press("Enter")
    page.wait_for_function("asked.length")
    page.evaluate("change({ x: '' }); asked[0].done()")
    eventually(lambda: page.locator("input").input_value() == "", "shown")


def test_of_two_fields_that_the_page_keeps_alike_the_one_that_somebody_filled_in_counts(form):
    fields = """<input type="number" name="x" data-bind="a.x" oninput="this.form.x[1].value = value" aria-label="N">
        <input type="range" name="x" max="100" step="10" data-bind="a.x" oninput="this.form.x[0].value = value" aria-label="R">"""
    page = form(fields, x=50)
    page.get_by_label("R").fill("70")
    page.get_by_label("N").fill("155")
    assert page.get_by_label("R").input_value() == "100"
    assert saved(page) == {"x": 155}


def test_a_box_that_the_page_disables_once_it_is_ticked_is_not_sent(form):
    boxes = "".join(f'<input type="checkbox" name="x" value="{value}" data-bind="a.x" aria-label="{value}">' for value in "ab")
    page = form(boxes, x=[])
    page.get_by_label("a").check()
    page.get_by_label("b").check()
    page.evaluate("document.forms[0].x[0].disabled = true")
    assert saved(page) == {"x": ["b"]}


def test_what_was_chosen_by_a_change_alone_stays_where_options_are_added(form):
    page = form('<select name="x" data-bind="a.x"><option>s<option>m<option>l</select>', x="m")
    for value in "lm":
        page.evaluate("(value) => { const { x } = document.forms[0]; x.value = value; x.dispatchEvent(new Event('change')) }", value)
    page.evaluate("document.forms[0].x.append(new Option('xl'))")
    page.evaluate("new Promise((done) => setTimeout(done, 10))")
    assert page.locator("select").input_value() == "m"


@pytest.mark.parametrize("bound", ['data-bind="a.x"', ""])
@pytest.mark.parametrize("there, other", [("", ""), ('<input type="hidden" name="id" value="1">', "2")])
def test_what_was_put_right_takes_its_refusal_away_and_what_is_of_another_row_does_not(form, there, other, bound):
    page = form(f'{there}<input name="x" {bound} oninput="this.form.requestSubmit()">', x="")
    for text in "ab":
        page.locator("[name=x]").press(text)
        if other:
            page.evaluate("(other) => { document.forms[0].id.value = other }", other)
    page.wait_for_function("asked.length")
    page.evaluate("asked[0].refused({ message: 'No e-mail.', pointer: '#/x' })")
    page.wait_for_function("asked.length == 2")
    assert page.get_by_text("No e-mail.").is_visible()
    page.evaluate("asked[1].done()")
    eventually(lambda: page.evaluate("document.forms[0].ariaBusy") is None, "done")
    assert page.locator("p").inner_text() == ("No e-mail." if other else "")
    assert page.locator("[name=x]").get_attribute("aria-invalid") == ("true" if other else None)


@pytest.mark.parametrize("again", ["two", "Again"])
def test_a_row_that_is_done_takes_no_refusal_of_another_away_from_a_place_for_all(form, again):
    page = form("")
    row = '<form data-action="a/do"><input name="x"><button>{}</button></form>'
    page.evaluate(
        "(html) => make(html, {})",
        f'<p data-problem="a/do"></p>{row.format("one")}{row.format("two")}<button data-action="a/do">Again</button>')
    first_is_refused(page)
    page.evaluate("asked[1].done()")
    eventually(lambda: page.evaluate("document.forms[1].ariaBusy") is None, "done")
    assert page.get_by_text("In use.").is_visible()
    page.evaluate("document.forms[1].reset()")
    page.evaluate("new Promise((done) => setTimeout(done, 10))")
    assert page.get_by_text("In use.").is_visible()
    # What is asked once it was said takes it away.
    page.locator("input").last.fill("another")
    page.get_by_role("button", name=again).click()
    page.wait_for_function("asked.length == 3")
    page.evaluate("asked[2].done()")
    page.get_by_text("In use.").wait_for(state="hidden")


def test_a_page_hears_of_a_refusal_and_can_let_its_button_be_pressed_again(form):
    page = form('<input name="x" value="draft">')
    page.evaluate(
        """() => {
            const [form] = document.forms
            const button = form.querySelector("button")
            form.addEventListener("submit", () => { button.disabled = true; form.x.value = "" })
            form.addEventListener("bindery-refused", ({ detail }) => {
                button.disabled = false
                form.reset()
                form.x.value = detail.message
            })
        }""")
    page.get_by_role("button").click()
    page.wait_for_function("asked.length")
    page.evaluate("asked[0].refused({ message: 'Too long.' })")
    eventually(lambda: page.locator("input").input_value() == "Too long.", "told")
    assert page.get_by_role("button").is_enabled()
    # It has been reset, and says all the same what was refused.
    page.evaluate("new Promise((done) => setTimeout(done, 10))")
    assert page.get_by_text("Too long.").is_visible()


def test_a_page_does_not_hear_of_what_is_not_done_as_it_is_the_same_once_more(form):
    page = form('<input name="x" value="a">')
    page.evaluate("() => { self.heard = 0; document.forms[0].addEventListener('submit', () => heard++) }")
    page.get_by_role("button").dblclick()
    page.wait_for_function("asked.length")
    page.evaluate("asked[0].done()")
    eventually(lambda: page.evaluate("document.forms[0].ariaBusy") is None, "done")
    assert page.evaluate("[heard, asked.length]") == [1, 1]


def test_a_refusal_takes_the_focus_to_its_field_also_from_a_button_that_the_page_disables_meanwhile(form):
    page = form('<input name="x">')
    page.evaluate("() => { const [form] = document.forms; form.addEventListener('submit', () => { form.querySelector('button').disabled = true }) }")
    page.get_by_role("button").click()
    page.wait_for_function("asked.length && document.activeElement == document.body")
    page.evaluate("asked[0].refused({ message: 'Type a name.', pointer: '#/x' })")
    eventually(lambda: page.evaluate("document.activeElement.name") == "x", "in the field")


def test_a_choice_that_was_made_once_more_stays_until_it_was_done_once_more(form):
    page = form('<select name="x" data-bind="a.x" onchange="this.form.requestSubmit()"><option>s<option>m<option>l</select>', x="s")
    select = page.locator("select")
    for value in "mlm":
        select.select_option(value)
    page.wait_for_function("asked.length == 1")
    page.evaluate("change({ x: 'm' }); asked[0].done()")
    page.wait_for_function("asked.length == 2")
    page.evaluate("change({ x: 'l' }); asked[1].done()")
    page.wait_for_function("asked.length == 3")
    assert select.input_value() == "m"
    page.evaluate("change({ x: 'm' }); asked[2].done()")
    eventually(lambda: page.evaluate("document.forms[0].ariaBusy") is None, "done")
    page.evaluate("change({ x: 's' })")
    eventually(lambda: select.input_value() == "s", "shown")


def test_a_box_that_was_ticked_meanwhile_takes_its_refusal_away(form):
    page = form('<input type="checkbox" name="terms">')
    page.get_by_role("button").click()
    page.get_by_role("checkbox").check()
    page.get_by_role("button").click()
    page.wait_for_function("asked.length")
    page.evaluate("asked[0].refused({ message: 'Accept the terms.', pointer: '#/terms' })")
    page.wait_for_function("asked.length == 2")
    page.evaluate("asked[1].done()")
    page.get_by_text("Accept the terms.").wait_for(state="hidden")
    assert page.get_by_role("checkbox").get_attribute("aria-invalid") is None


def test_who_types_on_has_not_emptied_the_form(form):
    page = form('<input name="x">')
    # As on a page that is busy, timers come late.
    page.evaluate("() => { const set = setTimeout; self.setTimeout = (run, pause = 0) => set(run, pause || 300) }")
    page.evaluate("() => { document.forms[0].oninput = () => document.forms[0].requestSubmit() }")
    page.locator("input").press_sequentially("bi")
    page.evaluate("new Promise((done) => setTimeout(done))")
    page.evaluate("asked[0].refused({ message: 'Too short.' })")
    page.wait_for_function("asked.length == 2")
    page.evaluate("asked[1].done()")
    page.get_by_text("Too short.").wait_for(state="hidden")


def test_what_waits_is_done_as_it_was_asked_also_where_the_page_has_its_element_do_something_else(form):
    page = form('<input name="x">')
    page.evaluate("make('<form data-action=\"a/one\"><input name=\"x\"><button>Do</button></form>', {})")
    for text in "ab":
        page.locator("input").fill(text)
        page.get_by_role("button").click()
    page.evaluate("document.forms[0].dataset.action = 'a/two'; asked[0].done()")
    page.wait_for_function("asked.length == 2")
    assert page.evaluate("asked.map(({ name }) => name)") == ["one", "one"]


def test_who_is_nowhere_in_particular_is_not_taken_to_the_field_that_is_refused(form):
    page = form('<input name="x">')
    page.evaluate("() => document.body.append(document.createTextNode('A text to read.'))")
    page.get_by_role("button").click()
    page.mouse.click(5, 5)
    page.wait_for_function("document.activeElement == document.body")
    page.evaluate("document.querySelector('button').disabled = true; asked[0].refused({ message: 'Type a name.', pointer: '#/x' })")
    page.get_by_text("Type a name.").wait_for()
    assert page.evaluate("document.activeElement == document.body")


def test_what_was_typed_before_the_script_was_there_was_filled_in_by_somebody(form):
    page = form("")
    page.evaluate(
        """() => make('<form data-action="a/do"><input name="x" aria-label="one"><input name="x" aria-label="two"><button>Save</button></form>', {})""")
    page.get_by_label("one").fill("typed")
    page.evaluate(
        """async () => {
            const { Draft, filledIn } = await import("/bindery-form.js")
            const [form] = document.forms
            for (const field of form.querySelectorAll("input")) Draft.bind(field, true).state = "old"
            form.x[1].value = "by the page"
            self.body = filledIn(form).body
        }""")
    assert page.evaluate("body") == {"x": "typed"}


def test_what_is_typed_again_as_it_was_saved_shows_the_state_again(form):
    page = form('<input name="x" data-bind="a.x">', x="")
    page.locator("input").fill("ab")
    page.evaluate("document.forms[0].requestSubmit()")
    page.wait_for_function("asked.length")
    # Within half a second.
    page.evaluate(
        """async () => {
            change({ x: "ab" })
            asked[0].done()
            await new Promise((done) => setTimeout(done))
            const [form] = document.forms
            form.x.value = "ab"
            form.x.dispatchEvent(new Event("input"))
            form.requestSubmit()
        }""")
    page.evaluate("document.activeElement.blur()")
    eventually(lambda: page.evaluate("document.forms[0].ariaBusy") is None, "done")
    page.evaluate("change({ x: 'theirs' })")
    eventually(lambda: page.locator("input").input_value() == "theirs", "shown")
    assert page.evaluate("asked.length") == 1


def test_rows_that_are_drawn_anew_leave_what_another_was_refused_meanwhile(form):
    page = form("")
    rows = "".join(f'<form data-action="a/do"><button>{name}</button></form>' for name in ("one", "two"))
    page.evaluate("(rows) => make(`<p data-problem='a/do'></p><div>${rows}</div>`, {})", rows)
    first_is_refused(page)
    page.evaluate("const div = document.querySelector('div'); div.innerHTML = div.innerHTML; asked[1].done()")
    page.evaluate("new Promise((done) => setTimeout(done, 10))")
    assert page.get_by_text("In use.").is_visible()


def test_a_page_enables_the_field_that_was_refused_before_it_has_the_focus(form):
    page = form('<fieldset><input name="x"></fieldset>')
    page.evaluate(
        """() => {
            const [form] = document.forms
            const fieldset = form.querySelector("fieldset")
            form.addEventListener("submit", () => { fieldset.disabled = true })
            form.addEventListener("bindery-refused", () => { fieldset.disabled = false })
        }""")
    page.locator("input").press("Enter")
    page.wait_for_function("asked.length && document.activeElement == document.body")
    page.evaluate("asked[0].refused({ message: 'Type a name.', pointer: '#/x' })")
    eventually(lambda: page.evaluate("document.activeElement.name") == "x", "in the field")


def refused_then_done(page):
    """Refuses the first of two submissions, and does the second; whether the refusal is still said."""
    page.evaluate("new Promise((done) => setTimeout(done, 10))")
    page.evaluate("asked[0].refused({ message: 'Sold out.' })")
    page.wait_for_function("asked.length == 2")
    assert page.get_by_text("Sold out.").is_visible()
    page.evaluate("asked[1].done()")
    eventually(lambda: page.evaluate("document.forms[0].ariaBusy") is None, "done")
    return page.get_by_text("Sold out.").is_visible()


RESET = [
    '<input type="radio" name="x" value="s" aria-label="s"><input type="radio" name="x" value="l" aria-label="l" checked>',
    '<input type="checkbox" name="x" value="s" aria-label="s"><input type="checkbox" name="x" value="l" aria-label="l">',
]


@pytest.mark.parametrize("choices", RESET)
def test_a_refusal_of_a_choice_stays_where_the_form_was_reset_for_the_next(form, choices):
    page = form(choices)
    page.evaluate("document.forms[0].setAttribute('onsubmit', 'reset()')")
    for name in "sl":
        page.get_by_label(name).check()
        page.get_by_role("button").click()
    assert refused_then_done(page)


def test_a_refusal_stays_where_the_next_is_typed_before_the_timers_of_a_busy_page(form):
    page = form('<input name="x">')
    page.evaluate("() => { const set = setTimeout; self.setTimeout = (run, pause = 0) => set(run, pause || 300) }")
    page.evaluate("document.forms[0].setAttribute('onsubmit', 'reset()')")
    for text in "first", "second":
        page.locator("input").press_sequentially(text)
        page.get_by_role("button").click()
    assert refused_then_done(page)


@pytest.mark.parametrize("shown", ["submit.value = 'Saving…'", "said.value = 'Saving…'"])
def test_a_page_that_says_in_the_form_that_it_is_sent_has_not_emptied_it(form, shown):
    page = form('<input name="x" aria-label="x"><input type="submit" id="submit"><output id="said"></output>')
    page.evaluate("(shown) => document.forms[0].setAttribute('onsubmit', shown)", shown)
    for text in "first", "second":
        page.get_by_label("x").fill(text)
        page.keyboard.press("Enter")
    assert not refused_then_done(page)


def test_who_resets_a_form_while_it_is_sent_and_puts_right_what_is_refused_has_put_it_right(form):
    page = form('<input name="x" aria-label="x"><button type="reset">Undo</button>')
    for text in "first", "second":
        page.get_by_label("x").fill(text)
        page.get_by_role("button", name="Save").click()
        if text == "first":
            page.evaluate("new Promise((done) => setTimeout(done, 10))")
            page.get_by_role("button", name="Undo").click()
    assert not refused_then_done(page)


@pytest.mark.parametrize("anew", ["", ".cloneNode(true)"])
def test_a_refusal_is_said_where_the_page_puts_back_what_it_had_taken_away(form, anew):
    page = form("")
    page.evaluate(
        """() => make(`<main><div><form data-action="a/do"><input name="x"><button>Do</button></form><p data-problem="a/do"></p></div>
            <div><form data-action="a/do"></form><p data-problem="a/do"></p></div></main>`, {})""")
    page.evaluate(
        """(anew) => {
            const [main, row] = [document.querySelector("main"), document.querySelector("div")]
            const [form, place] = row.children
            self.row = row
            form.addEventListener("submit", () => row.remove())
            form.addEventListener("bindery-refused", () => {
                if (anew) place.replaceWith(place.cloneNode(true))
                main.prepend(row)
            })
        }""", anew)
    page.get_by_role("button", name="Do").click()
    page.wait_for_function("asked.length")
    page.evaluate("asked[0].refused({ message: 'No.', pointer: '#/x' })")
    page.get_by_text("No.").first.wait_for()
    assert page.locator("p").first.inner_text() == "No."
    assert page.locator("input").get_attribute("aria-invalid") == "true"
    # It is away again as it is done, and says nothing once it is put back.
    page.locator("input").fill("put right")
    page.get_by_role("button", name="Do").click()
    page.wait_for_function("asked.length == 2")
    page.evaluate("asked[1].done()")
    page.evaluate("new Promise((done) => setTimeout(done, 10))")
    page.evaluate("document.querySelector('main').prepend(self.row)")
    assert page.locator("p").first.inner_text() == ""


def test_a_refusal_that_comes_at_once_is_not_taken_away_by_the_reset_that_was_before_it(form):
    page = form("")
    page.evaluate(
        """async () => {
            const { bind } = await import("/bindery-attributes.js")
            document.body.innerHTML = '<form data-action="a/do" onsubmit="reset()"><button>Do</button></form><p data-problem="a/do"></p>'
            bind(Promise.reject(new Error("No session.")), document.body).catch(() => {})
        }""")
    page.get_by_role("button").click()
    page.evaluate("new Promise((done) => setTimeout(done, 10))")
    assert page.get_by_text("No session.").is_visible()


ROW = """<input type="hidden" name="id" data-bind="a.id"><input name="title" data-bind="a.title" aria-label="title" data-shown="a.isNamed">
    <input name="x" data-bind="a.x" aria-label="x">"""
OTHER = "change({ id: 2, title: 'theirs', isNamed: true, x: 'theirs' })"


def saved_twice(page, *meanwhile):
    """Saves twice, runs what happens before the second is sent, and returns what that sends."""
    save(page, "first", "second")
    page.wait_for_function("asked.length == 1")
    for script in meanwhile:
        page.evaluate(script)
    page.wait_for_function("asked.length == 2")
    return page.evaluate("asked[1].body")


@pytest.mark.parametrize("answer", ["done()", "done({ id: 1, title: 'as it was made' })", "refused({ message: 'No.' })"])
@pytest.mark.parametrize("row", ["1", 1, 0])
def test_what_waits_is_about_the_row_that_was_shown_whichever_is_by_then(form, row, answer):
    page = form(ROW, id=row, title="mine", isNamed=True, x="")
    sent = saved_twice(page, OTHER, f"asked[0].{answer}")
    assert sent == {"id": row, "title": "mine", "x": "second"}


def test_what_the_page_has_put_in_to_be_done_is_no_row(form):
    page = form('<input type="hidden" name="op"><textarea name="log" data-bind="a.log"></textarea>', log="start")
    page.evaluate("""self.press = (op) => {
        const [form] = document.forms
        form.op.value = op
        form.requestSubmit()
        form.op.value = ""
    }; press("add"); press("sub")""")
    page.wait_for_function("asked.length == 1")
    page.evaluate("change({ log: 'start add' }); asked[0].done()")
    page.wait_for_function("asked.length == 2")
    assert page.evaluate("asked[1].body") == {"op": "sub", "log": "start add"}


@pytest.mark.parametrize("none", [None, ""])
@pytest.mark.parametrize("answer, sent", [
    ("done({ id: 5, title: 'as it was made' })", {"id": 5, "title": "mine"}),
    ("refused({ message: 'No.' })", {"title": "mine"}),
])
def test_what_waits_is_about_the_row_that_what_was_asked_before_has_made(form, none, answer, sent):
    page = form(ROW, id=none, title="mine", isNamed=True, x="")
    expected = ({} if none is None else {"id": none}) | sent | {"x": "second"}
    assert saved_twice(page, OTHER, f"asked[0].{answer}") == expected


@pytest.mark.parametrize("row", [1, None])
def test_what_waits_takes_what_was_left_alone_as_it_is_by_then_where_the_row_is_the_same(form, row):
    page = form(ROW, id=row, title="", isNamed=False, x="")
    change = "change({ id: 1, title: 'as it was made', isNamed: true })"
    assert saved_twice(page, change, "asked[0].done()") == {"id": 1, "title": "as it was made", "x": "second"}


def test_a_third_that_waits_is_about_the_row_that_the_first_has_made(form):
    page = form(ROW, id=None, title="mine", isNamed=True, x="")
    save(page, "first", "second", "third")
    page.wait_for_function("asked.length == 1")
    page.evaluate("change({ id: 5 }); asked[0].done()")
    page.wait_for_function("asked.length == 2")
    # As it was opened before the second was done.
    page.evaluate(OTHER + "; asked[1].done()")
    page.wait_for_function("asked.length == 3")
    assert page.evaluate("asked[2].body") == {"id": 5, "title": "mine", "x": "third"}


def test_a_row_that_is_shown_by_another_view_model_is_made_once(form):
    page = form('<input type="hidden" name="id" data-bind="b.id"><input name="x" data-bind="a.x" aria-label="x">', id=None, x="")
    assert saved_twice(page, "change({ id: 5 })", "asked[0].done({ x: 'first' })") == {"id": 5, "x": "second"}


def test_what_waits_behind_a_row_is_about_a_new_one_where_the_form_was_reset_for_that(form):
    page = form(ROW, id=None, title="", isNamed=True, x="")
    save(page, "first", "first!")
    page.wait_for_function("asked.length == 1")
    page.evaluate("change({ id: 5 }); asked[0].done()")
    page.wait_for_function("asked.length == 2")
    page.evaluate("document.forms[0].reset(); change({ id: null })")
    save(page, "second")
    page.evaluate("asked[1].done({ id: 5, title: '', isNamed: true, x: 'first!' })")
    page.wait_for_function("asked.length == 3")
    assert page.evaluate("[asked[1].body.id, asked[2].body]") == [5, {"title": "", "x": "second"}]


def test_what_waits_behind_a_row_that_is_there_is_about_a_new_one(form):
    page = form(ROW, id="5", title="", isNamed=True, x="")
    save(page, "first")
    page.wait_for_function("asked.length == 1")
    page.evaluate("change({ id: '' })")
    save(page, "second")
    page.evaluate("asked[0].done({ id: '5', title: '', isNamed: true, x: 'first' })")
    page.wait_for_function("asked.length == 2")
    assert page.evaluate("asked[1].body") == {"id": "", "title": "", "x": "second"}


@pytest.mark.parametrize("field, first, second", [
    ('<input type="number" name="n" data-bind="a.n">', 2, 1), ('<input type="hidden" name="n" data-bind="a.n">', 2, 1),
    ('<input type="checkbox" hidden name="n" data-bind="a.n">', True, False), ('<input type="hidden" name="n" data-bind="a.n">', "on", ""),
])
def test_what_the_page_puts_back_while_it_is_sent_is_sent_next(form, field, first, second):
    page = form(field, n=second)
    put = """(value) => {
        const field = document.forms[0].elements[0]
        field.type == "checkbox" ? (field.checked = value) : (field.value = value)
        document.forms[0].requestSubmit()
    }"""
    page.evaluate(put, first)
    page.wait_for_function("asked.length == 1")
    page.evaluate(put, second)
    page.evaluate(f"change(asked[0].body); asked[0].done()")
    page.wait_for_function("asked.length == 2")
    assert page.evaluate("bodies().map(({ n }) => n)") == [first, second]


@pytest.mark.parametrize("field, first, second", [
    ('<input type="number" name="n" data-bind="a.n">', 4, 3), ('<input type="hidden" name="n" data-bind="a.n">', True, False),
])
def test_what_the_page_puts_back_while_it_is_sent_stays_once_that_was_done(form, field, first, second):
    page = form(field + '<input name="x" aria-label="x">', n=second)
    page.evaluate("""([first, second]) => {
        const [form] = document.forms
        form.n.value = first
        form.requestSubmit()
        setTimeout(() => form.n.value = second)
    }""", [first, second])
    page.wait_for_function("asked.length == 1")
    page.wait_for_function("second => document.forms[0].n.value == String(second)", arg=second)
    page.evaluate("first => { change({ n: first }); asked[0].done() }", first)
    page.wait_for_function("!document.forms[0].ariaBusy")
    page.evaluate("change({ n: 9 })")
    page.get_by_label("x").fill("mine")
    assert saved(page)["n"] == (second if page.locator("[type=number]").count() else "false")


def test_what_the_page_puts_back_where_it_was_refused_is_the_state_again(form):
    page = form('<input type="hidden" name="n" data-bind="a.n"><input name="x" aria-label="x">', n="")
    page.evaluate("""() => {
        const [form] = document.forms
        form.addEventListener("bindery-refused", () => { form.n.value = "" })
        form.n.value = "on"
        form.requestSubmit()
    }""")
    page.wait_for_function("asked.length == 1")
    page.evaluate("asked[0].refused({ message: 'No.' })")
    page.get_by_text("No.").wait_for()
    page.evaluate("change({ n: 'theirs' })")
    assert page.evaluate("document.forms[0].n.value") == "theirs"
    page.get_by_label("x").fill("mine")
    assert saved(page) == {"n": "theirs", "x": "mine"}


def test_what_the_page_puts_in_that_is_the_state_is_nothing_filled_in(form):
    page = form('<input type="number" name="n" data-bind="a.n" aria-label="n"><input name="x" aria-label="x">', n=3)
    page.evaluate("""() => {
        const [form] = document.forms
        form.addEventListener("bindery-refused", () => { form.n.value = 2 })
        form.n.value = 4
        form.requestSubmit()
    }""")
    page.wait_for_function("asked.length == 1")
    page.evaluate("change({ n: 2 }); asked[0].refused({ message: 'No more.' })")
    page.get_by_text("No more.").wait_for()
    page.evaluate("change({ n: 1 })")
    assert page.get_by_label("n").input_value() == "1"
    page.get_by_label("x").fill("mine")
    assert saved(page) == {"n": 1, "x": "mine"}


def test_what_the_page_puts_back_in_the_field_in_focus_is_shown_and_nothing_filled_in(form):
    page = form('<input type="number" name="n" data-bind="a.n" aria-label="n"><input name="x" aria-label="x">', n=3)
    page.evaluate("""() => {
        const [form] = document.forms
        form.addEventListener("bindery-refused", () => { form.n.value = 2 })
        form.n.focus()
        form.n.value = 4
        form.requestSubmit()
    }""")
    page.wait_for_function("asked.length == 1")
    page.evaluate("change({ n: 2 }); asked[0].refused({ message: 'No more.' })")
    page.get_by_text("No more.").wait_for()
    page.evaluate("change({ n: 1 })")
    page.get_by_label("x").fill("mine")
    assert page.get_by_label("n").input_value() == "1"
    assert saved(page) == {"n": 1, "x": "mine"}


def test_choices_that_the_page_puts_back_are_the_state_in_whatever_order(form):
    box = '<label><input type="checkbox" name="n" data-bind="a.n" value="%s">%s</label>'
    page = form("".join(box % (one, one) for one in "abc"), n=["b", "a"])
    page.evaluate("""() => {
        const [form] = document.forms
        const put = (...chosen) => { for (const box of form.n) box.checked = chosen.includes(box.value) }
        form.addEventListener("bindery-refused", () => put("c", "a"))
        put("b")
        form.requestSubmit()
    }""")
    page.wait_for_function("asked.length == 1")
    page.evaluate("change({ n: ['c', 'a'] }); asked[0].refused({ message: 'No.' })")
    page.get_by_text("No.").wait_for()
    page.evaluate("change({ n: ['c'] })")
    assert saved(page) == {"n": ["c"]}


STARS = '<input type="hidden" name="stars" data-bind="a.stars"><input name="x" aria-label="x">'


def test_what_the_page_has_put_in_is_the_state_once_that_is_the_same(form):
    page = form(STARS, stars="3")
    page.evaluate("document.forms[0].stars.value = 4; change({ stars: '4' }); change({ stars: '1' })")
    page.get_by_label("x").fill("mine")
    assert saved(page) == {"stars": "1", "x": "mine"}


def test_what_the_page_puts_back_where_one_was_refused_is_not_what_the_next_one_said(form):
    page = form(STARS, stars="3")
    page.evaluate("""() => {
        const [form] = document.forms
        form.addEventListener("bindery-refused", () => { form.stars.value = 3 })
        for (const stars of [5, 4]) {
            form.stars.value = stars
            form.requestSubmit()
        }
    }""")
    page.wait_for_function("asked.length == 1")
    page.evaluate("asked[0].refused({ message: 'No.' })")
    page.wait_for_function("asked.length == 2")
    page.evaluate("change({ stars: '4' }); asked[1].done()")
    page.wait_for_function("!document.forms[0].ariaBusy")
    page.get_by_label("x").fill("mine")
    assert saved(page) == {"stars": "4", "x": "mine"}


@pytest.mark.parametrize("meanwhile", [
    "form.stars.value = 4; form.requestSubmit(); until(1).then(() => { form.stars.value = 5; change({ stars: '4' }); asked[0].done() })",
    "form.stars.value = 4; change({ stars: '5' })",
])
def test_what_the_page_puts_in_counts_also_where_that_was_shown_before(form, meanwhile):
    page = form(STARS, stars="3")
    page.evaluate("""(meanwhile) => {
        const [form] = document.forms
        const until = async (count) => { while (asked.length < count) await new Promise(requestAnimationFrame) }
        eval(meanwhile)
    }""", meanwhile)
    page.wait_for_function("document.forms[0].stars.value != 3 && !document.forms[0].ariaBusy")
    page.evaluate("document.forms[0].stars.value = 3")
    page.get_by_label("x").fill("mine")
    assert saved(page) == {"stars": "3", "x": "mine"}


def test_what_the_browser_chooses_of_options_that_the_page_draws_is_nothing_filled_in(form):
    page = form('<select name="city" data-bind="a.city"></select><input name="x" aria-label="x">', city="Bonn")
    page.evaluate("""() => {
        const { city } = document.forms[0]
        self.draw = (...cities) => { city.innerHTML = cities.map((one) => `<option>${one}`).join("") }
        draw("Köln", "Bonn")
        change({ city: "Bonn" })
    }""")
    page.evaluate("draw('Lyon', 'Nice', 'Metz'); change({ city: 'Nice' })")
    page.evaluate("change({ city: 'Metz' })")
    page.get_by_label("x").fill("mine")
    assert saved(page) == {"city": "Metz", "x": "mine"}


def test_what_the_page_had_chosen_is_the_state_again_once_the_options_are_drawn_anew(form):
    page = form('<select name="who" data-bind="a.who"><option>ann<option>me</select><input name="x" aria-label="x">', who="ann")
    page.evaluate("document.forms[0].who.value = 'me'; change({ x: '' })")
    page.evaluate("document.forms[0].who.innerHTML = '<option>me<option>bob<option>ann'; change({ who: 'ann' })")
    page.evaluate("change({ who: 'bob' })")
    page.get_by_label("x").fill("mine")
    assert saved(page) == {"who": "bob", "x": "mine"}


def test_what_the_page_puts_in_while_all_is_disabled_stays(form):
    page = form('<fieldset><input name="q" data-bind="a.q"></fieldset><input name="x" aria-label="x">', q="3")
    page.evaluate("""() => {
        const [form] = document.forms
        form.addEventListener("submit", () => { form.querySelector("fieldset").disabled = true })
        form.addEventListener("bindery-done", () => { form.querySelector("fieldset").disabled = false })
        form.requestSubmit()
    }""")
    page.wait_for_function("asked.length == 1")
    page.evaluate("document.forms[0].q.value = 4; change({ q: '3' }); asked[0].done()")
    page.wait_for_function("!document.forms[0].ariaBusy")
    page.get_by_label("x").fill("mine")
    assert saved(page) == {"q": "4", "x": "mine"}


def test_what_the_page_puts_into_a_hidden_field_as_it_resets_the_form_is_sent(form):
    page = form(STARS, stars="3")
    page.evaluate("new Promise((done) => { document.forms[0].reset(); document.forms[0].stars.value = 5; setTimeout(done) })")
    page.get_by_label("x").fill("mine")
    assert saved(page) == {"stars": "5", "x": "mine"}


@pytest.mark.parametrize("button, script", [
    ('<button type="button" onclick="form.elements.id.value = \'\'; form.reset()">New</button>', ""),
    ('<button type="button" onclick="form.reset(); form.elements.id.value = \'\'">New</button>', ""),
    ('<button type="reset" onclick="form.elements.id.value = \'\'">New</button>', ""),
    ('<button type="reset">New</button>', "document.forms[0].onreset = ({ target }) => { target.elements.id.value = '' }; 0"),
])
@pytest.mark.parametrize("field", ['<input type="hidden" name="id" data-bind="a.id">', '<input type="number" hidden name="id" data-bind="a.id">'])
def test_a_hidden_row_that_the_page_empties_as_it_resets_the_form_is_a_new_one(form, button, script, field):
    page = form(field + '<input name="x" aria-label="x">' + button, id=7)
    page.evaluate(script)
    for draft in ["draft", "fresh"]:
        page.get_by_role("button", name="New").click()
        page.get_by_label("x").fill(draft)
    assert saved(page) == {**({"id": ""} if "type=\"hidden" in field else {}), "x": "fresh"}
    page.evaluate("change({ id: 8 }); asked[0].done({ id: 8 })")
    page.wait_for_function("!document.forms[0].ariaBusy")
    page.get_by_label("x").fill("more")
    assert saved(page) == {"id": 8, "x": "more"}


@pytest.mark.parametrize("order", ["form.id.value = ''; form.reset()", "form.reset(); form.id.value = ''"])
def test_a_form_that_is_reset_for_a_new_row_once_one_was_saved_makes_another_each_time(form, order):
    page = form('<input type="hidden" name="id" data-bind="a.id"><input name="x" aria-label="x">', id=7)
    page.evaluate("(order) => { const [form] = document.forms; form.addEventListener('bindery-done', () => eval(order)) }", order)
    for count, (row, text) in enumerate([(7, "a"), ("", "b"), ("", "c")]):
        page.get_by_label("x").fill(text)
        assert saved(page) == {"id": row, "x": text}
        page.evaluate("([count, id]) => { change({ id }); asked[count].done({ id }) }", [count, count + 7])
        page.wait_for_function("!document.forms[0].ariaBusy && !document.forms[0].x.value")


NEW = ["form.id.value = ''; form.reset()", "form.reset(); form.id.value = ''"]


@pytest.mark.parametrize("how", NEW)
def test_a_form_that_is_reset_for_a_new_row_as_one_is_sent_makes_another_each_time(form, how):
    page = form('<input type="hidden" name="id" data-bind="a.id"><input name="x" aria-label="x">', id="")
    page.evaluate("(how) => { const [form] = document.forms; form.addEventListener('submit', () => eval(how)) }", how)
    for count, text in enumerate("abc"):
        page.get_by_label("x").fill(text)
        assert saved(page) == {"id": "", "x": text}
        page.evaluate("([count, id]) => { change({ id }); asked[count].done({ id }) }", [count, count + 7])
        page.wait_for_function("!document.forms[0].ariaBusy")


@pytest.mark.parametrize("new", [*NEW, "form.id.value = ''; form.x.value = ''"])
@pytest.mark.parametrize("row", ["", None])
def test_a_new_row_that_is_begun_while_another_is_saved_is_another(form, row, new):
    button = f'<button type="button" onclick="{new}">New</button>'
    page = form('<input type="hidden" name="id" data-bind="a.id"><input name="x" aria-label="x">' + button, id=row)
    page.get_by_label("x").fill("first")
    saved(page)
    page.get_by_role("button", name="New").click()
    page.get_by_label("x").fill("second")
    page.evaluate("change({ id: 7 }); asked[0].done({ id: 7 })")
    page.wait_for_function("!document.forms[0].ariaBusy")
    assert saved(page) == {"id": "", "x": "second"}
    page.evaluate("change({ id: 8 }); asked[1].done({ id: 8 })")
    page.wait_for_function("document.forms[0].id.value == 8")


def test_a_new_row_that_is_begun_while_another_is_refused_is_the_state_that_comes_next(form):
    page = form('<input type="hidden" name="id" data-bind="a.id"><input name="x" aria-label="x">', id="")
    page.get_by_label("x").fill("first")
    saved(page)
    page.evaluate("document.forms[0].id.value = ''; asked[0].refused({ message: 'No.' })")
    page.get_by_text("No.").wait_for()
    page.evaluate("change({ id: 7 })")
    assert saved(page) == {"id": 7, "x": "first"}


def test_a_hidden_field_of_the_pages_own_kind_is_bound_as_any(form):
    page = form('<input name="x" aria-label="x">', n="7", m="8")
    page.evaluate("""() => {
        customElements.define("my-in", class extends HTMLInputElement {}, { extends: "input" })
        const [form] = document.forms
        form.insertAdjacentHTML("afterbegin", '<input is="my-in" type="hidden" name="n" data-bind="a.n"><input type="hidden" name="m">')
        const { set, get } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")
        self.drawn = []
        Object.defineProperty(form.m, "value", { get, set(value) { drawn.push(value); set.call(this, value) } })
        form.m.dataset.bind = "a.m"
        bindTo(form)
    }""")
    page.wait_for_function("drawn.includes('8')")
    page.get_by_label("x").fill("mine")
    assert saved(page) == {"n": "7", "m": "8", "x": "mine"}


def test_a_field_that_the_page_shows_by_now_is_the_state_again_once_it_is_reset(form):
    page = form('<input hidden name="n" data-bind="a.n"><input name="x" aria-label="x">', n="Ann")
    page.evaluate("""() => new Promise((done) => {
        const [form] = document.forms
        form.n.hidden = false
        form.n.value = ""
        form.reset()
        setTimeout(done)
    })""")
    page.get_by_label("x").fill("mine")
    assert saved(page) == {"n": "Ann", "x": "mine"}


def test_a_hidden_select_that_a_library_sets_as_it_hears_of_a_reset_is_the_state_again(form):
    page = form('<select hidden name="n" data-bind="a.n"><option>a<option>b<option>c</select><input name="x" aria-label="x">', n="b")
    page.evaluate("""() => new Promise((done) => {
        const [form] = document.forms
        form.addEventListener("reset", () => { form.n.value = "a" })
        form.n.value = "c"
        form.n.dispatchEvent(new Event("change", { bubbles: true }))
        form.reset()
        setTimeout(done)
    })""")
    page.get_by_label("x").fill("mine")
    assert saved(page) == {"n": "b", "x": "mine"}


def test_a_hidden_choice_that_was_put_in_before_is_the_state_again_once_the_form_is_reset(form):
    five = '<button type="button" onclick="form.elements.stars.value = 5">five</button><button type="reset">Cancel</button>'
    page = form(STARS + five, stars="3")
    page.get_by_role("button", name="five").click()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_label("x").fill("mine")
    assert saved(page) == {"stars": "3", "x": "mine"}


@pytest.mark.parametrize("field, state, put, back, later", [
    ('<textarea name="n" data-bind="a.n"></textarea>', "a\r\nb", "field.value = 'c'", "field.value = 'a\\nb'", "theirs"),
    ("".join(f'<input type="checkbox" name="n" value="{one}" data-bind="a.n">' for one in "ab"), None,
     "field.form.n.forEach((box) => { box.checked = true })", "field.form.n.forEach((box) => { box.checked = false })", ["a"]),
])
def test_what_the_page_takes_back_is_the_state_in_whatever_writing(form, field, state, put, back, later):
    page = form(field + '<input name="x" aria-label="x">', n=state)
    page.evaluate(f"""(state) => {{
        const field = document.forms[0].elements[0]
        {put}
        change({{ n: state }})
        {back}
    }}""", state)
    page.evaluate("later => change({ n: later })", later)
    page.get_by_label("x").fill("mine")
    assert saved(page) == {"n": later, "x": "mine"}


def test_what_the_page_chooses_of_options_that_were_drawn_anew_while_one_waits_stays(form):
    page = form('<select name="who" data-bind="a.who"><option>ann<option>bob</select><input name="x" aria-label="x">', who="ann")
    save(page, "first")
    page.wait_for_function("asked.length == 1")
    page.evaluate("document.forms[0].who.innerHTML = '<option>me<option>ann'")
    page.evaluate("document.forms[0].who.value = 'me'; change({ x: 'first' }); asked[0].done()")
    page.wait_for_function("!document.forms[0].ariaBusy")
    page.get_by_label("x").fill("mine")
    assert saved(page) == {"who": "me", "x": "mine"}


@pytest.mark.parametrize("order", ["form.reset(); draw()", "draw(); form.reset()"])
@pytest.mark.parametrize("cities", [["Köln", "Bonn"], ["Bonn", "Lyon"]])
def test_a_choice_is_the_state_again_where_the_page_draws_the_options_anew_as_it_resets_the_form(form, cities, order):
    page = form('<select name="city" data-bind="a.city"></select><input name="x" aria-label="x"><button type="button">Cancel</button>', city="Bonn")
    page.evaluate("""([cities, order]) => {
        const [form] = document.forms
        const draw = (...cities) => { form.city.innerHTML = cities.map((one) => `<option>${one}`).join("") }
        self.cancel = () => eval(order.replace("draw()", "draw(...cities)"))
        draw("Bonn", "Lyon")
        form.querySelector("[type=button]").onclick = cancel
        change({ city: "Bonn" })
    }""", [cities, order])
    page.locator("select").select_option("Lyon")
    page.get_by_role("button", name="Cancel").click()
    page.get_by_label("x").fill("mine")
    assert saved(page) == {"city": "Bonn", "x": "mine"}


def test_a_choice_that_goes_away_by_the_very_save_is_the_state_again(form):
    page = form('<select name="w" data-bind="a.w"><option>x<option>z</select><input name="x" aria-label="x">', w="x")
    page.locator("select").select_option("z")
    page.get_by_role("button", name="Save").click()
    page.wait_for_function("asked.length == 1")
    page.evaluate("document.forms[0].w.innerHTML = '<option>x<option>y'; change({ w: 'x' }); asked[0].done({ w: 'x' })")
    page.wait_for_function("!document.forms[0].ariaBusy")
    page.get_by_label("x").fill("mine")
    assert saved(page) == {"w": "x", "x": "mine"}


@pytest.mark.parametrize("leave", ["setTimeout(() => form.reset())", "form.dispatchEvent(new Event('close'))"])
def test_a_hidden_choice_is_the_state_again_whatever_resets_the_form(form, leave):
    page = form(STARS + '<button type="button" onclick="form.elements.stars.value = 5">five</button>', stars="3")
    page.get_by_role("button", name="five").click()
    page.evaluate("""(leave) => new Promise((done) => {
        const [form] = document.forms
        form.addEventListener("close", () => form.reset())
        eval(leave)
        setTimeout(() => setTimeout(done))
    })""", leave)
    page.get_by_label("x").fill("mine")
    assert saved(page) == {"stars": "3", "x": "mine"}


def test_a_field_is_the_state_again_where_the_page_tells_of_the_reset_by_a_change(form):
    page = form('<input name="n" data-bind="a.n" aria-label="n"><input name="x" aria-label="x">', n="Ann")
    page.get_by_label("n").fill("Bob")
    page.evaluate("""() => new Promise((done) => {
        const [form] = document.forms
        form.reset()
        form.n.dispatchEvent(new Event("change", { bubbles: true }))
        setTimeout(done)
    })""")
    page.get_by_label("x").fill("mine")
    assert saved(page) == {"n": "Ann", "x": "mine"}


def test_what_the_page_chooses_and_tells_once_it_has_reset_the_form_stays(form):
    page = form('<select name="city" data-bind="a.city"><option>Bonn<option>Ulm</select><input name="x" aria-label="x">', city="Ulm")
    page.evaluate("""() => new Promise((done) => {
        const [form] = document.forms
        form.reset()
        form.city.innerHTML = "<option>Lyon<option>Nice"
        form.city.dispatchEvent(new Event("change", { bubbles: true }))
        setTimeout(done)
    })""")
    page.get_by_label("x").fill("mine")
    assert saved(page) == {"city": "Lyon", "x": "mine"}


def test_a_form_that_is_reset_shows_the_state_also_in_the_field_in_focus(form):
    page = form('<input name="n" data-bind="a.n" aria-label="n">', n="Ann")
    page.get_by_label("n").focus()
    page.evaluate("new Promise((done) => { document.forms[0].reset(); setTimeout(done) })")
    page.keyboard.press("End")
    page.keyboard.type("a")
    assert saved(page) == {"n": "Anna"}


def test_a_field_that_is_disabled_shows_the_state_whatever_the_page_puts_in(form):
    page = form('<input name="total" disabled data-bind="a.total" aria-label="total">', total="30")
    page.evaluate("document.forms[0].total.value = 40; change({ total: '41' })")
    assert page.get_by_label("total").input_value() == "41"


def test_what_the_page_puts_back_is_the_state_again_though_it_had_put_in_something_else(form):
    page = form('<input type="hidden" name="stars" data-bind="a.stars"><input name="x" aria-label="x">', stars="3")
    page.evaluate("""() => {
        const { stars } = document.forms[0]
        stars.value = 4
        change({ stars: "5" })
        stars.value = 5
        change({ stars: "1" })
    }""")
    page.get_by_label("x").fill("mine")
    assert saved(page) == {"stars": "1", "x": "mine"}


def test_an_answer_that_comes_late_does_not_change_which_row_was_shown(form):
    page = form(ROW, id=1, title="mine", isNamed=True, x="")
    save(page, "first")
    page.wait_for_function("asked.length == 1")
    page.evaluate(OTHER)
    save(page, "second")
    page.evaluate("asked[0].done({ id: 1, title: 'mine', isNamed: true, x: 'first' })")
    page.wait_for_function("asked.length == 2")
    assert page.evaluate("asked[1].body") == {"id": 2, "title": "theirs", "x": "second"}


def test_what_is_typed_anew_is_sent_anew_where_the_page_has_emptied_the_form(form):
    page = form('<input name="x" aria-label="x" required>')
    page.evaluate("document.forms[0].addEventListener('submit', ({ target }) => target.reset())")
    # Faster than a double press.
    page.get_by_label("x").press_sequentially("no\nno\nstop\n")
    for place in range(3):
        page.wait_for_function(f"asked.length == {place + 1}")
        page.evaluate(f"asked[{place}].done()")
    assert page.evaluate("bodies()") == [{"x": "no"}, {"x": "no"}, {"x": "stop"}]


def test_a_page_that_is_told_what_was_done_knows_whether_more_was_asked(form):
    page = form('<input name="x" aria-label="x">')
    page.evaluate("""self.busy = []; for (const type of ['bindery-done', 'bindery-refused'])
        document.forms[0].addEventListener(type, ({ target }) => busy.push(target.ariaBusy))""")
    save(page, "first", "second", "third")
    for place, answer in enumerate(["done()", "done()", "refused({ message: 'No.' })"]):
        page.wait_for_function(f"asked.length == {place + 1}")
        page.evaluate(f"asked[{place}].{answer}")
    page.get_by_text("No.").wait_for()
    assert page.evaluate("busy") == ["true", "true", None]
    page.get_by_label("x").fill("fourth")
    assert saved(page) == {"x": "fourth"}
    page.evaluate("asked[3].done()")
    page.wait_for_function("busy.length == 4")
    assert page.evaluate("busy[3]") is None


def test_what_is_submitted_before_there_is_a_session_is_about_the_row_of_its_state(bindery, context, opened):
    assert Client(bindery.port).ask("POST", "/profile/load", body=b'{"paramB":"as it is"}').status == 200
    held = []
    context.route("**/session", lambda route: held.append(route))
    field = '<input type="hidden" name="paramB" data-bind="profile.paramB">'
    page = opened(re.sub('<input name="(paramB|kind)".*>', field, FORM))
    page.get_by_label("A", exact=True).fill("1")
    page.get_by_role("button").click()
    page.wait_for_function("document.forms[0].ariaBusy")
    with page.expect_request("**/profile/load") as asked:
        eventually(lambda: page.evaluate("1") and held, "the session is asked for")
        held[0].continue_()
    assert asked.value.post_data_json == {"paramA": 1, "paramB": "as it is"}


def test_what_was_put_right_may_have_a_field_more(form):
    page = form('<input name="x"><fieldset disabled><input name="y"></fieldset>')
    page.get_by_role("button", name="Save").click()
    page.evaluate("document.querySelector('fieldset').disabled = false")
    page.get_by_role("button", name="Save").click()
    assert not refused_then_done(page)


def test_what_is_typed_after_a_double_click_is_sent_as_it_is_typed(form):
    page = form('<input name="x" data-bind="a.x">', x="")
    page.locator("input").fill("ab")
    page.get_by_role("button").dblclick()
    page.locator("input").press("End")
    page.keyboard.type("c")
    page.get_by_role("button").click()
    page.locator("input").press("End")
    page.keyboard.press("Backspace")
    page.wait_for_function("asked.length == 1")
    page.evaluate("change({ x: 'ab' }); asked[0].done()")
    page.wait_for_function("asked.length == 2")
    page.evaluate("change({ x: 'abc' }); asked[1].done()")
    eventually(lambda: page.evaluate("document.forms[0].ariaBusy") is None, "done")
    assert saved(page) == {"x": "ab"}


@pytest.mark.parametrize("does, focus, said", [
    ("document.getElementById('other').focus()", "other", "No."),
    ("const place = document.querySelector('p'); place.textContent = place.textContent.replace('No', 'Nein')", "x", "Nein."),
    ("document.querySelector('[aria-invalid=true]').title = 'found'; document.querySelector('p').outerHTML = '<p data-problem=\"a/do\"></p>'", "x", "No."),
])
def test_a_page_has_the_last_word_on_a_refusal_that_it_hears_of(form, does, focus, said):
    page = form('<input name="x" id="x"><input id="other">')
    page.evaluate("(does) => document.forms[0].addEventListener('bindery-refused', new Function(does))", does)
    page.get_by_role("button").click()
    page.wait_for_function("asked.length")
    page.evaluate("asked[0].refused({ message: 'No.', pointer: '#/x' })")
    page.get_by_text(said, exact=True).wait_for()
    assert page.evaluate("document.activeElement.id") == focus


def test_a_refusal_takes_the_focus_to_its_field_also_from_a_button_that_was_disabled_for_a_while(form):
    page = form('<input name="x">')
    page.evaluate("() => { const button = document.querySelector('button'); document.forms[0].onsubmit = () => { button.disabled = true } }")
    page.get_by_role("button").dblclick()
    page.wait_for_function("asked.length && document.activeElement == document.body")
    page.evaluate("document.querySelector('button').disabled = false; asked[0].refused({ message: 'No.', pointer: '#/x' })")
    eventually(lambda: page.evaluate("document.activeElement.name") == "x", "in the field")


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


def test_a_row_that_is_done_and_gone_takes_no_refusal_of_another_away(form):
    page = form("")
    row = '<div><form data-action="a/do"><button>{}</button></form><p data-problem="a/do"></p></div>'
    page.evaluate("(html) => make(html, {})", row.format("one") + row.format("two"))
    first_is_refused(page)
    page.evaluate("document.querySelectorAll('div')[1].remove(); asked[1].done()")
    page.evaluate("new Promise((done) => setTimeout(done, 10))")
    assert page.get_by_text("In use.").is_visible()


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


@pytest.mark.parametrize("saves", ["form.requestSubmit(form.save)", "form.save.click()"])
def test_a_page_that_presses_a_button_itself_as_somebody_types_disturbs_nobody(form, saves):
    page = form('<input name="x" data-bind="a.x"><button name="save">Keep</button>', x="")
    page.evaluate(f"() => {{ const [form] = document.forms; form.x.oninput = () => {saves} }}")
    page.locator("[name=x]").press_sequentially("N ")
    page.wait_for_function("asked.length == 1")
    page.evaluate("asked[0].done()")
    page.wait_for_function("asked.length == 2")
    page.evaluate("change({ x: 'N' }); asked[1].done()")
    page.wait_for_function("!document.forms[0].ariaBusy")
    assert page.locator("[name=x]").input_value() == "N "


def test_a_double_click_on_a_button_elsewhere_is_one_submission(form):
    page = form('<input name="n" value="1">')
    page.evaluate("document.forms[0].id = 'f'; document.body.insertAdjacentHTML('beforeend', '<button form=\"f\">There</button>')")
    page.evaluate("() => { document.forms[0].addEventListener('bindery-done', () => { document.forms[0].n.value = 2 }) }")
    box = page.get_by_role("button", name="There").bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    for count in (1, 2):
        page.mouse.down(click_count=count)
        page.mouse.up(click_count=count)
        page.wait_for_function("asked.length == 1")
        page.evaluate("asked[0].done()")
        page.evaluate("new Promise((done) => setTimeout(done, 10))")
    assert page.evaluate("bodies()") == [{"n": "1"}]


def test_what_another_script_adds_before_there_is_a_session_is_shown(opened):
    page = opened(
        """<!doctype html><html lang="en" data-session="public"><script type="module" src="/bindery-attributes.js"></script>
        <script type="module">document.body.innerHTML = '<output data-bind="counter.text"></output>'</script><body></body></html>""")
    eventually(lambda: page.locator("output").inner_text() == "0", "shown")


def test_a_new_line_in_a_form_that_saves_by_itself_stays(form):
    page = form('<textarea name="x" data-bind="a.x"></textarea>', x="")
    page.evaluate("() => { document.forms[0].oninput = () => document.forms[0].requestSubmit() }")
    page.locator("textarea").press_sequentially("a")
    page.keyboard.down("Enter")
    page.wait_for_function("asked.length == 1")
    page.evaluate("change({ x: 'a' }); asked[0].done()")
    page.wait_for_function("asked.length == 2")
    page.evaluate("asked[1].done()")
    page.wait_for_function("!document.forms[0].ariaBusy")
    assert page.locator("textarea").input_value() == "a\n"


def test_what_was_put_right_is_not_refused_any_more_also_where_its_row_is_gone_by_then(form):
    page = form("")
    page.evaluate("""make('<div><form data-action="a/do"><input name="x"><button>Do</button></form></div><p data-problem="a/do"></p>', {})""")
    page.get_by_role("button", name="Do").click()
    page.wait_for_function("asked.length == 1")
    page.evaluate("asked[0].refused({ message: 'In use.' })")
    page.get_by_text("In use.").wait_for()
    page.locator("input").fill("put right")
    page.get_by_role("button", name="Do").click()
    page.wait_for_function("asked.length == 2")
    page.evaluate("document.querySelector('div').remove(); asked[1].done()")
    eventually(lambda: page.locator("p").inner_text() == "", "taken away")


def test_a_refusal_of_what_the_page_submits_at_a_press_takes_the_focus_to_the_field(form):
    page = form('<input name="x"><button type="button" onclick="this.form.requestSubmit()">There</button>')
    page.get_by_role("button", name="There").click()
    page.wait_for_function("asked.length")
    page.evaluate("asked[0].refused({ message: 'Type a name.', pointer: '#/x' })")
    eventually(lambda: page.evaluate("document.activeElement.name") == "x", "in the field")


@pytest.mark.parametrize("name, pointer", [("名前", "#/%E5%90%8D%E5%89%8D"), ("a b", "#/a%20b"), ("a/b~c", "#/a~1b~0c"), ("list", "#/list/0")])
def test_the_field_that_a_refusal_is_about_is_found_whatever_its_name(form, name, pointer):
    page = form(f'<input name="other"><input name="{name}">')
    page.get_by_role("button").click()
    page.wait_for_function("asked.length")
    page.evaluate("(pointer) => asked[0].refused({ message: 'No.', pointer })", pointer)
    eventually(lambda: page.evaluate("document.activeElement.name") == name, "in the field")


def test_the_enter_key_that_takes_what_is_composed_disturbs_nobody(form):
    page = form('<input name="x" data-bind="a.x">', x="")
    page.evaluate("() => { document.forms[0].oninput = () => document.forms[0].requestSubmit() }")
    page.locator("[name=x]").focus()
    page.evaluate("document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true }))")
    page.keyboard.insert_text("日本 ")
    page.wait_for_function("asked.length")
    page.evaluate("change({ x: '日本' }); asked[0].done()")
    page.wait_for_function("!document.forms[0].ariaBusy")
    assert page.locator("[name=x]").input_value() == "日本 "


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


@pytest.mark.parametrize("key", ["Enter", "Control+Enter"])
def test_a_text_that_the_page_sends_at_a_key_shows_what_became_of_it(form, key):
    page = form('<textarea name="x" data-bind="a.x"></textarea>', x="")
    page.evaluate(
        """() => {
            document.forms[0].x.onkeydown = (event) => {
                if (event.key != "Enter") return
                event.preventDefault()
                document.forms[0].requestSubmit()
            }
        }""")
    page.locator("textarea").press_sequentially("hello")
    page.keyboard.press(key)
    page.wait_for_function("asked.length")
    page.evaluate("change({ x: '' }); asked[0].done()")
    eventually(lambda: page.locator("textarea").input_value() == "", "emptied")


def test_a_range_whose_value_the_page_notes_at_it_keeps_what_the_page_puts_in(form):
    page = form('<input name="x" type="range" max="100" data-bind="a.x">', x=20)
    page.evaluate("const { x } = document.forms[0]; x.value = 90; x.setAttribute('value', 90)")
    page.evaluate("new Promise((done) => setTimeout(done, 10))")
    assert page.locator("[name=x]").input_value() == "90"
    assert saved(page) == {"x": 90}


CHOSEN = {
    "range": ('<input name="x" type="range" max="100" data-bind="a.x">', 10, "x.value = 80", "x.max = 50", 80),
    "many": (
        '<select name="x" multiple data-bind="a.x"><option>s<option>m<option>l</select>', ["m"], "x.options[2].selected = true",
        "x.options[2].remove()", ["m", "l"]),
    "one": ('<select name="x" data-bind="a.x"><option>s<option>m<option>l</select>', "s", "x.value = 'l'", "x.options[2].remove()", "l"),
}


@pytest.mark.parametrize("kind", CHOSEN)
def test_what_was_saved_is_the_state_also_where_it_cannot_be_chosen_any_more(form, kind):
    field, before, choice, change, after = CHOSEN[kind]
    page = form(f'{field}<input name="y">', x=before)

    def sent(y):
        page.locator("[name=y]").fill(y)
        return saved(page)["x"]

    fill = "(choice) => { const { x } = document.forms[0]; eval(choice); x.dispatchEvent(new Event('input')) }"
    page.evaluate(fill, choice)
    assert sent("first") == after
    page.evaluate("([state, act]) => { const { x } = document.forms[0]; change({ x: state }); eval(act) }", [after, change])
    page.evaluate("new Promise((done) => setTimeout(done, 10)).then(() => asked[0].done())")
    page.wait_for_function("!document.forms[0].ariaBusy")
    assert sent("second") == after
    page.evaluate("(before) => { asked[1].done(); change({ x: before }) }", before)
    assert sent("third") == before


@pytest.mark.parametrize("touched", [True, False])
def test_what_the_page_puts_in_while_the_form_is_sent_stays(form, touched):
    page = form('<select name="x" data-bind="a.x"><option>s<option>m<option>l</select><input name="y">', x="s")
    if touched:
        page.locator("select").select_option("m")
    page.locator("[name=y]").fill("first")
    assert saved(page) == {"x": "m" if touched else "s", "y": "first"}
    page.evaluate("document.forms[0].x.value = 'l'; asked[0].done()")
    page.wait_for_function("!document.forms[0].ariaBusy")
    page.locator("[name=y]").fill("second")
    assert saved(page) == {"x": "l", "y": "second"}


@pytest.mark.parametrize("sends", ["onkeyup", "suggestion"])
def test_a_page_that_sends_by_the_enter_key_itself_shows_what_became_of_it(form, sends):
    page = form('<input name="x" data-bind="a.x"><input name="z">', x="")
    page.evaluate(
        """(sends) => {
            const [form] = document.forms
            form.querySelector("button").type = "button"
            if (sends == "onkeyup") form.x.onkeyup = ({ key }) => key == "Enter" && form.requestSubmit()
            else form.x.onkeydown = (event) => {
                if (event.key != "Enter") return
                event.preventDefault()
                form.x.value += "!"
                form.x.dispatchEvent(new Event("input", { bubbles: true }))
                form.requestSubmit()
            }
        }""", sends)
    # Who types fast lets go of a letter after the next key is down.
    page.locator("[name=x]").press_sequentially("hell")
    page.keyboard.down("o")
    page.keyboard.down("Enter")
    page.keyboard.up("o")
    page.evaluate("new Promise((done) => setTimeout(done, 10))")
    page.keyboard.up("Enter")
    page.wait_for_function("asked.length")
    page.evaluate("change({ x: '' }); asked[0].done()")
    eventually(lambda: page.locator("[name=x]").input_value() == "", "emptied")
