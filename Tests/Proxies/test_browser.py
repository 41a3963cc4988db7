"""A page that came through a proxy acts and follows, in Chromium."""

import pytest

from browser import launched, opened
from client import HOST, seq

# What a page does: begins a session, follows it, acts in it and hears of that.
VISIT = """
async () => {
    const begun = await (await fetch('/sessions', {method: 'POST'})).json();
    const shown = await (await fetch('/session')).json();
    const events = new EventSource('/changes?topics=counter');
    const next = (kind) =>
        new Promise((heard) => events.addEventListener(kind, (event) => heard(event.data), {once: true}));
    await next('snapshot');
    const delta = next('delta');
    const action = await fetch('/counter/increment', {method: 'POST'});
    const outcome = {
        began: begun.id, is: shown.id, status: action.status, etag: action.headers.get('ETag'),
        delta: JSON.parse(await delta), script: document.cookie};
    events.close();
    return outcome;
}"""


@pytest.fixture(scope="module")
def chromium():
    with launched() as browser:
        yield browser


def visit(page):
    outcome = page.evaluate(VISIT)
    assert outcome["is"] == outcome["began"], "the cookie was not sent"
    assert outcome["status"] == 200
    assert seq(outcome["delta"]["cursor"]) == seq(outcome["etag"])
    assert "bindery" not in outcome["script"], "a script sees the cookie"


def test_a_page_on_plain_http_acts_and_follows(site, chromium):
    with opened(chromium, f"http://{HOST}:{site.proxy.http}/") as page:
        visit(page)
        assert [cookie["name"] for cookie in page.context.cookies()] == ["bindery-session"]


def test_the_page_of_the_server_hears_of_changes_at_once(site, chromium):
    with opened(chromium, f"http://{HOST}:{site.proxy.http}/") as page:
        page.wait_for_selector("[data-connection=live]")
        shown = page.locator(".counter output").first
        after = int(shown.inner_text()) + 1
        page.get_by_role("button", name="increment").first.click()
        # By the stream, which the proxy must not hold back; the answer to the action comes first.
        page.locator("#lines .change", has_text=f'counter.text = "{after}"').first.wait_for(timeout=5000)
        assert shown.inner_text() == str(after)


@pytest.mark.parametrize("proxy", ["nginx", "haproxy", "caddy"])
def test_a_page_on_https_acts_and_follows_with_a_cookie_for_https_alone(proxy, make_site, chromium):
    site = make_site(proxy, "--secure-cookies")
    with opened(chromium, f"https://{HOST}:{site.proxy.https}/") as page:
        visit(page)
        (cookie,) = page.context.cookies()
        assert (cookie["name"], cookie["secure"], cookie["httpOnly"]) == ("__Host-bindery-session", True, True)
        # Several cookies are several fields of HTTP/2, and one of HTTP/1.1.
        page.evaluate("() => { document.cookie = 'a=1'; document.cookie = `b=${'x'.repeat(3500)}`; }")
        visit(page)
        assert page.evaluate("() => performance.getEntriesByType('navigation')[0].nextHopProtocol") == "h2"


def test_a_page_of_another_site_cannot_act(site, chromium):
    with opened(chromium, f"http://other.test:{site.proxy.http}/") as page:
        # A form needs nobody's leave, unlike fetch.
        page.set_content(f'<form method="post" action="http://{HOST}:{site.proxy.http}/counter/increment">')
        with page.expect_navigation() as navigation:
            page.evaluate("() => document.forms[0].submit()")
        assert navigation.value.status == 403
