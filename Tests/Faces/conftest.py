"""A Bindery for each test, a browser for all, and pages of the server's own origin to run scripts and fill in forms in."""

import functools
import signal
import sys

import pytest
from playwright.sync_api import sync_playwright

import browser
from client import HOST
from forms import FILLED
from processes import Bindery
from relay import Relay

# Whoever ends the test ends the processes with it.
signal.signal(signal.SIGTERM, lambda *_: sys.exit("Tests/Faces: ended by SIGTERM"))


@pytest.fixture(scope="session")
def playwright():
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def chromium(playwright):
    with browser.launch(playwright) as shell:
        yield shell


@pytest.fixture
def whole_chromium(playwright):
    """The browser that has a window, for what its shell does not do."""
    with browser.launch(playwright, "chromium") as whole:
        yield whole


def started(directory):
    server = Bindery(directory, "--max-new-sessions", "1000", "--allowed-hosts", HOST)
    server.admin = server.port_of_its_own()
    server.options += "--admin", f"127.0.0.1:{server.admin}"
    try:
        yield server.start()
    finally:
        server.kill()


@pytest.fixture
def bindery(tmp_path):
    yield from started(tmp_path / "bindery")


@pytest.fixture(scope="session")
def modules(tmp_path_factory):
    """A server of which the tests want the modules alone."""
    yield from started(tmp_path_factory.mktemp("modules") / "bindery")


@pytest.fixture
def relay(bindery):
    """Between the pages and the server."""
    relay = Relay(bindery.port)
    yield relay
    relay.close()


@pytest.fixture
def context(request):
    """A visitor's browser, whose pages have what went wrong in them noted: the whole one for a test that asks for that."""
    name = "whole_chromium" if "whole_chromium" in request.fixturenames else "chromium"
    context = request.getfixturevalue(name).new_context()
    context.faults = []
    context.on("weberror", lambda error: context.faults.append(str(error.error)))
    yield context
    context.close()
    assert not context.faults


@pytest.fixture
def open_page(context):
    """Opens a page of a server's origin, with the script connected: `session`, `texts`, all texts of the counter so far,
    `connections`, how the line was, and `asked`, what was fetched."""

    def opened(port, options="{}"):
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{port}/livez")
        page.evaluate(
            """async (options) => {
                const real = self.fetch
                self.asked = []
                self.fetch = (path, options) => (asked.push(String(path)), real(path, options))
                const { connect } = await import("/bindery.js")
                self.session = await connect(eval(`(${options})`))
                self.connections = []
                self.texts = []
                session.on("connection", (state) => connections.push(state))
                session.on("counter.text", (text) => texts.push(text))
            }""",
            options)
        return page

    return opened


def open_text(context, server, text, **options):
    page = context.new_page()
    page.route("**/a-page", lambda route: route.fulfill(body=text, content_type="text/html; charset=utf-8"))
    page.goto(f"http://127.0.0.1:{server.port}/a-page", **options)
    return page


@pytest.fixture
def opened(bindery, context):
    """Opens a text as a page of the server's origin."""
    return functools.partial(open_text, context, bindery)


@pytest.fixture
def form(context, modules):
    """Opens a form of the action `a/do`, with outputs of a view model `a`, of which no server knows."""
    context.route("**/session", lambda route: route.fulfill(status=503, body=""))

    def open_form(fields, **outputs):
        page = open_text(context, modules, FILLED)
        page.wait_for_function("typeof self.make == 'function'")
        page.evaluate(
            "([html, outputs]) => make(html, outputs)",
            [f'<form data-action="a/do" method="dialog">{fields}<button>Save</button></form><p data-problem="a/do"></p>', outputs])
        return page

    return open_form
