"""A Bindery for each test, a browser for all, and pages of the server's own origin to run scripts in."""

import signal
import sys

import pytest

import browser
from client import HOST
from processes import Bindery
from relay import Relay

# Whoever ends the test ends the processes with it.
signal.signal(signal.SIGTERM, lambda *_: sys.exit("Tests/Faces: ended by SIGTERM"))


@pytest.fixture(scope="session")
def chromium():
    with browser.launched() as launched:
        yield launched


@pytest.fixture
def bindery(tmp_path):
    server = Bindery(tmp_path / "bindery", "--max-new-sessions", "1000", "--allowed-hosts", HOST)
    server.admin = server.port_of_its_own()
    server.options += "--admin", f"127.0.0.1:{server.admin}"
    try:
        yield server.start()
    finally:
        server.kill()


@pytest.fixture
def relay(bindery):
    """Between the pages and the server."""
    relay = Relay(bindery.port)
    yield relay
    relay.close()


@pytest.fixture
def context(chromium):
    """A visitor's browser, whose pages have what went wrong in them noted."""
    context = chromium.new_context()
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


@pytest.fixture
def opened(bindery, context):
    """Opens a text as a page of the server's origin."""

    def open_text(text, **options):
        page = context.new_page()
        page.route("**/a-page", lambda route: route.fulfill(body=text, content_type="text/html; charset=utf-8"))
        page.goto(f"http://127.0.0.1:{bindery.port}/a-page", **options)
        return page

    return open_text
