"""`bindery.js` before a live server: a page shows what the server has, and each action is done once."""

import gzip
import os
import pathlib
import subprocess

import pytest

from pages import CLOCK, TAB, increment, increments, is_evaluated, is_live, public_text, shows
from processes import eventually

FILES = pathlib.Path(__file__).parents[2] / "Sources/WebFiles"


def test_the_script_has_under_3_4_kilobytes_gzipped():
    assert len(gzip.compress((FILES / "bindery.js").read_bytes(), 9)) < 3400


def test_a_page_begins_a_session_and_shows_what_it_does(bindery, connected):
    page = connected(bindery.port)
    assert increments(page, 3)["text"] == "3"
    assert page.evaluate("texts") == ["0", "1", "2", "3"]
    is_live(page)
    # The session of another tab is the same, the public session is not.
    other = connected(bindery.port)
    shows(other, "3")
    increments(page)
    shows(other, "4")
    assert public_text(bindery.port) == "0"


def test_an_action_that_is_refused_rejects_with_the_problem(bindery, connected):
    page = connected(bindery.port)
    problem = page.evaluate(
        "session.viewModel('counter').decrement().catch(({status, type, detail, state}) => ({status, type, detail, state}))")
    assert (problem["status"], problem["type"]) == (409, "/problems/action-disabled")
    assert problem["detail"] and problem["state"]["text"] == "0"


def test_an_entity_that_is_made_after_the_page_asked_is_shown(bindery, context, connected):
    row = '{"seq":1,"viewModel":"orders/a","output":"state","value":"open"}'
    made = f'event: snapshot\nid: 1.a\ndata: {{"kind":"snapshot","cursor":"1.a","changes":[{row}]}}\n\n'
    answers = iter([(404, "application/problem+json", "{}"), (200, "text/event-stream", made)])

    def changes(route):
        status, kind, body = next(answers, (503, "application/problem+json", "{}"))
        route.fulfill(status=status, content_type=kind, body=body)

    context.route("**/orders/a", lambda route: route.fulfill(status=404, content_type="application/problem+json", body="{}"))
    context.route("**/orders/a/changes?*", changes)
    page = connected(bindery.port, '{ entity: "orders/a" }')
    is_evaluated(page, "session.viewModel('orders/a').output('state')", "open")
    assert "ended" in page.evaluate("connections")


def test_a_session_speaks_the_language_that_it_is_told_and_another_follows_its_end(bindery, connected):
    page = connected(bindery.port)
    increments(page)
    page.evaluate("session.language('en')")
    is_evaluated(page, "session.viewModel('login').text", "Enter your ID and password.")
    old = page.evaluate("session.status().id")
    page.evaluate("session.end()")
    shows(page, "0")
    is_live(page)
    assert page.evaluate("session.status().id") != old and "ended" in page.evaluate("connections")
    assert increments(page)["text"] == "1"


def test_an_observer_that_throws_is_reported_and_stops_no_other(bindery, context, connected):
    page = connected(bindery.port)
    page.evaluate(
        """() => {
            self.told = { alpha: [], profile: 0 }
            session.on("counter.text", () => { throw new Error("observer") })
            session.on("counter.alpha", (alpha) => told.alpha.push(alpha))
            session.viewModel("profile").observe(() => told.profile++)
        }""")
    increments(page, 3)
    # Called for changes alone: each answer brings all outputs of the counter, and the stream brings them again.
    assert page.evaluate("told") == {"alpha": [0.5, 1], "profile": 1}
    eventually(lambda: len(context.faults) == 4, "four reports")
    assert all("observer" in fault for fault in context.faults)
    context.faults.clear()


def test_events_are_read_at_every_cut_and_with_every_end_of_line(bindery, connected):
    events = connected(bindery.port).evaluate(
        """async () => {
            const { parseEvents } = await import("/bindery.js")
            const all = new Set()
            for (const end of ["\\n", "\\r\\n", "\\r"]) {
                const text = "\\uFEFFretry: 5|event: delta|id: a.1|data: {\\"a\\":\\"ä😀\\u2028\\"}||:c||data: x|data: y||:|"
                const bytes = new TextEncoder().encode(text.replaceAll("|", end))
                for (const size of [1, 2, 3, 7, 1000]) {
                    const events = []
                    const parse = parseEvents(({ event, id, data }) => events.push([event, id, data]))
                    for (let at = 0; at < bytes.length; at += size) parse(bytes.subarray(at, at + size))
                    all.add(JSON.stringify(events))
                }
            }
            return [...all]
        }""")
    assert events == ['[["delta","a.1","{\\"a\\":\\"ä😀\u2028\\"}"],[null,null,"x\\ny"]]']


def test_an_older_answer_does_not_replace_a_newer_event(bindery, context, connected):
    page = connected(bindery.port, "{public: true}")
    is_live(page)
    held = []
    page.route("**/counter/increment", lambda route: held.append((route, route.fetch())))
    page.evaluate("self.late = session.viewModel('counter').increment(); null")
    eventually(lambda: page.evaluate("1") and held, "an answer")
    increment(bindery.port)
    shows(page, "2")
    held[0][0].fulfill(response=held[0][1])
    assert page.evaluate("late")["text"] == "1"
    assert page.evaluate("texts") == ["0", "1", "2"]


def test_a_page_that_has_an_answer_newer_than_its_cursor_connects_without_it(bindery, connected):
    page = connected(bindery.port)
    is_live(page)
    page.route("**/changes?*", lambda route: None)
    page.evaluate("dispatchEvent(new Event('online'))")
    increments(page)
    assert "since=" in page.evaluate("asked.findLast((path) => path.startsWith('/changes'))")
    page.evaluate("dispatchEvent(new Event('online'))")
    assert "since=" not in page.evaluate("asked.at(-1)")


@pytest.mark.parametrize(
    "status, kind, isRepeated",
    [(502, "", True), (503, "outcome-unknown", True), (504, "", True), (504, "action-timeout", False), (500, "", False), (429, "", False)])
def test_an_action_is_repeated_where_it_may_not_have_arrived(bindery, connected, status, kind, isRepeated):
    page = connected(bindery.port)
    keys = []

    def refuse(route):
        keys.append(route.request.headers["idempotency-key"])
        body = f'{{"type": "/problems/{kind}"}}' if kind else "<html>"
        route.fulfill(status=status, body=body) if len(keys) == 1 else route.continue_()

    page.route("**/counter/increment", refuse)
    outcome = page.evaluate("session.viewModel('counter').increment().then(({text}) => text, ({status}) => status)")
    assert outcome == ("1" if isRepeated else status)
    assert len(keys) == 1 + isRepeated and len(set(keys)) == 1


def test_an_action_whose_answer_is_lost_is_done_once(bindery, relay, connected):
    page = connected(relay.port)
    is_live(page)
    relay.losing = 2
    assert increments(page)["text"] == "1"
    assert relay.losing == 0
    page.evaluate("self.done = (async () => { for (let left = 30; left; left--) await session.viewModel('counter').increment() })(); null")
    for text in 8, 16, 24:
        eventually(lambda: int(page.evaluate("session.viewModel('counter').text")) >= text, text, 30)
        relay.cut()
    page.evaluate("done")
    shows(page, "31")


def test_an_action_that_nobody_answers_is_said_to_be_perhaps_done(bindery, context, connected):
    context.add_init_script("{ const real = Date.now, begin = real(); Date.now = () => begin + 10 * (real() - begin) }")
    page = connected(bindery.port)
    bindery.kill()
    said = page.evaluate("session.viewModel('counter').increment().catch(({message, status, cause}) => [message, status, cause.name])")
    assert said == ["No answer: it may be done", None, "TypeError"]


def test_a_stream_that_was_silent_for_35_seconds_is_opened_anew(bindery, relay, context, connected):
    context.add_init_script(CLOCK)
    page = connected(relay.port, "{public: true}")
    is_live(page)
    relay.fall_silent()
    increment(bindery.port)
    page.evaluate("self.jump = 36e3")
    shows(page, "1")
    is_live(page)


def test_a_proxy_that_holds_streams_back_is_polled_through(bindery, relay, context, connected):
    context.add_init_script(CLOCK)
    relay.holds_streams = True
    page = connected(relay.port, "{public: true}")
    for _ in range(2):
        before = page.evaluate("asked.length")
        page.evaluate("jump += 6e3")
        eventually(lambda: page.evaluate("asked.length") > before, "another attempt")
    is_live(page)
    increment(bindery.port)
    shows(page, "1", 3)
    # Another network may let the stream through.
    relay.holds_streams = False
    page.evaluate("asked.length = 0; dispatchEvent(new Event('online'))")
    is_live(page)
    increment(bindery.port)
    shows(page, "2", 3)
    assert len(page.evaluate("asked")) == 1


def test_a_hidden_tab_has_no_stream_and_its_cursor_brings_the_rest(bindery, context, connected):
    context.add_init_script(TAB)
    page, other = connected(bindery.port, "{public: true}"), connected(bindery.port, "{public: true}")
    is_live(page)
    page.evaluate("hide(true)")
    is_evaluated(page, "session.status().connection", "waiting")
    increment(bindery.port)
    shows(other, "1")
    assert page.evaluate("texts") == ["0"]
    page.evaluate("asked.length = 0; hide(false)")
    shows(page, "1")
    is_live(page)
    (feed,) = page.evaluate("asked")
    assert "since=" in feed
    # Browsers open six connections to a host: hidden tabs take none of them.
    for _ in range(5):
        connected(bindery.port, "{public: true}").evaluate("hide(true)")
    increments(connected(bindery.port, "{public: true}"))
    shows(other, "2")


def test_the_types_fit_the_script(tmp_path):
    generated = subprocess.run([os.environ["PROXIES_BINARY"], "client", "typescript"], check=True, capture_output=True, text=True).stdout
    (tmp_path / "any.d.ts").write_text((FILES / "bindery.d.ts").read_text())
    (tmp_path / "own.d.ts").write_text(generated)
    use = """
        import { connect } from "./MODULE"
        const session = await connect({ public: true })
        const counter = session.viewModel("counter")
        const end = counter.observe(({ text }) => text)
        session.on("connection", (state) => state == "waiting")
        const after = await counter.increment()
        const texts: string[] = [after.text, counter.text, counter.output("text"), session.status().cursor]
        await session.viewModel("login").validate({ id: "taro", password: null })
        await session.language("en")
        end()
        session.close()"""
    for module in "any", "own":
        (tmp_path / f"{module}-use.ts").write_text(use.replace("MODULE", module))
    (tmp_path / "wrong.ts").write_text(use.replace("MODULE", "own").replace("const texts: string[]", "const texts: number[]"))
    command = "tsc --noEmit --strict --target es2022 --module es2022 --moduleResolution node any-use.ts own-use.ts wrong.ts"
    said = subprocess.run(command.split(), cwd=tmp_path, capture_output=True, text=True).stdout
    assert {line.split("(")[0] for line in said.splitlines() if "error" in line} == {"wrong.ts"}, said
