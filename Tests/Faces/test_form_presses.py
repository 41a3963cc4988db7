"""What is one submission and what is another: keys, turns, and what the page sends by itself."""

import pytest

from forms import SHADOW, after_its_timers, answer, answer_all, click, double_click, place_of, save, saved
from processes import eventually


@pytest.mark.parametrize("press", [lambda page, box: box.dblclick(), lambda page, box: [box.press("Space"), box.press("Space")]])
def test_a_box_without_a_name_is_turned_each_time(form, press):
    page = form('<input type="number" hidden name="id" value="1"><input type="checkbox" class="it" onchange="this.form.requestSubmit()">')
    press(page, page.locator(".it"))
    answer_all(page)
    page.wait_for_function("asked.length == 2")
    assert page.evaluate("bodies()") == [{"id": 1}, {"id": 1}]


def test_a_button_that_acts_by_turns_does_so_each_time(form):
    page = form('<button type="button" class="it">Play</button>')
    page.evaluate("""() => {
        let isOn = false
        const [form] = document.forms
        document.querySelector(".it").onclick = () => {
            isOn = !isOn
            form.dataset.action = isOn ? "a/on" : "a/off"
            form.requestSubmit()
        }
    }""")
    double_click(page, page.locator(".it"))
    assert page.evaluate("asked.map(({ name }) => name)") == ["on", "off"]


@pytest.mark.parametrize("link", ["<a href='#' class='it'></a>", "<div role='switch' tabindex='0' class='it'></div>", "<label class='it'></label>"])
def test_a_link_in_which_something_else_is_drawn_is_the_same(form, link):
    page = form("")
    page.evaluate("""(link) => {
        make('<form data-action="a/on" method="dialog"></form><form data-action="a/off" method="dialog"></form>' + link, {})
        const it = document.querySelector(".it")
        let isOn = false
        const draw = () => (it.innerHTML = `<i>${isOn ? "It is on" : "It is off"}</i>`)
        it.onclick = () => {
            isOn = !isOn
            draw()
            document.forms[isOn ? 0 : 1].requestSubmit()
        }
        draw()
    }""", link)
    double_click(page, page.locator(".it"))
    assert page.evaluate("asked.map(({ name }) => name)") == ["on", "off"]


def test_a_press_by_which_the_page_changes_nothing_any_more_says_the_same_once_more(form):
    page = form('<input name="q" type="number" value="1"><button class="it">Full</button>')
    page.evaluate("""() => {
        const [form] = document.forms
        document.querySelector(".it").addEventListener("pointerdown", () => (form.q.value = 9))
        form.addEventListener("bindery-done", () => (form.q.value = 9))
    }""")
    double_click(page, page.locator(".it"))
    assert page.evaluate("bodies()") == [{"q": 9}]


TWO = "".join(f'<form data-action="a/{name}" method="dialog"><input name="{name}" type="number" value="1"></form>' for name in "wh")


def test_a_button_that_sends_several_forms_sends_all_of_them_each_time(form):
    page = form("")
    page.evaluate("(two) => make(two + '<button type=button>Bigger</button>', {})", TWO)
    page.evaluate("""() => {
        document.querySelector("button").onclick = () => {
            for (const form of document.forms) {
                form.elements[0].stepUp()
                form.requestSubmit()
            }
        }
    }""")
    for place in range(1, 4):
        click(page, place_of(page.get_by_role("button")), place)
        page.wait_for_function(f"asked.length == {2 * place}")
        page.evaluate("asked.slice(-2).forEach(({ done }) => done())")
        after_its_timers(page)
    assert page.evaluate("bodies()") == [{name: value} for value in (2, 3, 4) for name in "wh"]


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_several_forms_that_are_sent_together_say_the_same_once(form, key):
    page = form("")
    page.evaluate("(two) => make(two + '<button type=button>Save all</button>', {})", TWO)
    page.evaluate("() => { document.querySelector('button').onclick = () => { for (const form of document.forms) form.requestSubmit() } }")
    page.get_by_role("button").focus()
    for _ in range(2):
        page.keyboard.press(key)
        answer_all(page)
        after_its_timers(page)
    assert page.evaluate("bodies()") == [{"w": 1}, {"h": 1}]


def test_what_is_chosen_by_turns_is_done_each_time(form):
    page = form("")
    page.evaluate("""() => {
        make(["on", "off"].map((name) => `<form data-action="a/${name}" method="dialog"></form>`).join("") +
            "<input type=checkbox onchange='document.forms[this.checked ? 0 : 1].requestSubmit()'>", {})
    }""")
    page.locator("input").focus()
    for place in range(3):
        page.keyboard.press("Space")
        page.wait_for_function(f"asked.length == {place + 1}")
        page.evaluate(f"asked[{place}].done()")
        after_its_timers(page)
    assert page.evaluate("asked.map(({ name }) => name)") == ["on", "off", "on"]


def test_an_image_says_its_name_as_any_button(form):
    page = form('<input type="image" name="way" value="up" alt="Up"><input type="image" name="way" value="down" alt="Down">')
    for place, name in enumerate(["Up", "Down", "Up"]):
        page.get_by_role("button", name=name).click()
        page.wait_for_function(f"asked.length == {place + 1}")
        answer(page, place)
    assert page.evaluate("bodies()") == [{"way": "up"}, {"way": "down"}, {"way": "up"}]


def test_who_types_on_in_a_shadow_root_is_not_taken_away_by_a_refusal(form):
    page = form("")
    page.evaluate(SHADOW, "open")
    page.keyboard.type("a")
    page.keyboard.press("Enter")
    page.wait_for_function("asked.length")
    page.keyboard.press("Tab")
    page.keyboard.type("hel")
    page.evaluate("asked[0].refused({ message: 'No.', pointer: '#/x' })")
    page.wait_for_function("root.querySelector('input').ariaInvalid")
    page.keyboard.type("lo")
    assert page.evaluate("[...root.querySelectorAll('input')].map(({ value }) => value)") == ["a", "hello"]


def test_what_is_pressed_by_turns_is_done_each_time(form):
    page = form("")
    page.evaluate(
        """make(["more", "less"].map((name) => `<form data-action="a/${name}" method="dialog"><button>${name}</button></form>`).join(""), {})""")
    for place, name in enumerate(["more", "less", "more", "less"]):
        page.get_by_role("button", name=name).click()
        page.wait_for_function(f"asked.length == {place + 1}")
        page.evaluate(f"asked[{place}].done()")
    assert page.evaluate("asked.map(({ name }) => name)") == ["more", "less", "more", "less"]


def test_a_script_that_comes_later_prevents_by_a_listener_that_captures(form):
    page = form('<input name="x">')
    page.evaluate("document.forms[0].addEventListener('submit', (event) => event.preventDefault(), { capture: true })")
    page.get_by_role("button").click()
    after_its_timers(page)
    assert page.evaluate("asked") == []


@pytest.mark.parametrize("said", ["onsubmit=\"return false\"", "data-own"])
def test_what_the_page_prevents_is_not_done(form, said):
    page = form('<input name="x">')
    page.evaluate(
        """(said) => {
            make(`<form data-action="a/do" ${said} method="dialog"><button>Save</button></form><button data-action="a/do" onclick="return false">Do</button>`, {})
        }""", said)
    page.get_by_role("button", name="Do").click()
    page.get_by_role("button", name="Save").click()
    after_its_timers(page)
    assert page.evaluate("bodies()") == ([] if "return" in said else [None])


def test_what_is_bound_twice_acts_once(form):
    page = form("")
    page.evaluate("""make('<button data-action="a/do">Do</button>', {})""")
    page.evaluate("bindAll()")
    page.get_by_role("button").click()
    after_its_timers(page)
    assert page.evaluate("asked.length") == 1


@pytest.mark.parametrize("field", ['<select name="x" data-bind="a.x" oninput="this.form.requestSubmit()"><option>5<option>6</select>',
                                   '<input type="range" name="x" data-bind="a.x" oninput="this.form.requestSubmit()">'])
def test_what_is_chosen_is_sent_by_its_own_listener(form, field):
    page = form(field, x=5)
    page.locator("[name=x]").focus()
    page.keyboard.press("ArrowUp" if "range" in field else "ArrowDown")
    page.wait_for_function("asked.length")
    assert page.evaluate("bodies()[0]") == {"x": 6}


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


def test_a_form_without_a_button_shows_what_became_of_it_after_the_enter_key(form):
    page = form("")
    page.evaluate("""make('<form data-action="a/do"><input name="x" data-bind="a.x"></form>', { x: "" })""")
    page.locator("input").fill("hello")
    page.keyboard.press("Enter")
    page.wait_for_function("asked.length")
    page.evaluate("change({ x: '' }); asked[0].done()")
    eventually(lambda: page.locator("input").input_value() == "", "shown")


def test_a_page_does_not_hear_of_what_is_not_done_as_it_is_the_same_once_more(form):
    page = form('<input name="x" value="a">')
    page.evaluate("() => { self.heard = 0; document.forms[0].addEventListener('submit', () => heard++) }")
    page.get_by_role("button").dblclick()
    page.wait_for_function("asked.length")
    page.evaluate("asked[0].done()")
    eventually(lambda: page.evaluate("document.forms[0].ariaBusy") is None, "done")
    assert page.evaluate("[heard, asked.length]") == [1, 1]


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
    after_its_timers(page)
    page.keyboard.up("Enter")
    page.wait_for_function("asked.length")
    page.evaluate("change({ x: '' }); asked[0].done()")
    eventually(lambda: page.locator("[name=x]").input_value() == "", "emptied")


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
