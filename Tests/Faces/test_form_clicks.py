"""What several clicks say once, and what each time."""

import pytest

from forms import after_its_timers, answer_all, cart, click, double_click, place_of, quick_clicks, saved
from processes import eventually


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


@pytest.mark.parametrize("row", ["<form data-action='a/select' method='dialog'><input type='number' hidden name='id' value='1'><button class='it'>1</button></form>",
                                 "<form data-action='a/select' method='dialog'><input type='hidden' name='on' value='yes'><button class='it'>1</button></form>",
                                 "<button class='it' data-action='a/select'>1</button>"])
def test_what_is_opened_by_a_double_click_is_opened_where_the_first_click_has_drawn_it_anew(form, row):
    page = form("")
    page.evaluate("""(row) => {
        make(`<ul></ul><form data-action="a/open" method="dialog" id="opens"><input name="id" value="7"></form>`, {})
        const list = document.querySelector("ul")
        const draw = () => {
            list.innerHTML = `<li>${row}</li>`
            bindTo(list)
            list.querySelector("[data-action]").addEventListener("bindery-done", () => draw((row = row.replace("yes", "no"))))
        }
        draw()
        list.ondblclick = () => opens.requestSubmit()
    }""", row)
    double_click(page, page.locator(".it"))
    assert page.evaluate("asked.map(({ name }) => name)")[-1] == "open"


def test_a_second_click_on_the_row_that_came_there_leaves_nothing_in_it(form):
    page = form("")
    page.evaluate("""() => {
        make("<main></main>", {})
        document.querySelector("main").ondblclick = () => (self.opened = true)
        document.querySelector("main").innerHTML = [1, 2].map((row) => `<form data-action="a/set" method="dialog">
            <input type="number" hidden name="id" value="${row}"><input type="hidden" name="done">
            <button type="button" class="it" onclick="this.form.done.value = 'yes'; this.form.requestSubmit()">Done</button><button>Save</button></form>`).join("")
        bindTo(document.querySelector("main"))
        for (const form of document.forms) form.addEventListener("bindery-done", () => form.remove())
    }""")
    double_click(page, page.locator(".it").first)
    assert saved(page) == {"id": 2, "done": ""}
    assert not page.evaluate("self.opened")


@pytest.mark.parametrize("way", ["<button class='it' name='op' value='plus' onclick='this.form.n.stepUp()'>+</button>",
                                 "<button class='it' onpointerdown='this.form.n.stepUp()'>+</button>"])
def test_a_row_that_is_drawn_anew_counts_each_click_however_it_counts(form, way):
    page = form("")
    page.evaluate("""(way) => {
        const draw = (count) => {
            make(`<form data-action="a/count" method="dialog"><input type="number" hidden name="id" value="7"><input name="n" type="number" value="${count}">${way}</form>`, {})
            document.forms[0].addEventListener("bindery-done", () => draw(asked.at(-1).body.n))
        }
        draw(1)
    }""", way)
    double_click(page, page.locator(".it"))
    assert [body["n"] for body in page.evaluate("bodies()")] == [2, 3]


@pytest.mark.parametrize("what", ["<button class='it'>Delete</button>", "<label class='it'><input type='checkbox' name='done' onchange='this.form.requestSubmit()'>Done</label>"])
def test_two_quick_taps_on_two_rows_are_one_of_each_which_a_telephone_counts_on(form, what):
    page = form("")
    page.evaluate("""(what) => make([1, 2].map((row) => `<form data-action="a/do" method="dialog" style="height: 48px">
        <input type="number" hidden name="id" value="${row}">${what}</form>`).join(""), {})""", what)
    for place, row in enumerate(page.locator(".it").all()):
        click(page, place_of(row), place + 1)
        after_its_timers(page)
    assert [body["id"] for body in page.evaluate("bodies()")] == [1, 2]


def test_what_the_page_sends_by_itself_between_two_clicks_takes_none_of_them_away(form):
    page = form("")
    page.evaluate("""() => {
        const draw = (count) => {
            make(`<form data-action="a/seen" method="dialog" id="seen"></form>
                <form data-action="a/count" method="dialog" id="counts"><input name="n" type="number" value="${count}"><button class="it" onclick="this.form.n.stepUp()">+</button></form>`, {})
            counts.addEventListener("bindery-done", () => {
                draw(asked.findLast(({ name }) => name == "count").body.n)
                setTimeout(() => seen.requestSubmit())
            })
        }
        draw(1)
    }""")
    double_click(page, page.locator(".it"))
    assert [body["n"] for body in page.evaluate("bodies()") if body] == [2, 3]


def test_what_the_page_sends_by_itself_between_two_presses_does_not_make_two_of_one(form):
    page = form('<input name="x" value="hello">')
    page.evaluate("""() => {
        document.body.insertAdjacentHTML("beforeend", '<form data-action="a/seen" method="dialog" id="seen"></form>')
        bindTo(seen)
    }""")
    page.locator("input").focus()
    page.keyboard.press("Enter")
    after_its_timers(page)
    page.evaluate("void seen.requestSubmit()")
    answer_all(page)
    after_its_timers(page)
    page.keyboard.press("Enter")
    after_its_timers(page)
    assert page.evaluate("asked.map(({ name }) => name)") == ["do", "seen"]


def test_a_row_that_the_page_draws_anew_as_it_counts_counts_each_click(form):
    page = form("")
    page.evaluate("""() => {
        let count = 1
        const draw = () => make(`<form data-action="a/count" method="dialog" id="row"><input type="number" hidden name="id" value="7"><input name="n" type="number" value="${count}">
            <button type="button" class="it">+</button></form>`, {})
        document.addEventListener("click", () => {
            count++
            draw()
            document.querySelector("form").requestSubmit()
        })
        draw()
    }""")
    double_click(page, page.locator(".it"))
    assert page.evaluate("bodies()") == [{"id": 7, "n": 2}, {"id": 7, "n": 3}]


@pytest.mark.parametrize("type", ["pointerdown", "pointerup", "click", "submit"])
def test_what_the_page_sends_along_with_each_press_makes_neither_two_of_one_nor_one_of_two(form, type):
    page = form("")
    page.evaluate("""(type) => {
        make(`<form data-action="a/seen" method="dialog" id="form"><input type="hidden" name="at" value="1"></form><main></main>`, {})
        const main = document.querySelector("main")
        const seen = document.forms[0]
        const draw = (html) => {
            main.innerHTML = html
            bindTo(main)
            const form = main.querySelector("form")
            form.addEventListener("bindery-done", () => form.n && draw(html.replace(/value="[0-9]*"/, `value="${form.n.value}"`)))
        }
        self.draw = draw
        document.addEventListener(type, ({ target }) => {
            if (target == seen) return
            seen.at.value++
            seen.requestSubmit()
        })
    }""", type)
    page.evaluate("""draw('<form data-action="a/order" method="dialog"><button class="it">Order</button></form>')""")
    quick_clicks(page, page.locator(".it"), 3)
    assert page.evaluate("asked.filter(({ name }) => name == 'order').length") == 1
    page.evaluate("""draw('<form data-action="a/count" method="dialog"><input name="n" type="number" value="1"><button class="it" onclick="this.form.n.stepUp()">+</button></form>')""")
    quick_clicks(page, page.locator(".it"), 3)
    assert page.evaluate("asked.filter(({ name }) => name == 'count').map(({ body }) => body.n)") == [2, 3, 4]


@pytest.mark.parametrize("again", ["Enter", "click", "Space"])
def test_the_same_once_more_is_not_sent_in_a_row_that_is_drawn_anew(form, again):
    page = form("")
    page.evaluate("""(again) => {
        const draw = () => {
            make(`<form data-action="a/order" method="dialog"><input type="number" hidden name="id" value="7"><input name="n" value="1"><button class="it">Order</button></form>
                <button class="else" onclick="document.forms[0].requestSubmit()">Order</button>`, {})
            document.forms[0].addEventListener("bindery-done", draw)
            document.querySelector(again == "Space" ? ".else" : "[name=n]").focus()
        }
        draw()
    }""", again)
    for _ in range(2):
        if again == "click":
            click(page, place_of(page.locator(".it")), 1)
        else:
            page.keyboard.press(again)
        answer_all(page)
        after_its_timers(page)
    assert page.evaluate("bodies()") == [{"id": 7, "n": "1"}]


def test_what_the_page_sends_again_by_itself_is_sent_also_by_a_form_that_it_draws_anew(form):
    page = form("")
    page.evaluate("""() => {
        const draw = () => {
            make(`<form data-action="a/order" method="dialog"><input type="number" hidden name="id" value="7"><button class="it">Order</button></form>`, {})
            document.forms[0].addEventListener("bindery-refused", () => {
                draw()
                setTimeout(() => document.forms[0].requestSubmit(), 20)
            })
        }
        draw()
    }""")
    page.locator(".it").click()
    page.evaluate("asked[0].refused(Object.assign(new Error('Busy.'), { pointer: '#' }))")
    page.wait_for_function("asked.length == 2", timeout=5000)


def test_what_is_typed_between_two_clicks_is_sent_also_by_a_form_that_is_drawn_anew(form):
    page = form("")
    page.evaluate("""() => {
        const draw = () => {
            make(`<form data-action="a/say" method="dialog"><input name="x"><button class="it">Say</button></form>`, {})
            document.forms[0].addEventListener("bindery-done", draw)
        }
        draw()
    }""")
    place = place_of(page.locator(".it"))
    for count, text in enumerate(["a", "b"]):
        page.locator("input").fill(text)
        click(page, place, count + 1)
        answer_all(page)
        after_its_timers(page)
    assert page.evaluate("bodies()") == [{"x": "a"}, {"x": "b"}]


@pytest.mark.parametrize("key", [None, "Enter"])
def test_the_next_row_is_not_sent_by_the_second_press_where_one_form_is_sent_for_all(form, key):
    page = form("")
    page.evaluate("""() => {
        make(`<ul></ul><form data-action="a/delete" method="dialog" id="deletes"><input type="number" hidden name="id"></form>`, {})
        const list = document.querySelector("ul")
        let rows = [1, 2, 3, 4]
        const draw = () => {
            list.innerHTML = rows.map((row) => `<li><button type="button" class="it" onclick="deletes.elements.id.value = ${row}; deletes.requestSubmit()">Delete ${row}</button></li>`).join("")
            list.querySelector("button").focus()
        }
        draw()
        deletes.addEventListener("bindery-done", () => {
            rows = rows.filter((row) => row != asked.at(-1).body.id)
            draw()
        })
    }""")
    place = place_of(page.locator(".it").first)
    for count in (1, 2, 3):
        if key:
            page.keyboard.down(key)
        else:
            click(page, place, count)
        answer_all(page)
        after_its_timers(page)
    assert page.evaluate("bodies()") == [{"id": 1}]
    if key:
        page.keyboard.up(key)
    page.locator(".it").first.click()
    page.wait_for_function("asked.length == 2")
    assert page.evaluate("bodies()[1]") == {"id": 2}


def test_what_the_page_sends_before_what_is_pressed_elsewhere_makes_no_two_of_one(form):
    page = form("")
    page.evaluate("""() => make(`<form data-action="a/seen" method="dialog" id="seen"><input type="hidden" name="at" value="1"></form>
        <form data-action="a/order" method="dialog" id="orders"></form>
        <button type="button" class="it" onclick="seen.at.value++; seen.requestSubmit(); orders.requestSubmit()">Order</button>`, {})""")
    quick_clicks(page, page.locator(".it"), 3)
    assert page.evaluate("asked.filter(({ name }) => name == 'order').length") == 1


def test_a_radio_button_that_is_clicked_twice_is_one_submission(form):
    page = form('<input type="radio" name="x" value="a" class="it" onclick="this.form.requestSubmit()">')
    double_click(page, page.locator(".it"))
    assert page.evaluate("bodies()") == [{"x": "a"}]


def test_a_row_that_is_drawn_anew_as_somebody_counts_in_it_counts_each_click(form):
    page = form("")
    cart(page)
    double_click(page, page.locator(".it"))
    assert page.evaluate("bodies()") == [{"n": 2}, {"n": 3}]


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
        answer_all(page)
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
        answer_all(page)
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
        answer_all(page)
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
        answer_all(page)
        after_its_timers(page)
    assert page.evaluate("bodies()") == [{"x": "hello"}]


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
