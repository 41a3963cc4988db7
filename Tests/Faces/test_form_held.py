"""What a key that is held says once, and what each time."""

import pytest

from forms import SHADOW, after_its_timers, answer, answer_all, cart, saved


def test_enter_that_is_held_is_one_submission(form):
    page = form('<input name="x" aria-label="x">')
    page.clock.install()
    page.get_by_label("x").fill("milk")
    for _ in range(3):
        page.keyboard.down("Enter")
        page.clock.fast_forward(600)
    page.keyboard.up("Enter")
    page.clock.fast_forward(600)
    page.keyboard.press("Enter")
    page.wait_for_function("asked.length")
    page.evaluate("asked[0].done()")
    page.wait_for_function("asked.length == 2")
    answer(page, 1)


def test_enter_that_was_held_and_never_let_go_of_keeps_no_click_back(form):
    page = form('<input name="x" aria-label="x">')
    page.get_by_label("x").focus()
    for _ in range(2):
        page.keyboard.down("Enter")
    page.wait_for_function("asked.length")
    answer(page, 0)
    page.get_by_label("x").fill("milk")
    assert saved(page) == {"x": "milk"}


def test_enter_that_is_held_on_a_button_is_one_submission(form):
    page = form('<input name="x" aria-label="x">')
    page.get_by_label("x").fill("milk")
    page.evaluate("document.forms[0].addEventListener('submit', ({ target }) => target.reset())")
    page.get_by_role("button").focus()
    for _ in range(3):
        page.keyboard.down("Enter")
        after_its_timers(page)
    page.keyboard.up("Enter")
    page.wait_for_function("asked.length")
    answer(page, 0)
    assert page.evaluate("bodies()") == [{"x": "milk"}]


SENDS_BY_ENTER = "onkeydown='if (event.key == `Enter`) { event.preventDefault(); form.requestSubmit() }'"


@pytest.mark.parametrize("field", ["<select name='x' size='3'><option selected>hi<option>ho</select>",
                                   "<select name='x' multiple><option selected>hi<option>ho</select>",
                                   f"<textarea name='x' {SENDS_BY_ENTER}>hi</textarea>", f"<input name='x' value='hi' {SENDS_BY_ENTER}>"])
@pytest.mark.parametrize("empties", ["submit", "bindery-done", None])
def test_enter_that_is_held_in_any_field_is_one_submission(form, field, empties):
    page = form(field)
    page.evaluate("(type) => document.forms[0].addEventListener(type, ({ target }) => (target.x.value = ''))", empties)
    page.locator("[name=x]").focus()
    page.clock.install()
    for _ in range(4):
        page.keyboard.down("Enter")
        page.clock.fast_forward(600)
        answer_all(page)
    page.keyboard.up("Enter")
    page.clock.fast_forward(600)
    assert [str(body["x"]) for body in page.evaluate("bodies()")] in (["hi"], ["['hi']"])


def test_enter_that_is_held_keeps_no_other_form_back(form):
    page = form('<input name="x" value="a">')
    page.evaluate("""() => {
        document.body.insertAdjacentHTML("beforeend", '<form data-action="a/next" method="dialog"></form>')
        bindAll()
        const [form, next] = document.forms
        form.addEventListener("bindery-done", () => next.requestSubmit())
    }""")
    page.locator("[name=x]").focus()
    for _ in range(2):
        page.keyboard.down("Enter")
    page.evaluate("asked[0].done()")
    page.wait_for_function("asked.length == 2")
    assert page.evaluate("asked.map(({ name }) => name)") == ["do", "next"]


STEP = "onclick='const [form] = document.forms; form.q.stepUp(); form.requestSubmit()'"


@pytest.mark.parametrize("inside, outside", [(f"<button type='button' {STEP}>More</button>", ""),
                                             (f"<input type='button' value='More' {STEP}>", ""), ("", f"<button {STEP}>More</button>"),
                                             ("<button onclick='this.form.q.stepUp()'>More</button>", ""),
                                             (f"<button {STEP}>More</button>".replace("const", "event.preventDefault(); const"), "")])
def test_a_step_that_is_held_is_saved_each_time(form, inside, outside):
    page = form(f'<input name="q" type="number" value="1">{inside}')
    page.evaluate("(html) => document.body.insertAdjacentHTML('beforeend', html)", outside)
    page.get_by_role("button", name="More").focus()
    for place in range(3):
        page.keyboard.down("Enter")
        page.wait_for_function(f"asked.length == {place + 1}")
        answer(page, place)
    assert page.evaluate("bodies().at(-1)") == {"q": 4}


def test_a_row_that_is_drawn_anew_as_somebody_counts_in_it_by_a_key_that_is_held_counts_each_time(form):
    page = form("")
    cart(page)
    for place in range(3):
        page.keyboard.down("Enter")
        page.wait_for_function(f"asked.length == {place + 1}")
        page.evaluate(f"asked[{place}].done()")
        after_its_timers(page)
    assert page.evaluate("bodies()") == [{"n": 2}, {"n": 3}, {"n": 4}]


def test_a_step_that_is_held_on_a_button_that_is_drawn_anew_is_saved_each_time(form):
    page = form('<input name="q" type="number" value="1"><div></div>')
    page.evaluate("""() => {
        const [form] = document.forms
        const draw = () => {
            document.querySelector("div").innerHTML = `<button type="button" class="it">+${form.q.value}</button>`
            const it = document.querySelector(".it")
            it.onclick = () => {
                form.q.stepUp()
                form.requestSubmit()
                draw()
            }
            it.focus()
        }
        draw()
    }""")
    for place in range(3):
        page.keyboard.down("Enter")
        page.wait_for_function(f"asked.length == {place + 1}")
        answer(page, place)
    assert page.evaluate("bodies()") == [{"q": 2}, {"q": 3}, {"q": 4}]


@pytest.mark.parametrize("key", ["Space", "F2", "Control+s"])
def test_any_key_that_is_held_says_the_same_once(form, key):
    page = form('<input name="x" value="a">')
    page.evaluate("""() => addEventListener("keydown", (event) => {
        if (!/^( |F2|s)$/.test(event.key)) return
        event.preventDefault()
        document.forms[0].requestSubmit()
    })""")
    page.clock.install()
    if "+" in key:
        page.keyboard.down("Control")
    for _ in range(4):
        page.keyboard.down(key[-1] if "+" in key else key)
        page.clock.fast_forward(600)
        answer_all(page)
    assert page.evaluate("bodies()") == [{"x": "a"}]


def test_enter_that_is_held_sends_no_form_to_which_the_page_has_led_meanwhile(form):
    page = form("")
    page.evaluate("""make(`<button type="button" onclick="document.querySelector('dialog').showModal()">Open</button>
        <dialog><form data-action="a/do" method="dialog"><input name="x" autofocus><button>Save</button></form></dialog>`, {})""")
    page.get_by_role("button", name="Open").focus()
    for _ in range(4):
        page.keyboard.down("Enter")
        after_its_timers(page)
    page.keyboard.up("Enter")
    assert page.evaluate("[asked.length, document.querySelector('dialog').open]") == [0, True]
    page.keyboard.press("Enter")
    page.wait_for_function("asked.length == 1")


def test_enter_that_is_held_in_a_closed_shadow_root_is_one_submission(form):
    page = form("")
    page.evaluate(SHADOW, "closed")
    page.clock.install()
    for _ in range(4):
        page.keyboard.down("Enter")
        page.clock.fast_forward(600)
        answer_all(page)
    page.keyboard.up("Enter")
    assert page.evaluate("asked.length") == 1


def test_lines_that_are_held_are_saved_as_they_are_typed(form):
    page = form('<textarea name="x" aria-label="x" oninput="this.form.requestSubmit()"></textarea>')
    page.get_by_label("x").focus()
    for place in range(3):
        page.keyboard.down("Enter")
        page.wait_for_function(f"asked.length == {place + 1}")
        answer(page, place)
    assert page.evaluate("bodies().at(-1)") == {"x": "\n\n\n"}
