"""The page of a server, in a browser: it shows what the server has, and everybody can use it."""

import json
import os

import pytest
from axe_playwright_python.sync_playwright import Axe

from pages import CLOCK, Page, ask, increment, public_text
from processes import Bindery, eventually

SIZES = {"desktop": {"width": 1280, "height": 1024}, "phone": {"width": 320, "height": 640}}


def test_every_card_does_by_mouse_what_its_view_model_does(bindery, show):
    page = show(bindery.port)
    page.own()
    page.page.get_by_label("Language").select_option("en")
    for name in "counter", "counter-stream":
        card = page.card(name)
        down = card.get_by_role("button", name="decrement")
        assert down.is_disabled() and down.evaluate("button => getComputedStyle(button).opacity") == "0.5"
        card.get_by_role("button", name="increment").click()
        page.shows(name, "1")
        assert down.evaluate("button => getComputedStyle(button).opacity") == "1"
        down.click()
        page.shows(name, "0")
    login = page.card("login")
    login.get_by_label("ID").fill("taro")
    login.get_by_role("button", name="Log in").click()
    page.shows("login", "Password is missing.")
    assert login.locator(".said").get_attribute("data-color") == "red"
    login.get_by_label("Password").fill("himitsu")
    login.get_by_role("button", name="Log in").click()
    page.shows("login", "OK!!!")
    assert login.locator(".said").get_attribute("data-color") == "green"
    page.card("greeting").get_by_role("button").click()
    page.shows("greeting", "Hello, world!!")
    profile = page.card("profile")
    profile.get_by_label("paramA").fill("7")
    profile.get_by_label("paramB").fill("seven")
    profile.get_by_role("button", name="load").click()
    page.shows("profile", "paramB\nseven")
    for name in "orientation", "orientation-observed":
        page.card(name).locator("select").select_option("landscapeRight")
        page.card(name).get_by_role("button", name="Turn").click()
        page.card(name).get_by_label("The device lies on its side.").wait_for()
    # Nothing of it happened in the public session.
    assert public_text(bindery.port) == "0"


def test_the_page_is_used_by_keyboard_alone(bindery, show):
    page = show(bindery.port)
    keyboard = page.page.keyboard

    def reach(name):
        for _ in range(60):
            keyboard.press("Tab")
            if page.page.evaluate("document.activeElement.ariaLabel ?? document.activeElement.labels?.[0]?.textContent") == name:
                return
        raise AssertionError(f"{name} is not reached")

    reach("increment")
    for text in "1", "2":
        keyboard.press("Enter")
        page.counts(text)
    keyboard.press("Shift+Tab")
    keyboard.press("Space")
    page.counts("1")
    assert public_text(bindery.port) == "1"
    reach("ID")
    # What others do takes neither the focus nor what is typed.
    for letter in "taro":
        keyboard.press(letter)
        increment(bindery.port)
    page.counts("5")
    keyboard.press("Enter")
    page.shows("login", "Password")
    assert page.card("login").get_by_label("ID").input_value() == "taro"


def test_two_windows_and_curl_show_the_same_at_once(bindery, show):
    first, second = show(bindery.port), show(bindery.port)
    for text in "1", "2", "3":
        first.increments()
        second.counts(text, 3)
    increment(bindery.port)
    for page in first, second:
        page.counts("4", 3)


def test_a_page_outlives_its_server_killed_and_drained(bindery, show):
    page = show(bindery.port)
    page.own()
    page.increments()
    page.counts("1")
    bindery.crash()
    page.page.wait_for_selector("[data-connection=waiting]")
    page.page.locator("#band").get_by_text("Connection lost. Next try").wait_for()
    # Asked while no server is there, and done by the next.
    page.increments()
    bindery.start()
    page.counts("2")
    bindery.terminate()
    bindery.wait()
    bindery.start()
    page.increments()
    page.counts("3")
    page.is_live()
    assert page.page.locator("#band").is_hidden()
    assert page.page.locator("#status").inner_text() == "Connected."


def test_a_browser_that_was_offline_for_a_minute_shows_what_happened_meanwhile(bindery, context, show):
    context.add_init_script(CLOCK)
    page = show(bindery.port)
    context.set_offline(True)
    page.page.evaluate("jump += 60e3")
    page.page.wait_for_selector("[data-connection=offline]")
    increment(bindery.port)
    page.increments()
    assert public_text(bindery.port) == "1"
    context.set_offline(False)
    page.counts("2")
    page.is_live()


def test_the_wire_shows_requests_and_changes_and_hands_out_commands(bindery, show, context):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = show(bindery.port)
    page.increments()
    page.has_line('#1 counter.text = "1"')
    asked = page.page.locator("#lines li", has_text="POST /counter/increment 200")
    asked.get_by_role("button", name="curl").click()
    assert page.page.evaluate("navigator.clipboard.readText()") == f"curl -s -X POST 'http://127.0.0.1:{bindery.port}/counter/increment'"
    page.page.get_by_label("Show").select_option("login")
    eventually(lambda: page.lines() == [], page.lines)
    page.page.get_by_label("Show").select_option("")
    cursor = ask(bindery.port, "GET", "/session").json()["cursor"]
    eventually(lambda: page.page.locator("#cursor").inner_text() == cursor, cursor)


@pytest.mark.parametrize("transport, line", [("long-poll", "wait=25"), ("GET each second", "wait=0"), ("stream", "wait=25")])
def test_each_transport_shows_what_others_do(bindery, show, transport, line):
    page = show(bindery.port)
    page.page.get_by_label("Transport").select_option(transport)
    for text in "1", "2":
        increment(bindery.port)
        page.counts(text)
    page.has_line(line)
    page.is_live()


def test_a_server_without_a_public_session_has_a_page_with_ones_own(tmp_path, show):
    server = Bindery(tmp_path / "bindery", "--public-session", "off")
    try:
        page = show(server.start().port)
        page.increments()
        page.counts("1")
        assert page.page.locator("#whose").inner_text().startswith("own session")
    finally:
        server.kill()


def test_any_view_model_has_a_card_by_its_description(bindery, context, show):
    schema = {
        "type": "object", "required": ["count", "isGift", "size"],
        "properties": {
            "count": {"type": "integer"}, "isGift": {"type": "boolean"}, "size": {"type": "string", "enum": ["S", "L"]},
            "note": {"type": ["string", "null"]}, "tags": {"type": "array"}}}
    order = {
        "name": "order", "path": "/order", "summary": "An order.", "facets": [],
        "actions": [{"path": "/order/add", "summary": "Adds a line.", "schema": schema, "body": {"count": 2}}]}

    def described(route):
        if "html" in route.request.headers["accept"]:
            return route.fallback()
        index = route.fetch().json()
        route.fulfill(json=index | {"viewModels": [*index["viewModels"], order]})

    def with_order(route):
        session = route.fetch().json()
        outputs = {"lines": [{"sku": "A1", "count": 2}], "address": {"city": "Kyoto"}, "note": "", "total": None}
        route.fulfill(json=session | {"viewModels": session["viewModels"] | {"order": outputs}})

    sent = []

    def add(route):
        sent.append(json.loads(route.request.post_data))
        problem = {"type": "/problems/x", "status": 422, "detail": "Too many.", "pointer": "/count"}
        route.fulfill(status=422, content_type="application/problem+json", body=json.dumps(problem))

    context.route("**/", described)
    context.route("**/session", with_order)
    context.route("**/order/add", add)
    page = show(bindery.port)
    card = page.card("order")
    for text in "sku\nA1", "city\nKyoto", "note\nempty", "total\nnull":
        page.shows("order", text)
    card.get_by_label("isGift").select_option("true")
    card.get_by_label("size").select_option("L")
    card.get_by_label("tags").fill("[1")
    card.get_by_role("button", name="add").click()
    page.shows("order", "This is not JSON.")
    card.get_by_label("tags").fill("[1]")
    card.get_by_role("button", name="add").click()
    page.shows("order", "Too many.")
    assert sent == [{"count": 2, "isGift": True, "size": "L", "tags": [1]}]
    assert card.get_by_label("count").evaluate("field => field == document.activeElement && field.ariaInvalid") == "true"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_everybody_can_use_it(chromium, bindery, scheme, size):
    context = chromium.new_context(color_scheme=scheme, viewport=SIZES[size], reduced_motion="reduce")
    try:
        page = Page(context, bindery.port)
        page.own()
        page.page.get_by_label("Language").select_option("en")
        page.shows("login", "Enter your ID and password.")
        page.increments()
        page.counts("1")
        page.card("login").get_by_role("button", name="Log in").click()
        page.shows("login", "ID and password are missing.")
        page.page.locator("#lines li", has_text="POST /counter/increment").get_by_role("button").click()
        found = Axe().run(page.page)
        assert found.violations_count == 0, found.generate_report()
        wide = page.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide == 0, f"{wide} px wider than the window"
        # Reports of the Content-Security-Policy among them.
        assert not page.complaints
        if directory := os.environ.get("FACES_PICTURES"):
            page.page.evaluate("getSelection().empty(); scrollTo(0, 0)")
            page.page.screenshot(path=f"{directory}/page-{scheme}-{size}.png", full_page=size == "phone")
    finally:
        context.close()


def test_the_content_security_policy_allows_nothing_unsafe(bindery):
    page = ask(bindery.port, "GET", "/", accept="text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in page.headers["Content-Security-Policy"] and "unsafe" not in page.headers["Content-Security-Policy"]
