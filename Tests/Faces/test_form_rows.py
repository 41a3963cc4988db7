"""Which row a form is about: also while another is saved, and where a new one is begun."""

import re

import pytest

from client import Client
from forms import FORM, STARS, after_its_timers, save, saved
from processes import eventually


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


@pytest.mark.parametrize("new", [*NEW, "form.id.value = ''; form.x.value = ''"])
@pytest.mark.parametrize("kind", ["hidden", "number"])
@pytest.mark.parametrize("row", ["", None, 7])
def test_a_new_row_that_the_page_begins_is_made_once_however_often_it_is_saved(form, row, kind, new):
    button = f'<button type="button" onclick="{new}">New</button>'
    page = form(f'<input type="{kind}" hidden name="id" data-bind="a.id"><input name="x" aria-label="x">' + button, id=row)
    begin = page.get_by_role("button", name="New")
    if row:
        begin.click()
    save(page, "first")
    page.wait_for_function("asked.length == 1")
    after_its_timers(page)
    begin.click()
    after_its_timers(page)
    save(page, "second", "third")
    for count, made in enumerate([8, 9, 9]):
        page.wait_for_function(f"asked.length == {count + 1}")
        page.evaluate("([count, id]) => { change({ id }); asked[count].done({ id }) }", [count, made])
    sent = page.evaluate("bodies()")
    assert [body.get("id") or None for body in sent] == [None, None, 9]
    page.wait_for_function("document.forms[0].id.value == 9")


@pytest.mark.parametrize("how", NEW)
def test_a_form_that_is_reset_for_a_new_row_as_one_is_sent_makes_another_also_after_a_refusal(form, how):
    page = form('<input type="hidden" name="id" data-bind="a.id"><input name="x" aria-label="x">', id="")
    page.evaluate("(how) => { const [form] = document.forms; form.addEventListener('submit', () => eval(how)) }", how)
    for text, end in [("a", "change({ id: 8 }); asked[0].done({ id: 8 })"), ("b", "asked[1].refused({ message: 'No.' })"), ("c", "")]:
        page.get_by_label("x").fill(text)
        assert saved(page) == {"id": "", "x": text}
        after_its_timers(page)
        page.evaluate(end)
        page.wait_for_function("!document.forms[0].ariaBusy") if end else None


@pytest.mark.parametrize("open_again", ["form.reset(); form.id.value = 2", "form.id.value = 2; form.reset()"])
@pytest.mark.parametrize("row", ["5", ""])
def test_a_row_that_the_page_opens_again_while_it_is_saved_is_saved_again(form, row, open_again):
    edit = f'<button type="button" onclick="{open_again}">Edit</button>'
    page = form('<input type="hidden" name="id" data-bind="a.id"><input name="x" aria-label="x">' + edit, id=row)
    for text in ["two", "two!"]:
        page.get_by_role("button", name="Edit").click()
        after_its_timers(page)
        save(page, text)
    page.evaluate("asked[0].done()")
    page.wait_for_function("asked.length == 2")
    page.get_by_role("button", name="Edit").click()
    after_its_timers(page)
    page.evaluate("asked[1].done()")
    page.wait_for_function("!document.forms[0].ariaBusy")
    page.get_by_label("x").fill("two!!")
    assert saved(page) == {"id": "2", "x": "two!!"}
    assert page.evaluate("bodies()[1]") == {"id": "2", "x": "two!"}


@pytest.mark.parametrize("row", ["5", ""])
def test_a_row_that_the_page_opens_while_that_of_the_state_is_not_shown_is_that(form, row):
    page = form('<input type="hidden" name="id" data-bind="a.id"><input name="x" aria-label="x">', id=row)
    page.evaluate("self.show = (id) => { document.forms[0].reset(); document.forms[0].id.value = id }")
    page.evaluate("show('2')")
    after_its_timers(page)
    save(page, "two")
    page.wait_for_function("asked.length == 1")
    page.evaluate("row => show(row)", row)
    after_its_timers(page)
    page.evaluate("change({ id: '2' }); asked[0].done({ id: '2' })")
    page.wait_for_function("!document.forms[0].ariaBusy")
    page.get_by_label("x").fill("mine")
    assert saved(page) == {"id": row, "x": "mine"}


@pytest.mark.parametrize("new", NEW)
@pytest.mark.parametrize("answer, then", [("change({ id: 8 }); asked[0].done({ id: 8 })", 8), ("asked[0].refused({ message: 'No.' })", "")])
def test_a_new_row_that_is_saved_as_it_is_begun_is_what_the_form_is_about(form, new, answer, then):
    page = form('<input type="hidden" name="id" data-bind="a.id"><input name="x" aria-label="x">', id=7)
    page.evaluate(f"new Promise((done) => {{ const [form] = document.forms; {new}; form.x.value = 'untitled'; form.requestSubmit(); setTimeout(done) }})")
    page.wait_for_function("asked.length == 1")
    save(page, "plan")
    page.evaluate(answer)
    page.wait_for_function("asked.length == 2")
    assert page.evaluate("bodies()") == [{"id": "", "x": "untitled"}, {"id": then, "x": "plan"}]


def test_a_copy_that_waits_is_of_the_row_that_was_shown(form):
    copy = '<button onclick="form.elements.id.value = \'\'">Copy</button>'
    page = form('<input type="hidden" name="id" data-bind="a.id"><input name="note" data-bind="a.note">'
                '<input name="x" aria-label="x">' + copy, id=7, note="n7")
    save(page, "first")
    page.wait_for_function("asked.length == 1")
    page.get_by_label("x").fill("second")
    page.get_by_role("button", name="Copy").click()
    page.evaluate("change({ id: 9, note: 'n9' }); asked[0].done()")
    page.wait_for_function("asked.length == 2")
    assert page.evaluate("asked[1].body") == {"id": "", "note": "n7", "x": "second"}


@pytest.mark.parametrize("row", ["", 5])
@pytest.mark.parametrize("first, second", [("7", ""), ("7", "9"), ("", "9")])
def test_a_row_that_is_opened_takes_nothing_of_the_one_that_is_saved_before_it(form, row, first, second):
    page = form('<input type="hidden" name="id" data-bind="a.id"><input name="note" data-bind="a.note">'
                '<input name="x" aria-label="x">', id=row, note="")
    for opened in [first, second]:
        page.evaluate(f"document.forms[0].reset(); document.forms[0].id.value = '{opened}'")
        after_its_timers(page)
        save(page, f"of {opened}")
    page.evaluate("change({ id: 7, note: 'n7' }); asked[0].done({ id: 7, note: 'n7' })")
    page.wait_for_function("asked.length == 2")
    body = page.evaluate("asked[1].body")
    assert {**body, "id": str(body["id"])} == {"id": second, "note": "", "x": f"of {second}"}


def test_a_row_that_is_opened_and_saved_twice_takes_nothing_of_the_one_before_it_where_its_first_is_refused(form):
    page = form('<input type="hidden" name="id" data-bind="a.id"><input name="note" data-bind="a.note">'
                '<input name="x" aria-label="x">', id="5", note="")
    save(page, "of 5")
    page.evaluate("document.forms[0].reset(); document.forms[0].id.value = '9'")
    after_its_timers(page)
    save(page, "of 9", "of 9!")
    page.evaluate("change({ id: '7', note: 'n7' }); asked[0].done()")
    page.wait_for_function("asked.length == 2")
    page.evaluate("asked[1].refused({ message: 'No.' })")
    page.wait_for_function("asked.length == 3")
    assert page.evaluate("asked[2].body") == {"id": "9", "note": "", "x": "of 9!"}


def test_a_new_row_that_the_state_does_not_show_is_not_taken_for_the_one_that_was_shown(form):
    page = form('<input type="hidden" name="id" data-bind="a.id"><input name="x" aria-label="x">'
                f'<button type="button" onclick="{NEW[0]}">New</button>', id=7)
    page.get_by_role("button", name="New").click()
    after_its_timers(page)
    save(page, "first", "second")
    page.wait_for_function("asked.length == 1")
    page.evaluate("asked[0].done()")
    page.wait_for_function("asked.length == 2")
    assert page.evaluate("asked[1].body") == {"id": "", "x": "second"}


@pytest.mark.parametrize("sends", ["form.requestSubmit()", ""])
@pytest.mark.parametrize("kind", ["sticker", ""])
def test_what_a_button_puts_in_to_be_sent_is_no_more_once_the_form_is_reset_for_the_next(form, kind, sends):
    button = f'<button {sends and "type=button"} onclick="form.elements.kind.value = \'{kind}\'; {sends}">Other</button>'
    page = form('<input type="hidden" name="kind" data-bind="a.kind"><input name="x" aria-label="x">' + button, kind="text")
    page.evaluate("document.forms[0].addEventListener('submit', ({ target }) => target.reset()); 0")
    page.get_by_label("x").fill("first")
    page.get_by_role("button", name="Other").click()
    page.wait_for_function("asked.length == 1")
    after_its_timers(page)
    page.evaluate("asked[0].done()")
    page.wait_for_function("!document.forms[0].ariaBusy")
    page.get_by_label("x").fill("second")
    saved(page)
    assert page.evaluate("bodies()") == [{"kind": kind, "x": "first"}, {"kind": "text", "x": "second"}]


def test_a_hidden_list_that_is_emptied_is_no_row_of_which_the_rest_would_be_older(form):
    page = form('<input type="hidden" name="tags" data-bind="a.tags"><input readonly name="version" data-bind="a.version">'
                '<input name="x" aria-label="x">', tags="red", version=1)
    save(page, "first")
    page.wait_for_function("asked.length == 1")
    page.evaluate("document.forms[0].tags.value = ''")
    save(page, "second")
    page.evaluate("change({ version: 2 }); asked[0].done()")
    page.wait_for_function("asked.length == 2")
    assert page.evaluate("asked[1].body") == {"tags": "", "version": 2, "x": "second"}


def test_a_hidden_list_that_is_saved_in_an_order_of_its_own_is_no_row_of_which_the_rest_would_be_older(form):
    page = form('<input type="hidden" name="tags" data-bind="a.tags"><input readonly name="version" data-bind="a.version">'
                '<input name="x" aria-label="x">', tags="", version=1)
    for tags in ["red,blue", "red,blue,green"]:
        page.evaluate(f"document.forms[0].tags.value = '{tags}'")
        save(page, tags)
    page.evaluate("change({ tags: 'blue,red', version: 2 }); asked[0].done({ tags: 'blue,red', version: 2 })")
    page.wait_for_function("asked.length == 2")
    assert page.evaluate("asked[1].body") == {"tags": "red,blue,green", "version": 2, "x": "red,blue,green"}


def test_a_new_row_that_is_begun_while_another_is_refused_is_the_state_that_comes_next(form):
    page = form('<input type="hidden" name="id" data-bind="a.id"><input name="x" aria-label="x">', id="")
    page.get_by_label("x").fill("first")
    saved(page)
    page.evaluate("document.forms[0].id.value = ''; asked[0].refused({ message: 'No.' })")
    page.get_by_text("No.").wait_for()
    page.evaluate("change({ id: 7 })")
    assert saved(page) == {"id": 7, "x": "first"}


def test_an_answer_that_comes_late_does_not_change_which_row_was_shown(form):
    page = form(ROW, id=1, title="mine", isNamed=True, x="")
    save(page, "first")
    page.wait_for_function("asked.length == 1")
    page.evaluate(OTHER)
    save(page, "second")
    page.evaluate("asked[0].done({ id: 1, title: 'mine', isNamed: true, x: 'first' })")
    page.wait_for_function("asked.length == 2")
    assert page.evaluate("asked[1].body") == {"id": 2, "title": "theirs", "x": "second"}


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
