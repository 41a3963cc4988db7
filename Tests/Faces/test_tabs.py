"""The tabs of one browser share one stream, whichever of them goes, is hidden or hangs."""

from client import Client
from processes import eventually
from shown import increments, is_live, open_streams, shows


def test_pages_of_one_browser_show_the_same(bindery, open_page):
    first, second = open_page(bindery.port), open_page(bindery.port)
    increments(first)
    shows(second, "1")
    increments(second)
    shows(first, "2")


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


def test_what_the_leader_tells_while_another_tab_asks_is_shown(bindery, context, open_page):
    leader = open_page(bindery.port, "{public: true}")
    is_live(leader)
    asked = []

    def change_behind_it(route):
        answer = route.fetch()
        asked.append(answer.status)
        if len(asked) == 1:
            Client(bindery.port).ask("POST", "/counter/increment")
            shows(leader, "1")
            route.fulfill(response=answer)
        else:
            route.continue_()

    context.route("**/changes?wait=0*", change_behind_it)
    follower = open_page(bindery.port, "{public: true}")
    is_live(follower)
    shows(follower, "1", 5)


def test_a_tab_that_comes_to_lead_while_it_asks_has_a_stream(bindery, context, open_page):
    leader = open_page(bindery.port, "{public: true}")
    is_live(leader)
    held = []
    context.route("**/changes?*", lambda route: route.continue_() if held else held.append(route))
    follower = open_page(bindery.port, "{public: true}")
    # The route's callbacks come while the page is asked.
    eventually(lambda: follower.evaluate("asked.some((path) => path.includes('/changes'))") and held, "it asks")
    leader.close()
    eventually(lambda: follower.evaluate("navigator.locks.query().then(({ held }) => held.length)") == 1, "it leads")
    held[0].continue_()
    is_live(follower)
    eventually(lambda: open_streams(bindery) == 1, "one stream")
    Client(bindery.port).ask("POST", "/counter/increment")
    shows(follower, "1", 5)
