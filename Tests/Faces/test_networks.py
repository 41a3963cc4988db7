"""What stands between a page and its server, and the server itself, may do what they like: actions are done once, and what is
shown is what the server has."""

import pathlib
import shutil
import subprocess

import pytest

from client import Client
from processes import PROXIES, eventually
from shown import TEXT, increments, is_live, open_streams, public_text, shows


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
    # The server's marks are new: all is asked for once.
    assert page.evaluate("asked.filter((path) => path.includes('/changes') && !path.includes('since')).length") <= 1


def test_a_change_of_another_history_is_no_lost_line(bindery, open_page):
    pages = [open_page(bindery.port, "{public: true}") for _ in range(2)]
    for page in pages:
        is_live(page)
    Client(bindery.port).ask("POST", "/counter/increment")
    bindery.kill()
    bindery.start()
    eventually(lambda: open_streams(bindery) == 1, "one stream")
    for page in pages:
        is_live(page)
        page.evaluate("connections.length = 0")
    # The first commit since the start begins another history.
    Client(bindery.port).ask("POST", "/counter/increment")
    for page in pages:
        shows(page, "2")
        is_live(page)
    eventually(lambda: open_streams(bindery) == 1, "one stream")
    Client(bindery.port).ask("POST", "/counter/increment")
    for page in pages:
        shows(page, "3")
        assert page.evaluate("connections") == []


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


def test_a_stream_is_read_whatever_pieces_it_comes_in(bindery, relay, open_page):
    relay.piece = 1
    page = open_page(relay.port)
    increments(page, 5)
    shows(page, "5")
    is_live(page)


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


@pytest.mark.parametrize("event", ["pageshow", "resume", "online"])
def test_a_line_that_hangs_is_given_up_when_the_page_wakes(bindery, relay, open_page, event):
    page = open_page(relay.port, "{public: true, tabs: false}")
    is_live(page)
    relay.silent = relay.accepted
    Client(bindery.port).ask("POST", "/counter/increment")
    page.evaluate(f"dispatchEvent(new Event('{event}'))")
    shows(page, "1")


# A clock that jumps as that of a machine does that slept.
CLOCK = "self.jump = 0; const real = Date.now; Date.now = () => real() + jump"


def test_a_stream_that_was_silent_for_35_seconds_is_opened_anew(bindery, relay, context, open_page):
    context.add_init_script(CLOCK)
    page = open_page(relay.port, "{public: true}")
    is_live(page)
    relay.silent = relay.accepted
    Client(bindery.port).ask("POST", "/counter/increment")
    page.evaluate("self.jump = 36e3")
    shows(page, "1")
    is_live(page)


def test_what_is_no_answer_of_a_bindery_is_not_asked_for_without_a_pause(bindery, relay, open_page):
    relay.page = "application/json", b'{"login":"/"}'
    page = open_page(relay.port, "{public: true}")
    is_live(page)
    relay.is_captive = True
    relay.cut()
    before = relay.accepted
    page.wait_for_timeout(5000)
    assert 2 < relay.accepted - before < 12
    relay.is_captive = False
    is_live(page)
    increments(page)
    shows(page, "1")


def test_a_network_that_wants_a_login_first_does_nothing_and_shows_nothing(bindery, relay, open_page):
    page = open_page(relay.port, "{public: true}")
    is_live(page)
    relay.is_captive = True
    relay.cut()
    eventually(lambda: page.evaluate("session.status().connection") == "waiting", "waiting")
    page.evaluate("self.late = session.viewModel('counter').increment(); null")
    before = relay.accepted
    eventually(lambda: relay.accepted > before + 2, "asked again")
    assert page.evaluate(TEXT) == "0"
    relay.is_captive = False
    assert page.evaluate("late")["text"] == "1"
    shows(page, "1")
    is_live(page)
    assert public_text(bindery) == "1"


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


def test_a_browser_that_was_offline_for_a_minute_shows_what_happened_meanwhile(bindery, context, open_page):
    context.add_init_script(CLOCK)
    page = open_page(bindery.port, "{public: true}")
    is_live(page)
    context.set_offline(True)
    Client(bindery.port).ask("POST", "/counter/increment")
    # The stream that is open stays, as Chromium has it: what still comes on it counts from the time that it is then.
    eventually(lambda: page.evaluate("(self.jump += 60e3, session.status().connection)") == "offline", "offline")
    page.evaluate("self.late = session.viewModel('counter').increment(); null")
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


def test_an_older_build_that_lacks_an_output_has_answered(bindery, open_page):
    page = open_page(bindery.port)
    is_live(page)
    posts = []

    def without(route):
        answer = route.fetch()
        posts.append(route.request.url)
        route.fulfill(response=answer, json={"text": answer.json()["text"]})

    page.route("**/counter/increment", without)
    assert increments(page)["text"] == "1" and len(posts) == 1


def test_a_view_model_that_the_session_did_not_have_has_answered(bindery, context, open_page):
    def without(route):
        answer = route.fetch()
        session = answer.json()
        session.get("viewModels", {}).pop("counter", None)
        route.fulfill(response=answer, json=session)

    context.route("**/session", without)
    page = open_page(bindery.port, "{public: true}")
    posts = []
    page.on("request", lambda request: posts.append(request.url) if request.method == "POST" else None)
    assert increments(page)["text"] == "1" and len(posts) == 1


@pytest.mark.parametrize("body", ["{}", '{"login":"/"}', '"ok"', "[]", "1"])
def test_json_that_a_network_answers_by_itself_is_no_outcome_of_an_action(bindery, open_page, body):
    page = open_page(bindery.port)
    is_live(page)
    answers = iter([lambda route: route.fulfill(body=body, content_type="application/json")])
    page.route("**/counter/increment", lambda route: next(answers, lambda route: route.continue_())(route))
    assert increments(page)["text"] == "1"
    shows(page, "1")


def test_a_poll_that_follows_a_loss_waits_at_once(bindery, relay, open_page):
    relay.holds_streams = True
    page = open_page(relay.port, "{public: true, tabs: false}")
    eventually(lambda: page.evaluate("session.status().connection") == "live", "live", 30)
    page.evaluate("self.setTimeout = ((real) => (body, ms) => (asked.push(`pause of ${ms}`), real(body, ms)))(self.setTimeout)")
    relay.is_refusing = True
    relay.cut()
    eventually(lambda: page.evaluate("asked.filter((what) => what.startsWith('pause')).length") > 2, "some attempts", 20)
    relay.is_refusing = False
    eventually(lambda: "wait=25" in page.evaluate("asked.at(-1)"), "a poll that waits", 20)
    assert "wait=0" in page.evaluate("asked.at(-2)"), page.evaluate("asked")


def test_an_action_that_nobody_answers_is_said_to_be_perhaps_done(bindery, context, open_page):
    # Ten seconds pass in one.
    context.add_init_script("const real = Date.now; const begin = real(); Date.now = () => begin + 10 * (real() - begin)")
    page = open_page(bindery.port)
    is_live(page)
    bindery.kill()
    said = page.evaluate(
        "session.viewModel('counter').increment().catch(({ message, status, cause }) => [message, status, cause.name])")
    assert said == ["No answer: it may be done", None, "TypeError"]


def test_a_cursor_that_is_refused_is_given_up(bindery, context, open_page):
    def refuse(route):
        route.fulfill(status=400, body="{}") if "since" in route.request.url else route.continue_()

    context.route("**/changes?*", refuse)
    page = open_page(bindery.port, "{public: true}")
    is_live(page)
    Client(bindery.port).ask("POST", "/counter/increment")
    shows(page, "1")
