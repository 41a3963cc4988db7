"""What is one submission and what is another: double clicks, keys, and what the page sends by itself."""

import pytest

from forms import after_its_timers, save, saved
from processes import eventually


def answer(page, place):
    page.evaluate(f"asked[{place}].done()")
    eventually(lambda: page.evaluate("document.forms[0].ariaBusy") is None, "not busy any more")


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


def test_the_second_click_of_a_double_click_does_nothing_on_the_row_that_came_there(form):
    page = form("")
    page.evaluate(
        """() => {
            self.rows = [1, 2, 3]
            self.draw = () => {
                make(rows.map((row) => `<form data-action="a/delete" method="dialog"><input type="number" hidden name="id" value="${row}"><button>Delete</button></form>`).join(""), {})
                document.forms[0].addEventListener("submit", () => setTimeout(() => (rows.shift(), draw())))
            }
            draw()
        }""")
    box = page.get_by_role("button").first.bounding_box()
    place = (box["x"] + 5, box["y"] + 5)
    page.mouse.click(*place)
    page.wait_for_function("rows.length == 2")
    page.mouse.down(click_count=2)
    page.mouse.up(click_count=2)
    after_its_timers(page)
    assert page.evaluate("bodies()") == [{"id": 1}]
    page.mouse.click(*place)
    page.wait_for_function("asked.length == 2")
    assert page.evaluate("bodies()[1]") == {"id": 2}


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
        page.evaluate("asked.forEach(({ done }) => done())")
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


def double_click(page, locator):
    box = locator.bounding_box()
    page.mouse.move(box["x"] + 3, box["y"] + 3)
    for count in (1, 2):
        page.mouse.down(click_count=count)
        page.mouse.up(click_count=count)
        page.evaluate("asked.forEach(({ done }) => done())")
        after_its_timers(page)


SENDS = "onclick='event.preventDefault(); document.forms[0].requestSubmit()'"
SENDERS = [f"<a href='#' class='it' {SENDS}>Send</a>", f"<div role='button' class='it' {SENDS}>Send</div>",
           f"<button type='button' name='way' class='it' {SENDS}>Send</button>", f"<button name='way' value='1' class='it' {SENDS}>Send</button>",
           "<label class='it'>Send<input type='submit' hidden></label>", "<button name='way' class='it'>Send</button>"]


@pytest.mark.parametrize("sender", SENDERS)
@pytest.mark.parametrize("empties", ["submit", "bindery-done"])
def test_a_double_click_is_one_submission_whatever_is_clicked(form, sender, empties):
    page = form(f'<input name="x" value="hello">{sender}')
    page.evaluate("(type) => document.forms[0].addEventListener(type, ({ target }) => (target.x.value = ''))", empties)
    double_click(page, page.locator(".it"))
    assert [body["x"] for body in page.evaluate("bodies()")] == ["hello"]


@pytest.mark.parametrize("sender", ["<a href='#' onclick='event.preventDefault(); this.parentNode.requestSubmit()'>Delete</a>",
                                    "<button type='button' onclick='this.form.done.value = true; this.form.requestSubmit()'>Done</button>",
                                    "<button onclick='this.form.done.value = true'>Done</button>",
                                    "<input type='checkbox' onchange='this.form.requestSubmit()'>"])
def test_the_second_click_does_nothing_on_the_row_that_came_there_whatever_is_clicked(form, sender):
    page = form("")
    page.evaluate(
        """(sender) => {
            make([1, 2, 3].map((row) => `<form data-action="a/delete" method="dialog"><input type="number" hidden name="id" value="${row}"><input name="done" size="1">${sender}</form>`).join(""), {})
            for (const form of document.forms) form.addEventListener("bindery-done", () => form.remove())
        }""", sender)
    double_click(page, page.locator("form").first.locator(":last-child"))
    assert [body["id"] for body in page.evaluate("bodies()")] == [1]


@pytest.mark.parametrize("press", [lambda page, box: box.dblclick(), lambda page, box: [box.press("Space"), box.press("Space")]])
def test_a_box_without_a_name_is_turned_each_time(form, press):
    page = form('<input type="number" hidden name="id" value="1"><input type="checkbox" class="it" onchange="this.form.requestSubmit()">')
    press(page, page.locator(".it"))
    page.evaluate("asked.forEach(({ done }) => done())")
    page.wait_for_function("asked.length == 2")
    assert page.evaluate("bodies()") == [{"id": 1}, {"id": 1}]


def test_a_hidden_number_is_counted_in_a_row_that_is_drawn_anew(form):
    page = form("")
    page.evaluate("""() => {
        const draw = (count) => {
            make(`<form data-action="a/count" method="dialog"><input type="hidden" name="n" value="${count}">
                <button type="button" class="it" onclick="this.form.n.value++; this.form.requestSubmit()">+</button></form>`, {})
            document.forms[0].addEventListener("bindery-done", () => draw(Number(asked.at(-1).body.n)))
        }
        draw(1)
    }""")
    double_click(page, page.locator(".it"))
    assert page.evaluate("bodies()") == [{"n": "2"}, {"n": "3"}]


def test_a_radio_button_that_is_clicked_twice_is_one_submission(form):
    page = form('<input type="radio" name="x" value="a" class="it" onclick="this.form.requestSubmit()">')
    double_click(page, page.locator(".it"))
    assert page.evaluate("bodies()") == [{"x": "a"}]


def cart(page):
    """A row with a button that counts, drawn anew with each answer, and with the focus on it."""
    page.evaluate("""() => {
        self.count = 1
        const draw = () => {
            make(`<form data-action="a/count" method="dialog"><input name="n" type="number" value="${count}">
                <button type="button" class="it" onclick="this.form.n.stepUp(); this.form.requestSubmit()">+</button></form>`, {})
            document.forms[0].addEventListener("bindery-done", () => {
                count = asked.at(-1).body.n
                draw()
            })
            document.querySelector(".it").focus()
        }
        draw()
    }""")


def test_a_row_that_is_drawn_anew_as_somebody_counts_in_it_counts_each_click(form):
    page = form("")
    cart(page)
    double_click(page, page.locator(".it"))
    assert page.evaluate("bodies()") == [{"n": 2}, {"n": 3}]


def test_a_row_that_is_drawn_anew_as_somebody_counts_in_it_by_a_key_that_is_held_counts_each_time(form):
    page = form("")
    cart(page)
    for place in range(3):
        page.keyboard.down("Enter")
        page.wait_for_function(f"asked.length == {place + 1}")
        page.evaluate(f"asked[{place}].done()")
        after_its_timers(page)
    assert page.evaluate("bodies()") == [{"n": 2}, {"n": 3}, {"n": 4}]


@pytest.mark.parametrize("box", ["<input type='checkbox' name='done' class='it'>", "<label class='it'>Done<input type='checkbox' name='done'></label>",
                                 "<label class='it'>Done<input type='radio' name='done' value='yes'></label>"])
def test_a_box_that_came_there_by_the_first_click_is_not_turned_by_the_second(form, box):
    page = form("")
    page.evaluate(
        """(box) => {
            make([1, 2].map((row) => `<form data-action="a/mark" method="dialog" onchange="this.requestSubmit()"><input type="number" hidden name="id" value="${row}">${box}</form>`).join(""), {})
            for (const form of document.forms) form.addEventListener("bindery-done", () => form.remove())
        }""", box)
    double_click(page, page.locator(".it").first)
    assert [body["id"] for body in page.evaluate("bodies()")] == [1]
    assert not page.evaluate("document.forms[0].elements.done.checked")
    page.locator(".it").click()
    page.wait_for_function("asked.length == 2")
    assert page.evaluate("document.forms[0].elements.done.checked")


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


@pytest.mark.parametrize("empties", ["submit", "bindery-done"])
def test_what_is_spelt_as_a_field_is_left_is_not_changed_by_the_second_click(form, empties):
    page = form('<input name="x" value="12.5" onblur="this.value = Number(this.value).toFixed(2)">')
    page.evaluate("""(type) => document.forms[0].addEventListener(type, ({ target }) => {
        target.x.value = ""
        target.x.focus()
    })""", empties)
    page.locator("input").focus()
    double_click(page, page.get_by_role("button"))
    assert page.evaluate("bodies()") == [{"x": "12.50"}]


def test_a_double_click_is_one_submission_whatever_the_page_sends_by_itself_meanwhile(form):
    page = form('<input name="x" value="hello">')
    page.evaluate("""() => {
        document.body.insertAdjacentHTML("beforeend", '<form data-action="a/present" method="dialog"></form>')
        bindAll()
        document.forms[0].addEventListener("submit", ({ target }) => (target.x.value = ""))
    }""")
    box = page.get_by_role("button").bounding_box()
    page.mouse.move(box["x"] + 3, box["y"] + 3)
    for count in (1, 2):
        page.mouse.down(click_count=count)
        after_its_timers(page)
        page.evaluate("document.forms[1].requestSubmit()")
        page.mouse.up(click_count=count)
        page.evaluate("asked.forEach(({ done }) => done())")
        after_its_timers(page)
    assert page.evaluate("asked.map(({ name }) => name)").count("do") == 1


def test_two_slow_clicks_are_two_also_on_the_row_that_came_there(form):
    page = form("")
    page.clock.install()
    page.evaluate(
        """() => {
            make([1, 2].map((row) => `<form data-action="a/delete" method="dialog"><input type="number" hidden name="id" value="${row}"><button>Delete</button></form>`).join(""), {})
            for (const form of document.forms) form.addEventListener("bindery-done", () => form.remove())
        }""")
    box = page.get_by_role("button").first.bounding_box()
    page.mouse.move(box["x"] + 3, box["y"] + 3)
    for count in (1, 2):
        page.mouse.down(click_count=count)
        page.mouse.up(click_count=count)
        page.evaluate("asked.forEach(({ done }) => done())")
        page.clock.fast_forward(600)
    assert page.evaluate("bodies()") == [{"id": 1}, {"id": 2}]


def test_a_plain_button_that_is_drawn_anew_counts_each_click(form):
    page = form("")
    page.evaluate("""() => {
        const draw = () => {
            make("<button data-action='a/more' class='it'>More</button>", {})
            document.querySelector("button").addEventListener("click", () => setTimeout(draw))
        }
        draw()
    }""")
    double_click(page, page.locator(".it"))
    assert page.evaluate("asked.length") == 2


def test_a_form_counts_each_click_on_a_button_that_is_drawn_anew_in_it(form):
    page = form('<input name="q" type="number" value="1"><span></span>')
    page.evaluate("""() => {
        const [form] = document.forms
        const draw = () => (document.querySelector("span").innerHTML = "<button class='it' onclick='this.form.q.stepUp()'>More</button>")
        form.addEventListener("submit", () => setTimeout(draw))
        draw()
    }""")
    double_click(page, page.locator(".it"))
    assert page.evaluate("bodies()") == [{"q": 2}, {"q": 3}]


def test_a_press_by_which_the_page_changes_nothing_any_more_says_the_same_once_more(form):
    page = form('<input name="q" type="number" value="1"><button class="it">Full</button>')
    page.evaluate("""() => {
        const [form] = document.forms
        document.querySelector(".it").addEventListener("pointerdown", () => (form.q.value = 9))
        form.addEventListener("bindery-done", () => (form.q.value = 9))
    }""")
    double_click(page, page.locator(".it"))
    assert page.evaluate("bodies()") == [{"q": 9}]


@pytest.mark.parametrize("sends", ["click", "pointerup"])
def test_what_the_page_counts_while_a_button_is_held_is_saved(form, sends):
    page = form('<input name="q" type="number" value="1"><button type="button" class="it">More</button>')
    page.clock.install()
    page.evaluate("""(sends) => {
        const [form] = document.forms
        const it = document.querySelector(".it")
        let timer
        it.addEventListener("pointerdown", () => (timer = setInterval(() => form.q.stepUp(), 80)))
        it.addEventListener(sends, () => {
            clearInterval(timer)
            form.requestSubmit()
        })
    }""", sends)
    box = page.locator(".it").bounding_box()
    page.mouse.move(box["x"] + 3, box["y"] + 3)
    for count in (1, 2):
        page.mouse.down(click_count=count)
        page.clock.run_for(330)
        page.mouse.up(click_count=count)
        page.evaluate("asked.forEach(({ done }) => done())")
        page.clock.run_for(20)
    assert page.evaluate("bodies()") == [{"q": 5}, {"q": 9}]


def test_what_is_typed_between_two_clicks_is_sent(form):
    page = form('<input name="x" value="hello"><button class="it" onmousedown="event.preventDefault()">Send</button>')
    page.evaluate("document.forms[0].addEventListener('submit', ({ target }) => (target.x.value = ''))")
    page.locator("input").focus()
    box = page.locator(".it").bounding_box()
    page.mouse.move(box["x"] + 3, box["y"] + 3)
    for count in (1, 2):
        page.mouse.down(click_count=count)
        page.mouse.up(click_count=count)
        page.wait_for_function(f"asked.length == {count}")
        page.evaluate(f"asked[{count - 1}].done()")
        page.keyboard.type("k")
    assert page.evaluate("bodies()") == [{"x": "hello"}, {"x": "k"}]


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


@pytest.mark.parametrize("type", ["submit", "button"])
def test_what_the_page_counts_as_a_press_begins_is_saved_each_time(form, type):
    page = form(f'<input name="q" type="number" value="1"><button type="{type}" class="it">More</button>')
    page.evaluate("""() => {
        const [form] = document.forms
        const it = document.querySelector(".it")
        it.addEventListener("pointerdown", () => form.q.stepUp())
        if (it.type == "button") it.addEventListener("click", () => form.requestSubmit())
    }""")
    double_click(page, page.locator(".it"))
    assert page.evaluate("bodies()") == [{"q": 2}, {"q": 3}]


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
        page.evaluate("asked.forEach(({ done }) => done())")
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


def test_a_double_click_on_a_page_that_is_busy_is_one_submission(form):
    page = form('<input name="x" value="hello">')
    page.evaluate("""() => document.forms[0].addEventListener("submit", ({ target }) => {
        target.x.value = ""
        for (const at = performance.now(); performance.now() - at < 600;);
    })""")
    box = page.get_by_role("button").bounding_box()
    devtools = page.context.new_cdp_session(page)
    at = page.evaluate("Date.now() / 1000")
    for count in (1, 2):
        for type in ("mousePressed", "mouseReleased"):
            devtools.send("Input.dispatchMouseEvent", {
                "type": type, "x": box["x"] + 5, "y": box["y"] + 5, "button": "left", "clickCount": count,
                "timestamp": at + 0.15 * count})
        page.evaluate("asked.forEach(({ done }) => done())")
        after_its_timers(page)
    assert page.evaluate("bodies()") == [{"x": "hello"}]


TWO = "".join(f'<form data-action="a/{name}" method="dialog"><input name="{name}" type="number" value="1"></form>' for name in "wh")


def press(page, count):
    box = page.get_by_role("button").bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down(click_count=count)
    page.mouse.up(click_count=count)


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
        press(page, place)
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
        page.evaluate("asked.forEach(({ done }) => done())")
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


SHADOW = """(mode) => {
    document.body.innerHTML = "<div></div>"
    self.root = document.querySelector("div").attachShadow({ mode })
    root.innerHTML = '<form data-action="a/do" method="dialog"><input name="x"><input name="y"><button>Save</button></form>'
    bindTo(root)
    root.querySelector("input").focus()
}"""


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


def test_enter_that_is_held_in_a_closed_shadow_root_is_one_submission(form):
    page = form("")
    page.evaluate(SHADOW, "closed")
    page.clock.install()
    for _ in range(4):
        page.keyboard.down("Enter")
        page.clock.fast_forward(600)
        page.evaluate("asked.forEach(({ done }) => done())")
    page.keyboard.up("Enter")
    assert page.evaluate("asked.length") == 1


def test_what_is_pressed_by_turns_is_done_each_time(form):
    page = form("")
    page.evaluate(
        """make(["more", "less"].map((name) => `<form data-action="a/${name}" method="dialog"><button>${name}</button></form>`).join(""), {})""")
    for place, name in enumerate(["more", "less", "more", "less"]):
        page.get_by_role("button", name=name).click()
        page.wait_for_function(f"asked.length == {place + 1}")
        page.evaluate(f"asked[{place}].done()")
    assert page.evaluate("asked.map(({ name }) => name)") == ["more", "less", "more", "less"]


def test_lines_that_are_held_are_saved_as_they_are_typed(form):
    page = form('<textarea name="x" aria-label="x" oninput="this.form.requestSubmit()"></textarea>')
    page.get_by_label("x").focus()
    for place in range(3):
        page.keyboard.down("Enter")
        page.wait_for_function(f"asked.length == {place + 1}")
        answer(page, place)
    assert page.evaluate("bodies().at(-1)") == {"x": "\n\n\n"}


LOGIN = '<form data-action="a/login" method="dialog"><button>Log in</button></form>'
LOGOUT = '<button data-action="a/logout">Log out</button>'


@pytest.mark.parametrize("first, second, done", [(LOGIN, LOGOUT, "login"), (LOGOUT, LOGIN, "logout")])
def test_the_second_click_of_a_double_click_does_nothing_on_what_came_there(form, first, second, done):
    page = form("")
    page.evaluate(
        """([first, second]) => {
            make(first, {})
            addEventListener("click", () => setTimeout(() => make(second, {})), { once: true })
        }""", [first, second])
    box = page.get_by_role("button").bounding_box()
    place = (box["x"] + 5, box["y"] + 5)
    page.mouse.click(*place)
    page.wait_for_function("second => document.body.innerHTML == second", arg=second)
    page.mouse.down(click_count=2)
    page.mouse.up(click_count=2)
    after_its_timers(page)
    assert page.evaluate("asked.map(({ name }) => name)") == [done]
    page.mouse.click(*place)
    page.wait_for_function("asked.length == 2")


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
        after_its_timers(page)
    assert page.evaluate("bodies()") == [{"x": "milk", "n": "1"}]
    # A double click into a text is none of the button.
    page.locator("[name=x]").dblclick()
    page.evaluate("document.forms[0].x.value = 'eggs'; document.forms[0].requestSubmit()")
    page.wait_for_function("asked.length == 2")


def test_a_double_click_in_a_form_without_fields_is_one_submission(form):
    page = form("")
    page.get_by_role("button").dblclick()
    page.evaluate("asked[0].done()")
    after_its_timers(page)
    assert page.evaluate("asked.length") == 1


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
        after_its_timers(page)
    assert page.evaluate("bodies()") == [{"n": "1"}]


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
