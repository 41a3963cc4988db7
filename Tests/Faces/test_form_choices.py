"""Options and ends that the page draws anew or holds back, and what was chosen of them."""

import pytest

from forms import after_its_timers, save, saved
from processes import eventually


@pytest.mark.parametrize("kind", ["", "multiple"])
def test_what_was_chosen_stays_where_the_page_makes_the_options_anew(form, kind):
    options = "<option>s<option>m<option>l"
    page = form(f'<select name="x" {kind} data-bind="a.x">{options}</select>', x="s")
    page.locator("select").select_option(["m"])
    page.evaluate("(options) => { document.querySelector('select').innerHTML = options }", options)
    eventually(lambda: page.locator("select").input_value() == "m", "chosen")
    assert saved(page) == {"x": "m" if not kind else ["m"]}


def test_a_select_whose_options_come_later_shows_the_state(form):
    page = form('<select name="x" data-bind="a.x"></select>', x="m")
    page.evaluate("document.querySelector('select').append(new Option('s'), new Option('m'))")
    eventually(lambda: page.locator("select").input_value() == "m", "shown")
    assert saved(page) == {"x": "m"}


def test_a_range_that_shrinks_and_a_select_that_tells_of_a_change_alone(form):
    page = form('<input type="range" name="x" data-bind="a.x"><select name="y" data-bind="a.y"><option>s<option>m</select>', x=50, y="s")
    page.evaluate("document.querySelector('[type=range]').max = 30")
    page.evaluate("select => (select.value = 'm', select.dispatchEvent(new Event('change')))", page.locator("select").element_handle())
    assert saved(page) == {"x": 50, "y": "m"}


def test_what_is_chosen_stays_where_the_page_takes_the_first_away(form):
    page = form("".join(f'<input type="radio" name="x" value="{value}" data-bind="a.x">' for value in "abc"), x="c")
    page.evaluate("document.querySelector('[value=a]').remove()")
    page.locator("[value=b]").click()
    page.locator("[value=b]").blur()
    assert saved(page) == {"x": "b"}


def test_a_state_whose_option_is_disabled_is_sent(form):
    assert saved(form('<select name="x" data-bind="a.x"><option>s<option disabled>m</select>', x="m")) == {"x": "m"}


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
    after_its_timers(page)
    assert page.locator("select").input_value() == "m"


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
