"""What a page of `open_page` shows, and what its server has."""

from client import Client
from processes import eventually

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


def open_streams(bindery):
    """How many are open in all sessions, as operators are told."""
    sessions = Client(bindery.admin).ask("GET", "/sessions", [("Host", "127.0.0.1")]).json()["sessions"]
    return sum(session["streams"] for session in sessions)


def outputs(page, text):
    output = page.locator("output")
    eventually(lambda: output.inner_text() == text, lambda: f"{output.inner_text()!r} instead of {text!r}")
