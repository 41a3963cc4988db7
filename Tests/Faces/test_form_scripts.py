"""What the page's own script puts into the fields of a form, takes back, and resets."""

import pytest

from forms import STARS, after_its_timers, saved


@pytest.mark.parametrize("emptied", ["form.requestSubmit(); form.x.value = ''", "form.addEventListener('submit', () => form.reset()); form.requestSubmit()"])
def test_a_form_that_the_page_empties_as_it_is_sent_is_sent_with_what_was_in_it(form, emptied):
    page = form('<input name="x">')
    page.locator("input").fill("hello")
    page.evaluate(f"() => {{ const [form] = document.forms; {emptied} }}")
    page.wait_for_function("asked.length")
    assert page.evaluate("bodies()") == [{"x": "hello"}]
    assert page.locator("input").input_value() == ""


def test_what_the_page_itself_fills_in_is_sent(form):
    page = form('<input name="x" data-bind="a.x"><input name="y" data-bind="a.y">', x="first", y="first")
    page.evaluate("document.forms[0].x.value = 'suggested'; document.forms[0].reset(); document.forms[0].y.value = 'suggested'")
    page.evaluate("new Promise((done) => setTimeout(done, 50))")
    assert saved(page) == {"x": "first", "y": "suggested"}


def test_what_the_page_chooses_itself_is_sent(form):
    page = form('<select name="x" data-bind="a.x"><option>s<option>l</select><input name="n" type="range" max="100" data-bind="a.n">', x="s", n=5)
    page.evaluate("document.forms[0].x.value = 'l'; document.forms[0].n.value = 99")
    assert saved(page) == {"x": "l", "n": 99}


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
    page.evaluate("change(asked[0].body); asked[0].done()")
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


def test_what_a_widget_writes_once_more_while_it_is_saved_is_what_the_server_makes_of_it(form):
    page = form('<input type="hidden" name="day" data-bind="a.day"><input name="x" aria-label="x">', day="")
    page.evaluate("document.forms[0].day.value = '27.11.2026'")
    saved(page)
    page.evaluate("document.forms[0].day.value = '27.11.2026'")
    page.evaluate("change({ day: '2026-11-27' }); asked[0].done()")
    page.wait_for_function("document.forms[0].day.value == '2026-11-27'")
    page.evaluate("change({ day: '2026-12-01' })")
    page.get_by_label("x").fill("mine")
    assert saved(page) == {"day": "2026-12-01", "x": "mine"}


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


@pytest.mark.parametrize("leave", ["setTimeout(() => form.reset())", "form.dispatchEvent(new Event('close'))"])
def test_a_hidden_choice_is_the_state_again_whatever_resets_the_form(form, leave):
    page = form(STARS + '<button type="button" onclick="form.elements.stars.value = 5">five</button>', stars="3")
    page.get_by_role("button", name="five").click()
    after_its_timers(page)
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


def test_a_range_whose_value_the_page_notes_at_it_keeps_what_the_page_puts_in(form):
    page = form('<input name="x" type="range" max="100" data-bind="a.x">', x=20)
    page.evaluate("const { x } = document.forms[0]; x.value = 90; x.setAttribute('value', 90)")
    after_its_timers(page)
    assert page.locator("[name=x]").input_value() == "90"
    assert saved(page) == {"x": 90}


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
