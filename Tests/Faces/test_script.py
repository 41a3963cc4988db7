"""`bindery.js` in pages of its server: what is shown is what the server has, and what was asked for happened once."""

from client import Client
from processes import eventually
from shown import TEXT, increments, is_live, public_text, shows


def test_a_page_begins_a_session_and_shows_what_it_does(bindery, open_page):
    page = open_page(bindery.port)
    assert increments(page, 3)["text"] == "3"
    shows(page, "3")
    is_live(page)
    assert page.evaluate("texts") == ["0", "1", "2", "3"]
    # The public session is another's.
    assert public_text(bindery) == "0"


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
    assert refused == "No answer"


def test_what_an_action_did_after_a_restart_is_shown_before_the_line_is_there_again(bindery, open_page):
    page = open_page(bindery.port)
    is_live(page)
    increments(page)
    page.route("**/changes?*", lambda route: None)
    bindery.kill()
    bindery.start()
    assert increments(page)["text"] == "2"
    assert page.evaluate(TEXT) == "2"


def test_an_action_was_done_also_where_the_session_cannot_be_asked_for_after_it(bindery, open_page):
    page = open_page(bindery.port)
    is_live(page)
    page.route("**/changes?*", lambda route: None)
    page.route("**/session", lambda route: route.fulfill(status=429, body=""))
    bindery.kill()
    bindery.start()
    assert increments(page)["text"] == "1"
    page.unroute("**/session")
    page.unroute("**/changes?*")
    shows(page, "1", 30)


def test_an_observer_is_called_for_what_has_changed_alone(bindery, open_page):
    page = open_page(bindery.port)
    is_live(page)
    page.evaluate(
        """() => {
            self.told = { alpha: [], zero: [], own: 0, late: 0, profile: 0 }
            session.on("counter.alpha", (alpha) => told.alpha.push(alpha))
            session.on("profile.paramA", (number) => told.zero.push(number))
            session.viewModel("counter").observe(() => told.own++)
            session.viewModel("profile").observe(() => told.profile++)
            session.on("counter.text", () => told.late++)()
        }""")
    # Each answer brings all outputs of the counter, and the line brings them once more.
    increments(page, 3)
    # As does the snapshot that follows a start of the server, in the order in which they have changed.
    bindery.kill()
    bindery.start()
    eventually(lambda: page.evaluate("connections.at(-1)") == "live" and page.evaluate("connections.length") > 2, "the line")
    increments(page)
    shows(page, "4")
    assert page.evaluate("texts") == ["0", "1", "2", "3", "4"]
    told = page.evaluate("told")
    assert told["alpha"] == [0.5, 1] and told["zero"] == [0] and told["own"] == 5 and (told["profile"], told["late"]) == (1, 1), told


def test_a_change_costs_the_observers_of_another_view_model_nothing(bindery, open_page):
    page = open_page(bindery.port)
    is_live(page)
    page.evaluate(
        """() => {
            for (let left = 20; left; left--) session.viewModel("profile").observe(() => {})
            const [real, profile] = [JSON.stringify, session.viewModel("profile").toJSON()]
            self.compared = 0
            JSON.stringify = (value, ...rest) => (compared += value === profile, real(value, ...rest))
        }""")
    increments(page, 3)
    shows(page, "3")
    eventually(lambda: page.evaluate("session.status().cursor").endswith(".3"), "the line has told all")
    assert page.evaluate("compared") == 0


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
    eventually(lambda: page.evaluate("Boolean(self.release)"), "it is answered")
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
