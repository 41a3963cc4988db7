"""What pages show, and what their server has."""

from client import Client
from processes import eventually

# A clock of the page's that jumps ahead by `jump` milliseconds, as that of a machine does that slept.
CLOCK = "self.jump = 0; { const real = Date.now; Date.now = () => real() + jump }"

# A tab that the test hides and shows.
TAB = """self.isHidden = false
Object.defineProperty(document, "hidden", { get: () => isHidden })
self.hide = (is) => { isHidden = is; document.dispatchEvent(new Event("visibilitychange", { bubbles: true })) }"""


def ask(port, method, path, body=None, accept="application/json"):
    """An answer in the public session."""
    return Client(port).ask(method, path, [("Host", "127.0.0.1"), ("Accept", accept)], body)


def increment(port):
    assert ask(port, "POST", "/counter/increment").status == 200


def public_text(port):
    return ask(port, "GET", "/counter").json()["text"]


def is_evaluated(page, script, expected, seconds=15):
    eventually(lambda: page.evaluate(script) == expected, lambda: f"{page.evaluate(script)!r}, not {expected!r}", seconds)


def shows(page, text, seconds=15):
    """What a page of `connected` shows of the counter."""
    is_evaluated(page, "session.viewModel('counter').text", text, seconds)


def is_live(page):
    is_evaluated(page, "session.status().connection", "live", 30)


def increments(page, count=1):
    """Acts, and returns what the last action resolved to."""
    return page.evaluate(
        "async (count) => { let last; while (count--) last = await session.viewModel('counter').increment(); return last }", count)


def outputs(page, text):
    """What the first output of a page shows."""
    is_evaluated(page, "document.querySelector('output').textContent", text)


class Page:
    """The page of a server, as a visitor sees it."""

    def __init__(self, context, port):
        self.page = context.new_page()
        self.complaints = []
        # Reports of the Content-Security-Policy come here, too. A request that is lost or refused is reported by the browser itself.
        self.page.on(
            "console", lambda message: message.type in ("error", "warning")
            and "Failed to load resource" not in message.text and self.complaints.append(message.text))
        self.page.goto(f"http://127.0.0.1:{port}/")
        self.is_live()

    def is_live(self):
        self.page.wait_for_selector("[data-connection=live]")

    def button(self, name):
        return self.page.get_by_role("button", name=name)

    def card(self, name):
        return self.page.get_by_role("region", name=name, exact=True)

    def shows(self, name, text):
        card = self.card(name)
        eventually(lambda: text in card.inner_text(), lambda: f"{text!r} in {card.inner_text()!r}")

    def increments(self):
        self.card("counter").get_by_role("button", name="increment").click()

    def counts(self, text, seconds=15):
        is_evaluated(self.page, "document.querySelector('.counter output').textContent", text, seconds)

    def own(self):
        self.button("Begin a session of my own").click()
        self.page.get_by_text("own session, kept for").wait_for()
        self.is_live()

    def lines(self):
        return self.page.locator("#lines li:visible .what").all_inner_texts()

    def has_line(self, text):
        eventually(lambda: any(text in line for line in self.lines()), lambda: f"{text!r} in {self.lines()}")
