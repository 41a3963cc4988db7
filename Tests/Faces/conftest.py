"""A Bindery for each test, one browser for all, and pages of the server's origin."""

import signal
import sys

import pytest

import browser
from client import HOST
from pages import Page
from processes import Bindery
from relay import Relay

# What ends the test ends the processes with it.
signal.signal(signal.SIGTERM, lambda *_: sys.exit("Tests/Faces: ended by SIGTERM"))


@pytest.fixture(scope="session")
def chromium():
    with browser.launched() as shell:
        yield shell


@pytest.fixture
def bindery(tmp_path):
    server = Bindery(tmp_path / "bindery", "--max-new-sessions", "1000", "--allowed-hosts", HOST)
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
    """A visitor's browser; an error of a page's script fails the test."""
    context = chromium.new_context()
    context.set_default_timeout(15_000)
    context.faults = []
    context.on("weberror", lambda error: context.faults.append(str(error.error)))
    yield context
    context.close()
    assert not context.faults


@pytest.fixture
def connected(context):
    """Opens a page of a server's origin that is connected: `session`; `texts`, all of the counter; `connections`; `asked`, all URLs."""

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

    def open_text(text):
        page = context.new_page()
        page.route("**/a-page", lambda route: route.fulfill(body=text, content_type="text/html; charset=utf-8"))
        page.goto(f"http://127.0.0.1:{bindery.port}/a-page")
        return page

    return open_text


@pytest.fixture
def show(context):
    """Opens the page of a server. No page may have complained at the end."""
    pages = []

    def opened(port):
        pages.append(Page(context, port))
        return pages[-1]

    yield opened
    assert not [complaint for page in pages for complaint in page.complaints]
