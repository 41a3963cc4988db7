"""`bindery.js` in pages of its server: what is shown is what the server has, and what was asked for happened once."""

import pathlib
import shutil
import subprocess

import pytest

from client import Client
from processes import PROXIES, eventually

TEXT = "session.viewModel('counter').text"


def increments(page, count=1):
    """Acts, and returns what the last action resolved to."""
    return page.evaluate(
        """async (count) => {
            let last
            for (let left = count; left; left--) last = await session.viewModel("counter").increment()
            return last
        }""",
        count)


def shows(page, text, seconds=15):
    eventually(lambda: page.evaluate(TEXT) == text, lambda: f"{page.evaluate(TEXT)} instead of {text}", seconds)


def is_live(page):
    eventually(lambda: page.evaluate("session.status().connection") == "live", "live")


def public_text(bindery):
    return Client(bindery.port).ask("GET", "/counter").json()["text"]


def test_a_page_begins_a_session_and_shows_what_it_does(bindery, open_page):
    page = open_page(bindery.port)
    assert increments(page, 3)["text"] == "3"
    shows(page, "3")
    is_live(page)
    assert page.evaluate("texts") == ["0", "1", "2", "3"]
    # The public session is another's.
    assert public_text(bindery) == "0"


def test_pages_of_one_browser_show_the_same(bindery, open_page):
    first, second = open_page(bindery.port), open_page(bindery.port)
    increments(first)
    shows(second, "1")
    increments(second)
    shows(first, "2")


def test_the_public_session_is_what_curl_sees(bindery, open_page):
    page = open_page(bindery.port, "{public: true}")
    is_live(page)
    Client(bindery.port).ask("POST", "/counter/increment")
    shows(page, "1")
    increments(page)
    assert public_text(bindery) == "2"


def test_an_action_that_is_refused_rejects_with_the_problem(bindery, open_page):
    page = open_page(bindery.port)
    problem = page.evaluate(
        "session.viewModel('counter').decrement().catch(({status, type, detail, state}) => ({status, type, detail, state}))")
    assert problem["status"] == 409 and problem["type"] == "/problems/action-disabled" and problem["detail"]
    assert problem["state"]["text"] == "0"


def test_a_killed_server_that_comes_back_is_shown_again(bindery, open_page):
    page = open_page(bindery.port)
    increments(page)
    bindery.kill()
    eventually(lambda: page.evaluate("session.status().connection") == "waiting", "waiting")
    # Asked while nobody is there, and done once somebody is.
    page.evaluate("self.late = session.viewModel('counter').increment(); null")
    bindery.start()
    assert page.evaluate("late")["text"] == "2"
    shows(page, "2")
    is_live(page)
    assert page.evaluate("texts") == ["0", "1", "2"]


def test_a_cut_line_loses_no_action_and_doubles_none(bindery, relay, open_page):
    page = open_page(relay.port)
    page.evaluate(
        """self.done = (async () => {
            for (let left = 60; left; left--) await session.viewModel("counter").increment()
            return session.viewModel("counter").text
        })(); null""")
    for text in "10", "25", "40":
        eventually(lambda: int(page.evaluate(TEXT)) >= int(text), text, 30)
        relay.cut()
    assert page.evaluate("done") == "60"
    shows(page, "60")


def test_an_action_whose_answer_is_lost_is_done_once(bindery, relay, open_page):
    page = open_page(relay.port)
    is_live(page)
    relay.losing = 2
    assert increments(page)["text"] == "1"
    assert relay.losing == 0
    assert increments(page)["text"] == "2"
    shows(page, "2")


def test_a_session_that_ended_is_begun_anew_and_said_so(bindery, open_page):
    page = open_page(bindery.port)
    increments(page, 2)
    is_live(page)
    old = page.evaluate("session.status().id")
    page.evaluate("fetch('/session', {method: 'DELETE'}).then(() => null)")
    eventually(lambda: page.evaluate("session.status().id") not in (old, 0, None), "another session")
    shows(page, "0")
    is_live(page)
    assert "ended" in page.evaluate("connections")
    increments(page)
    shows(page, "1")
    assert public_text(bindery) == "0"


def test_a_stream_is_read_whatever_pieces_it_comes_in(bindery, relay, open_page):
    relay.piece = 1
    page = open_page(relay.port)
    increments(page, 5)
    shows(page, "5")
    is_live(page)


def test_ten_tabs_have_one_stream(bindery, open_page):
    pages = [open_page(bindery.port) for _ in range(10)]
    for page in pages:
        is_live(page)
    increments(pages[7])
    for page in pages:
        shows(page, "1")
    assert open_streams(bindery) == 1
    # Whoever leads goes, and another is there at once.
    pages.pop(0).close()
    increments(pages[3])
    for page in pages:
        shows(page, "2", 2)
    eventually(lambda: open_streams(bindery) == 1, "one stream")


def open_streams(bindery):
    """How many are open in all sessions, as operators are told."""
    sessions = Client(bindery.admin).ask("GET", "/sessions", [("Host", "127.0.0.1")]).json()["sessions"]
    return sum(session["streams"] for session in sessions)


def stream_through(page, body):
    """What the parser of events makes of bytes that `body`, a script, cuts up."""
    return page.evaluate(
        """async (body) => {
            const { parseEvents } = await import("/bindery.js")
            const events = []
            const parse = parseEvents((event) => events.push(event))
            for (const bytes of new Function("encode", body)((text) => new TextEncoder().encode(text))) parse(bytes)
            return events
        }""",
        body)


def test_events_are_read_at_every_cut_and_with_every_end_of_line(bindery, open_page):
    page = open_page(bindery.port)
    for end in "\\n", "\\r\\n", "\\r":
        text = "\\uFEFFretry: 5\\nevent: delta\\nid: a.1\\ndata: {\\\"a\\\":\\\"ä😀\\u2028\\\"}\\n\\n:c\\n\\ndata: x\\ndata: y\\n\\n:\\n".replace(
            "\\n", end)
        for size in 1, 2, 3, 7, 1000:
            events = stream_through(
                page,
                f"""const bytes = encode("{text}")
                return Array.from({{ length: Math.ceil(bytes.length / {size}) }}, (_, i) => bytes.subarray(i * {size}, (i + 1) * {size}))""")
            found = [(event.get("event"), event.get("id"), event["data"]) for event in events]
            assert found == [("delta", "a.1", '{"a":"ä😀\u2028"}'), (None, None, "x\ny")], (end, size, events)


def test_an_event_of_ten_mebibytes_is_read_and_one_without_end_is_not(bindery, open_page):
    page = open_page(bindery.port)
    length = page.evaluate(
        """async () => {
            const { parseEvents } = await import("/bindery.js")
            let length
            const parse = parseEvents(({ data }) => (length = data.length))
            const piece = new TextEncoder().encode("x".repeat(16384))
            parse(new TextEncoder().encode("data: "))
            for (let left = 640; left; left--) parse(piece)
            parse(new TextEncoder().encode("\\n\\n"))
            return length
        }""")
    assert length == 640 * 16384
    refused = page.evaluate(
        """async () => {
            const { parseEvents } = await import("/bindery.js")
            const parse = parseEvents(() => {})
            const piece = new TextEncoder().encode("x".repeat(2 ** 20))
            try { for (let left = 64; left; left--) parse(piece) } catch (error) { return error.message }
        }""")
    assert refused == "Too large"


def test_an_observer_that_throws_stops_nobody_else(bindery, context, open_page):
    page = open_page(bindery.port)
    page.evaluate(
        """() => {
            self.afterwards = []
            let first = true
            session.on("counter.text", (text) => { if (!first) throw new Error("observer"); first = false })
            session.on("counter.text", (text) => afterwards.push(text))
        }""")
    increments(page)
    assert page.evaluate("afterwards") == ["0", "1"]
    eventually(lambda: context.faults, "the error is told")
    assert "observer" in context.faults.pop()


def test_a_server_that_accepts_and_closes_is_asked_six_times_in_ten_seconds(bindery, relay, open_page):
    page = open_page(relay.port, "{tabs: false}")
    is_live(page)
    relay.is_refusing = True
    before = relay.accepted
    relay.cut()
    page.wait_for_timeout(10_000)
    # Chromium itself may try a connection that was closed unused once more.
    assert relay.accepted - before <= 2 * 6
    relay.is_refusing = False
    increments(page)
    is_live(page)


def test_what_belongs_to_a_session_of_before_changes_nothing(bindery, open_page):
    page = open_page(bindery.port)
    is_live(page)
    # Answered late, when the page has another session: by 401, and with the state of the old one.
    begun = page.evaluate(
        """async () => {
            const real = self.fetch
            let held
            self.fetch = async (path, options) => {
                const answer = await real(path, options)
                if (String(path).includes("/counter/increment") && !held) await (held = new Promise((done) => (self.release = done)))
                return answer
            }
            self.late = session.viewModel("counter").increment().then(() => "done", ({ status }) => status)
            return session.status().id
        }""")
    page.evaluate("fetch('/session', {method: 'DELETE'}).then(() => null)")
    eventually(lambda: page.evaluate("session.status().id") not in (begun, 0, None), "another session")
    is_live(page)
    now = page.evaluate("session.status().id")
    page.evaluate("release()")
    assert page.evaluate("late") == "done"
    assert page.evaluate(TEXT) == "0"
    assert page.evaluate("session.status().id") == now
    increments(page)
    shows(page, "1")
    assert public_text(bindery) == "0"


def test_a_hundred_reconnects_leave_nothing_behind(bindery, relay, open_page):
    page = open_page(relay.port, "{tabs: false}")
    increments(page)
    cdp = page.context.new_cdp_session(page)

    def listeners():
        cdp.send("HeapProfiler.collectGarbage")
        return {metric["name"]: metric["value"] for metric in cdp.send("Performance.getMetrics")["metrics"]}

    cdp.send("Performance.enable")
    renew = "(count) => { for (let left = count; left; left--) dispatchEvent(new Event('online')) }"
    page.evaluate(renew, 20)
    is_live(page)
    before = listeners()
    page.evaluate(renew, 100)
    is_live(page)
    increments(page)
    shows(page, "2")
    after = listeners()
    assert after["JSEventListeners"] <= before["JSEventListeners"] + 2
    assert after["JSHeapUsedSize"] < before["JSHeapUsedSize"] + 500_000


def test_a_proxy_that_holds_streams_back_is_polled_through(bindery, relay, open_page):
    relay.holds_streams = True
    page = open_page(relay.port, "{public: true, tabs: false}")
    # Two streams of 5 s without an event, and the pause between them.
    eventually(lambda: page.evaluate("session.status().connection") == "live", "live", 30)
    Client(bindery.port).ask("POST", "/counter/increment")
    shows(page, "1", 3)
    # And tries the stream again when the network is another.
    relay.holds_streams = False
    page.evaluate("dispatchEvent(new Event('online'))")
    eventually(lambda: open_streams(bindery) == 1, "one stream")


def test_a_line_that_hangs_is_given_up(bindery, relay, open_page):
    page = open_page(relay.port, "{public: true, tabs: false}")
    is_live(page)
    relay.may_pass.clear()
    Client(bindery.port).ask("POST", "/counter/increment")
    # What it has hangs for ever, and the next one does not.
    hanging, relay.connections = relay.connections, []
    page.evaluate("dispatchEvent(new Event('pageshow'))")
    relay.may_pass.set()
    shows(page, "1")
    relay.connections += hanging


def test_a_store_that_was_put_back_is_shown_as_it_is(bindery, tmp_path, open_page):
    page = open_page(bindery.port, "{public: true}")
    increments(page, 2)
    bindery.terminate()
    bindery.wait()
    shutil.copy(bindery.directory / "bindery.db", tmp_path / "before.db")
    bindery.start()
    increments(page, 3)
    shows(page, "5")
    bindery.terminate()
    bindery.wait()
    for path in bindery.directory.glob("bindery.db*"):
        path.unlink()
    shutil.copy(tmp_path / "before.db", bindery.directory / "bindery.db")
    bindery.start()
    shows(page, "2", 30)
    assert public_text(bindery) == "2"
    increments(page)
    shows(page, "3")


def test_a_browser_that_was_offline_shows_what_happened_meanwhile(bindery, context, open_page):
    page = open_page(bindery.port, "{public: true}")
    is_live(page)
    context.set_offline(True)
    Client(bindery.port).ask("POST", "/counter/increment")
    page.evaluate("self.late = session.viewModel('counter').increment(); null")
    page.wait_for_timeout(3000)
    assert page.evaluate(TEXT) in ("0", "1")
    context.set_offline(False)
    assert page.evaluate("late")["text"] == "2"
    shows(page, "2", 5)
    is_live(page)


def test_a_page_behind_nginx_is_told_at_once(tmp_path, bindery, open_page):
    certificate = tmp_path / "pem"
    command = "openssl req -x509 -nodes -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -days 2 -subj /CN=bindery.test"
    subprocess.run([*command.split(), "-keyout", certificate, "-out", f"{certificate}.crt"], check=True, capture_output=True)
    certificate.write_text(certificate.read_text() + pathlib.Path(f"{certificate}.crt").read_text())
    proxy = PROXIES["nginx"](tmp_path / "nginx", bindery.port, str(certificate))
    try:
        proxy.start()
        page = open_page(proxy.http)
        increments(page, 3)
        shows(page, "3", 3)
        is_live(page)
        proxy.kill()
        proxy.start()
        increments(page)
        shows(page, "4")
    finally:
        proxy.kill()


def test_a_hidden_leader_leaves_the_line_to_a_tab_that_can_be_seen(bindery, open_page):
    leader, other = open_page(bindery.port), open_page(bindery.port)
    is_live(leader)
    is_live(other)
    # As a browser does that hides a tab and freezes it: it keeps its lock, and says nothing any more.
    leader.evaluate("Object.defineProperty(document, 'hidden', { get: () => true })")
    asks = "asked.some((path) => path.includes('/changes?wait=25'))"
    assert not other.evaluate(asks)
    eventually(lambda: other.evaluate(asks), "the other tab leads", 8)
    eventually(lambda: open_streams(bindery) == 1, "one stream")
    increments(leader)
    shows(other, "1")
    shows(leader, "1")


def test_followers_say_that_the_line_is_lost(bindery, open_page):
    pages = [open_page(bindery.port, "{public: true}") for _ in range(3)]
    for page in pages:
        is_live(page)
    bindery.kill()
    for page in pages:
        eventually(lambda: page.evaluate("session.status().connection") == "waiting", "waiting", 5)
    bindery.start()
    for page in pages:
        is_live(page)
    eventually(lambda: open_streams(bindery) == 1, "one stream")


def test_a_tab_that_gets_no_answer_keeps_no_other_from_connecting(bindery, context, open_page):
    # The deadline of 20 s is one of 2 s.
    context.add_init_script("const real = AbortSignal.timeout.bind(AbortSignal); AbortSignal.timeout = (ms) => real(ms / 10)")
    hanging = context.new_page()
    hanging.route("**/session", lambda route: None)
    hanging.goto(f"http://127.0.0.1:{bindery.port}/livez")
    hanging.evaluate("import('/bindery.js').then(({ connect }) => connect()).catch((failure) => (self.failure = failure)); null")
    eventually(lambda: hanging.evaluate("navigator.locks.query().then(({ held }) => held.length)"), "the lock is held")
    page = open_page(bindery.port)
    assert increments(page)["text"] == "1"
    assert "Timeout" in hanging.evaluate("failure.name")


@pytest.mark.parametrize("tag", [None, 'W/"{}"', '"{}-gzip"'])
def test_an_answer_whose_tag_a_proxy_has_changed_is_an_answer(bindery, open_page, tag):
    page = open_page(bindery.port)
    posts = []

    def changed(route):
        answer = route.fetch()
        posts.append(route.request.url)
        headers = {name: value for name, value in answer.headers.items() if name != "etag"}
        if tag:
            headers["etag"] = tag.format(answer.headers["etag"].strip('"'))
        route.fulfill(response=answer, headers=headers)

    page.route("**/counter/increment", changed)
    assert increments(page)["text"] == "1"
    assert len(posts) == 1
    shows(page, "1")
    assert increments(page)["text"] == "2"
    shows(page, "2")


def test_an_action_that_nobody_answers_is_said_to_be_perhaps_done(bindery, context, open_page):
    # Ten seconds pass in one.
    context.add_init_script("const real = Date.now; const begin = real(); Date.now = () => begin + 10 * (real() - begin)")
    page = open_page(bindery.port)
    is_live(page)
    bindery.kill()
    said = page.evaluate(
        "session.viewModel('counter').increment().catch(({ message, status, cause }) => [message, status, cause.name])")
    assert said == ["No answer: it may be done", None, "TypeError"]


def test_a_callback_that_throws_at_once_is_registered_all_the_same(bindery, context, open_page):
    page = open_page(bindery.port)
    page.evaluate(
        """() => {
            self.seen = 0
            self.end = session.on("counter.text", () => { seen++; throw new Error("at once") })
        }""")
    increments(page)
    assert page.evaluate("typeof end") == "function" and page.evaluate("seen") == 2
    eventually(lambda: len(context.faults) == 2, "both are told")
    assert "at once" in context.faults.pop() + context.faults.pop()


def test_a_view_model_as_json_is_what_it_shows_and_no_action(bindery, open_page):
    page = open_page(bindery.port)
    assert page.evaluate("JSON.parse(JSON.stringify(session.viewModel('counter')))")["text"] == "0"
    assert not page.evaluate("asked.some((path) => path.includes('toJSON'))")


def test_without_locks_a_hidden_tab_has_no_line_and_says_so(bindery, context, open_page):
    # As over http at a name of a network.
    context.add_init_script(
        """Object.defineProperty(navigator, "locks", { value: undefined })
        self.isHidden = false
        Object.defineProperty(document, "hidden", { get: () => isHidden })
        self.hide = (is) => { isHidden = is; document.dispatchEvent(new Event("visibilitychange", { bubbles: true })) }""")
    first, second = open_page(bindery.port), open_page(bindery.port)
    is_live(first)
    is_live(second)
    eventually(lambda: open_streams(bindery) == 2, "two streams")
    second.evaluate("hide(true)")
    eventually(lambda: open_streams(bindery) == 1, "one stream")
    eventually(lambda: second.evaluate("session.status().connection") == "waiting", "waiting")
    increments(first)
    second.evaluate("hide(false)")
    shows(second, "1", 3)
    is_live(second)
