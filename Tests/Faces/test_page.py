"""The page of a server, in a browser: what it shows is what the server has, and anybody can use it."""

import os
import pathlib
import re
import subprocess

import pytest
from axe_playwright_python.sync_playwright import Axe

from client import Client
from processes import Bindery, eventually
from shown import open_streams

SIZES = {"desktop": {"width": 1280, "height": 900}, "phone": {"width": 320, "height": 640}}


class Page:
    """The page of a server, as a visitor sees it."""

    def __init__(self, context, port):
        self.page = context.new_page()
        self.complaints = []
        # Reports of the Content-Security-Policy come here, too; of a request that is lost or refused the browser tells by itself.
        self.page.on(
            "console", lambda message: message.type in ("error", "warning")
            and "Failed to load resource" not in message.text and self.complaints.append(message.text))
        self.page.goto(f"http://127.0.0.1:{port}/")
        self.page.wait_for_selector("[data-connection=live]")

    def card(self, name):
        return self.page.get_by_role("region", name=name, exact=True)

    def shows(self, name, text, seconds=15):
        card = self.card(name)
        eventually(lambda: text in card.inner_text(), lambda: f"{text!r} in {card.inner_text()!r}", seconds)

    def count(self, name="counter"):
        return self.card(name).locator(".counter output").inner_text()

    def counts(self, text, seconds=15):
        eventually(lambda: self.count() == text, lambda: f"{self.count()} instead of {text}", seconds)

    def own(self):
        self.page.get_by_role("button", name="Begin a session of my own").click()
        self.page.get_by_text("own session, ends in").wait_for()
        self.page.wait_for_selector("[data-connection=live]")

    def lines(self):
        return self.page.locator("#lines li:visible summary").all_inner_texts()


@pytest.fixture
def show(context):
    """Opens pages, none of which may have complained at the end."""
    pages = []

    def opened(port):
        pages.append(Page(context, port))
        return pages[-1]

    yield opened
    for page in pages:
        assert not page.complaints


def get(port, path, accept=None):
    return Client(port).ask("GET", path, [("Host", "127.0.0.1"), *([("Accept", accept)] if accept else [])])


def act(bindery, path, body=None):
    assert Client(bindery.port).ask("POST", path, [("Host", "127.0.0.1")], body).status == 200


def test_the_counter_is_what_curl_sees_and_changes(bindery, show):
    page = show(bindery.port)
    card = page.card("counter")
    down = card.get_by_role("button", name="decrement")
    assert page.count() == "0" and down.is_disabled()
    assert down.evaluate("button => getComputedStyle(button).opacity") == "0.5"
    card.get_by_role("button", name="increment").click()
    page.counts("1")
    assert down.is_enabled() and down.evaluate("button => getComputedStyle(button).opacity") == "1"
    act(bindery, "/counter/increment")
    page.counts("2")
    # By keyboard alone.
    down.focus()
    page.page.keyboard.press("Enter")
    page.counts("1")
    assert get(bindery.port, "/counter").json()["text"] == "1"


def test_the_login_says_what_is_missing_in_its_colour(bindery, show):
    page = show(bindery.port)
    page.own()
    page.page.get_by_label("Language").select_option("en")
    page.shows("login", "Enter your ID and password.")
    card = page.card("login")
    card.get_by_label("ID").fill("taro")
    page.page.keyboard.press("Enter")
    page.shows("login", "Password is missing.")
    assert card.locator(".said").get_attribute("data-color") == "red"
    card.get_by_label("Password").fill("himitsu")
    card.get_by_role("button", name="Log in").click()
    page.shows("login", "OK!!!")
    assert card.locator(".said").get_attribute("data-color") == "green"
    # What somebody types stays theirs.
    assert card.get_by_label("ID").input_value() == "taro"


def test_greeting_profile_and_orientation_show_what_they_come_to(bindery, show):
    page = show(bindery.port)
    page.card("greeting").get_by_role("button").click()
    page.shows("greeting", "Hello, world!!")
    profile = page.card("profile")
    profile.get_by_label("paramA").fill("7")
    profile.get_by_label("paramB").fill("seven")
    profile.get_by_role("button", name="load").click()
    page.shows("profile", "The card sees seven")
    page.card("orientation").get_by_label("orientation").select_option("landscapeRight")
    page.card("orientation").get_by_role("button", name="Turn").click()
    page.card("orientation").get_by_label("The device lies on its side.").wait_for()


def test_two_windows_show_the_same_at_once(bindery, show):
    first, second = show(bindery.port), show(bindery.port)
    for text in "1", "2", "3":
        first.card("counter").get_by_role("button", name="increment").click()
        second.counts(text, 2)
    first.counts("3")


def test_seven_windows_have_one_stream_and_act(bindery, show):
    windows = [show(bindery.port) for _ in range(7)]
    windows[6].card("counter").get_by_role("button", name="increment").click()
    for window in windows:
        window.counts("1")
    assert open_streams(bindery) == 1
    assert any("told by another tab" in line for line in windows[3].lines())
    # The one that has the stream chooses another way, and leaves the stream to the others.
    windows[0].page.get_by_label("Transport").select_option("long-poll")
    act(bindery, "/counter/increment")
    for window in windows:
        window.counts("2")


def test_what_a_control_is_refused_is_said(bindery, show):
    page = show(bindery.port)
    refusal = {"status": 429, "content_type": "application/problem+json", "body": '{"detail": "Too many sessions."}'}
    page.page.route("**/sessions", lambda route: route.fulfill(**refusal))
    page.page.get_by_role("button", name="Begin a session of my own").click()
    page.page.locator("#band.refused").get_by_text("Too many sessions.").wait_for()
    assert page.page.locator("#whose").inner_text() == "public session, shared by all"
    page.page.unroute("**/sessions")
    page.own()
    assert page.page.locator("#band").is_hidden()
    page.page.route("**/session", lambda route: route.abort())
    page.page.get_by_role("button", name="End this session").click()
    page.page.locator("#band.refused").wait_for()


def test_the_language_is_the_one_that_another_window_chose(bindery, show):
    first, second = show(bindery.port), show(bindery.port)
    first.own()
    second.own()
    with first.page.expect_response(lambda answer: answer.request.method == "PATCH"):
        first.page.get_by_label("Language").select_option("ja")
    second.page.evaluate("dispatchEvent(new Event('focus'))")
    chosen = second.page.get_by_label("Language")
    eventually(lambda: chosen.input_value() == "ja", chosen.input_value)
    assert chosen.locator("option:checked").inner_text() == "日本語"


def test_latency_is_the_same_for_each_change(bindery, show):
    page = show(bindery.port)
    page.page.locator("#latency").evaluate("slider => { slider.value = 1000; slider.dispatchEvent(new Event('input')) }")
    # Far enough apart to come one by one.
    for _ in range(10):
        act(bindery, "/counter/increment")
        page.page.wait_for_timeout(100)
    page.counts("10", 4)


def test_the_wire_tells_requests_and_changes_and_hands_out_the_line_for_curl(bindery, show, context):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = show(bindery.port)
    page.card("counter").get_by_role("button", name="increment").click()
    eventually(lambda: any('#1 counter.text = "1"' in line for line in page.lines()), page.lines)
    asked = page.page.locator("#lines li", has_text="POST /counter/increment 200")
    asked.locator("summary").click()
    asked.get_by_role("button", name="Copy").click()
    line = page.page.evaluate("navigator.clipboard.readText()")
    assert line == f"curl -s -X POST 'http://127.0.0.1:{bindery.port}/counter/increment'"
    page.page.get_by_label("Show").select_option("login")
    eventually(lambda: page.lines() == [], page.lines)
    cursor = page.page.locator("#cursor").inner_text()
    assert re.fullmatch(r"[\w-]+\.1", cursor)
    page.page.get_by_label("Show").select_option("")
    page.page.get_by_label("From cursor").fill(cursor.split(".")[0] + ".9")
    page.page.get_by_role("button", name="Ask").click()
    eventually(lambda: any("snapshot (future)" in line for line in page.lines()), page.lines)


def test_without_a_clipboard_the_line_is_selected(bindery, show, context):
    context.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page = show(bindery.port)
    page.card("counter").get_by_role("button", name="increment").click()
    asked = page.page.locator("#lines li", has_text="POST /counter/increment 200")
    asked.locator("summary").click()
    asked.get_by_role("button", name="Copy").click()
    assert page.page.evaluate("getSelection().toString()").strip().startswith("curl -s -X POST")


def test_what_somebody_types_stays_while_much_changes(bindery, show):
    page = show(bindery.port)
    field = page.card("login").get_by_label("ID")
    field.focus()
    for letter in "taro yamada":
        page.page.keyboard.press(letter if letter != " " else "Space")
        for _ in range(5):
            act(bindery, "/counter/increment")
    page.counts("55")
    assert field.input_value() == "taro yamada" and field.evaluate("field => document.activeElement == field")


@pytest.mark.parametrize("transport", ["long-poll", "conditional GET", "stream"])
def test_each_transport_shows_what_others_do(bindery, show, transport):
    page = show(bindery.port)
    page.page.get_by_label("Transport").select_option(transport)
    for text in "1", "2":
        act(bindery, "/counter/increment")
        page.counts(text)
    assert page.page.locator("#connection").get_attribute("data-connection") == "live"


def test_what_is_lost_of_a_conditional_get_is_asked_for_again(bindery, show):
    page = show(bindery.port)
    page.page.get_by_label("Transport").select_option("conditional GET")
    act(bindery, "/counter/increment")
    page.counts("1")
    # The second of those that are asked one after the other.
    lost = []
    page.page.route("**/counter-stream", lambda route: (lost.append(1), route.abort()) if len(lost) < 2 else route.continue_())
    act(bindery, "/counter/increment")
    eventually(lambda: page.page.evaluate("1") and len(lost) == 2, "two are lost", 30)
    page.counts("2", 30)
    page.page.get_by_label("Transport").select_option("stream")
    act(bindery, "/counter/increment")
    page.counts("3")
    page.page.get_by_label("Transport").select_option("conditional GET")
    act(bindery, "/counter/decrement")
    page.counts("2")


def test_a_conditional_get_shows_all_view_models_after_a_restart(bindery, show):
    page = show(bindery.port)
    page.page.get_by_label("Transport").select_option("conditional GET")
    act(bindery, "/counter-stream/increment")
    # From each restart on they are changed in another history.
    for text in "1", "2":
        bindery.kill()
        bindery.start()
        act(bindery, "/counter/increment")
        page.counts(text, 30)
    assert page.page.locator("#connection").get_attribute("data-connection") == "live"


def test_a_conditional_get_shows_what_was_put_back(bindery, show):
    page = show(bindery.port)
    page.page.get_by_label("Transport").select_option("conditional GET")
    act(bindery, "/counter/increment")
    page.counts("1")
    store, copy = f"sqlite:{bindery.directory / 'bindery.db'}", bindery.directory / "copy.db"

    def command(name, path):
        subprocess.run([os.environ["PROXIES_BINARY"], name, path, "--store", store], check=True, capture_output=True)

    command("backup", copy)
    for text in "2", "3":
        act(bindery, "/counter/increment")
        page.counts(text)
    bindery.kill()
    command("restore", copy)
    bindery.start()
    page.counts("1", 30)


def test_a_server_that_is_not_there_at_first_is_waited_for_and_its_public_session_shown(bindery, context, show):
    asked = []
    context.route("**/session", lambda route: (asked.append(1), route.fulfill(status=503, body="")) if len(asked) < 2 else route.continue_())
    page = show(bindery.port)
    assert len(asked) >= 2
    assert page.page.locator("#whose").inner_text() == "public session, shared by all"
    act(bindery, "/counter/increment")
    page.counts("1")


def test_a_lost_connection_is_said_calmly_and_found_again(bindery, show):
    page = show(bindery.port)
    page.page.get_by_role("button", name="Lose the connection").click()
    page.page.get_by_text("Connection lost. Trying again.").first.wait_for()
    act(bindery, "/counter/increment")
    page.counts("1")
    assert page.page.locator("#band").is_hidden()
    assert page.page.locator("#status").inner_text() == "Connected."


def test_a_page_outlives_its_server(bindery, show):
    page = show(bindery.port)
    page.own()
    page.card("counter").get_by_role("button", name="increment").click()
    page.counts("1")
    bindery.kill()
    page.page.wait_for_selector("[data-connection=waiting]")
    bindery.start()
    page.card("counter").get_by_role("button", name="increment").click()
    page.counts("2")
    # And its drain, by which it is told when to come again.
    bindery.terminate()
    bindery.wait()
    bindery.start()
    page.card("counter").get_by_role("button", name="increment").click()
    page.counts("3")


@pytest.mark.usefixtures("whole_chromium")
def test_a_page_that_is_gone_back_to_was_not_connected_meanwhile(bindery, show):
    page = show(bindery.port)
    page.page.evaluate("addEventListener('pageshow', ({ persisted }) => (self.isRestored = persisted))")
    eventually(lambda: open_streams(bindery) == 1, "one stream")
    page.page.goto(f"http://127.0.0.1:{bindery.port}/bindery/icon.svg")
    eventually(lambda: open_streams(bindery) == 0, "no stream")
    act(bindery, "/counter/increment")
    # Not by go_back(), which waits for the page to load: it is there still.
    page.page.evaluate("setTimeout(() => history.back()); null")
    page.page.wait_for_url("**/", wait_until="commit")
    assert page.page.evaluate("isRestored")
    page.counts("1")
    page.card("counter").get_by_role("button", name="increment").click()
    page.counts("2")
    assert get(bindery.port, "/counter").json()["text"] == "2"
    eventually(lambda: open_streams(bindery) == 1, "one stream")


def test_a_session_that_is_ended_is_said_and_another_begins(bindery, show):
    page = show(bindery.port)
    page.own()
    page.card("counter").get_by_role("button", name="increment").click()
    page.counts("1")
    page.page.get_by_role("button", name="End this session").click()
    page.counts("0")
    page.page.wait_for_selector("[data-connection=live]")
    page.page.get_by_role("button", name="Back to the public session").click()
    page.page.get_by_text("public session, shared by all").wait_for()


def test_a_server_without_a_public_session_has_a_page_with_ones_own(tmp_path, show):
    server = Bindery(tmp_path / "bindery", "--public-session", "off")
    try:
        server.start()
        page = show(server.port)
        page.card("counter").get_by_role("button", name="increment").click()
        page.counts("1")
    finally:
        server.kill()


def test_any_hosts_view_models_have_a_panel_by_their_description(tmp_path, show, monkeypatch):
    monkeypatch.setenv("PROXIES_BINARY", str(pathlib.Path(os.environ["PROXIES_BINARY"]).parent / "Tickets"))
    server = Bindery(tmp_path / "tickets")
    try:
        server.start()
        page = show(server.port)
        names = [viewModel["name"] for viewModel in get(server.port, "/").json()["viewModels"]]
        state = get(server.port, "/session").json()["viewModels"]
        for name in names:
            for output in state[name]:
                page.shows(name, output)
        assert page.page.get_by_role("heading", level=1).inner_text() == get(server.port, "/").json()["name"]
    finally:
        server.kill()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_anybody_can_use_it(chromium, bindery, scheme, size):
    context = chromium.new_context(color_scheme=scheme, viewport=SIZES[size], reduced_motion="reduce")
    try:
        page = Page(context, bindery.port)
        page.own()
        page.page.get_by_label("Language").select_option("en")
        page.card("counter").get_by_role("button", name="increment").click()
        page.counts("1")
        page.card("login").get_by_role("button", name="Log in").click()
        page.shows("login", "ID and password are missing.")
        page.page.locator("#lines li", has_text="counter.text").locator("summary").click()
        found = Axe().run(page.page)
        assert found.violations_count == 0, found.generate_report()
        wide = page.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide == 0, f"{wide} px wider than the window"
        assert not page.complaints
        # As for the README: FACES_PICTURES=/tmp Tests/Faces/run BINARY -k desktop-light, of which docs/page.png is one
        if directory := os.environ.get("FACES_PICTURES"):
            page.page.evaluate("scrollTo(0, 0)")
            page.page.screenshot(path=f"{directory}/page-{scheme}-{size}.png", full_page=size == "phone")
    finally:
        context.close()


def test_who_asks_for_html_first_has_the_page_and_all_others_json(bindery):
    browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
    page = get(bindery.port, "/", browser)
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "unsafe" not in page.headers["Content-Security-Policy"]
    for accept in None, "*/*", "application/json", "application/json, text/html", "text/html;q=0.5, application/json":
        assert get(bindery.port, "/", accept).headers["Content-Type"] == "application/json", accept
    for answer in page, get(bindery.port, "/"):
        assert answer.headers["Vary"] == "Accept"
