"""Refusals of a form: where they are said, until when, and who has the focus then."""

import re

import pytest

from forms import FORM, after_its_timers, saved
from processes import eventually


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


def first_is_refused(page):
    """Presses the buttons "one" and "two", and refuses what the first one asks for."""
    for place, name in enumerate(["one", "two"]):
        page.get_by_role("button", name=name).click()
        page.wait_for_function(f"asked.length == {place + 1}")
    page.evaluate("asked[0].refused({ message: 'In use.' })")
    page.get_by_text("In use.").wait_for()


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
    after_its_timers(page)
    assert page.get_by_text("Not twice.").is_visible()


@pytest.mark.parametrize("empties", ["x.value = ''", "reset()"])
def test_a_refusal_is_not_taken_away_by_the_next_thing_that_was_submitted_before_it(form, empties):
    page = form('<input name="x">')
    page.evaluate("(empties) => { document.forms[0].setAttribute('onsubmit', empties) }", empties)
    for text in "first", "second":
        page.locator("input").fill(text)
        page.get_by_role("button").click()
        after_its_timers(page)
    page.evaluate("asked[0].refused({ message: 'Too long.' })")
    page.wait_for_function("asked.length == 2")
    page.evaluate("asked[1].done()")
    eventually(lambda: page.evaluate("document.forms[0].ariaBusy") is None, "done")
    assert page.get_by_text("Too long.").is_visible()
    page.locator("input").fill("third")
    saved(page)
    page.evaluate("asked[2].done()")
    page.get_by_text("Too long.").wait_for(state="hidden")


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
    after_its_timers(page)
    assert page.locator("p").all_inner_texts() == ["", ""]


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
    after_its_timers(page)
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
    after_its_timers(page)
    assert page.get_by_text("Too long.").is_visible()


def test_a_refusal_takes_the_focus_to_its_field_also_from_a_button_that_the_page_disables_meanwhile(form):
    page = form('<input name="x">')
    page.evaluate("() => { const [form] = document.forms; form.addEventListener('submit', () => { form.querySelector('button').disabled = true }) }")
    page.get_by_role("button").click()
    page.wait_for_function("asked.length && document.activeElement == document.body")
    page.evaluate("asked[0].refused({ message: 'Type a name.', pointer: '#/x' })")
    eventually(lambda: page.evaluate("document.activeElement.name") == "x", "in the field")


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


def test_who_is_nowhere_in_particular_is_not_taken_to_the_field_that_is_refused(form):
    page = form('<input name="x">')
    page.evaluate("() => document.body.append(document.createTextNode('A text to read.'))")
    page.get_by_role("button").click()
    page.mouse.click(5, 5)
    page.wait_for_function("document.activeElement == document.body")
    page.evaluate("document.querySelector('button').disabled = true; asked[0].refused({ message: 'Type a name.', pointer: '#/x' })")
    page.get_by_text("Type a name.").wait_for()
    assert page.evaluate("document.activeElement == document.body")


def test_rows_that_are_drawn_anew_leave_what_another_was_refused_meanwhile(form):
    page = form("")
    rows = "".join(f'<form data-action="a/do"><button>{name}</button></form>' for name in ("one", "two"))
    page.evaluate("(rows) => make(`<p data-problem='a/do'></p><div>${rows}</div>`, {})", rows)
    first_is_refused(page)
    page.evaluate("const div = document.querySelector('div'); div.innerHTML = div.innerHTML; asked[1].done()")
    after_its_timers(page)
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
    after_its_timers(page)
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
            after_its_timers(page)
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
    after_its_timers(page)
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
    after_its_timers(page)
    assert page.get_by_text("No session.").is_visible()


def test_what_was_put_right_may_have_a_field_more(form):
    page = form('<input name="x"><fieldset disabled><input name="y"></fieldset>')
    page.get_by_role("button", name="Save").click()
    page.evaluate("document.querySelector('fieldset').disabled = false")
    page.get_by_role("button", name="Save").click()
    assert not refused_then_done(page)


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


def test_a_row_that_is_done_and_gone_takes_no_refusal_of_another_away(form):
    page = form("")
    row = '<div><form data-action="a/do"><button>{}</button></form><p data-problem="a/do"></p></div>'
    page.evaluate("(html) => make(html, {})", row.format("one") + row.format("two"))
    first_is_refused(page)
    page.evaluate("document.querySelectorAll('div')[1].remove(); asked[1].done()")
    after_its_timers(page)
    assert page.get_by_text("In use.").is_visible()


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
