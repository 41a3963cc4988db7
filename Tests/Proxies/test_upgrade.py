"""One Bindery goes and another comes, on the same store, and clients behind the proxy go on."""

import asyncio
import pathlib
import sys
from collections import Counter

import pytest

from client import HOST, Answer, Client
from processes import PROXIES, eventually

# The crash test's clients, and what they hold against a server.
sys.path.append(str(pathlib.Path(__file__).parents[1] / "Crash"))
from clients import Follower, Reader, Writer, insist, seq  # noqa: E402
from ledger import Faults, Ledger  # noqa: E402
from wire import Connection, Lost  # noqa: E402

# What a proxy that looks at /readyz says of a server that drains.
DRAIN_SEEN = {
    "haproxy": "Server bindery/first is DOWN, reason: Layer7 wrong status, code: 503",
    "caddy": '"msg":"status code out of tolerances","status_code":503',
}
SESSIONS = 2
SOME = 20


class Behind(Connection):
    """A connection to a proxy, whose 502 says as little of what was done as a connection that broke."""

    def __init__(self, port, refusals):
        super().__init__(port)
        self.refusals = refusals

    async def ask(self, method, path, *rest):
        try:
            answer = await super().ask(method, path, *rest)
        except Lost:
            self.refusals[method, "closed"] += 1
            raise
        if answer.status in (502, 503):
            self.refusals[method, answer.status] += 1
            self.close()
            raise Lost
        return answer

    async def send(self, method, path, headers=(), body=b""):
        if self.writer is None or self.writer.is_closing():
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        lines = [f"{method} {path} HTTP/1.1", f"Host: {HOST}:{self.port}", *headers]
        if method == "POST":
            lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
        self.writer.write("\r\n".join([*lines, "", ""]).encode() + body)


class Load:
    """Clients of some sessions that act, read and follow through a proxy."""

    def __init__(self, port):
        self.port, self.faults, self.refusals = port, Faults(), Counter()

    def behind(self, client):
        client.connection = Behind(self.port, self.refusals)
        return client

    async def begin(self):
        self.ledgers = [await self.session(number) for number in range(SESSIONS)]
        self.writers = [
            self.behind(Writer(ledger, self.port, f"w{number}")) for ledger in self.ledgers for number in range(2)]
        readers = [self.behind(Reader(ledger, self.port)) for ledger in self.ledgers]
        self.followers = [
            self.behind(Follower(ledger, self.port, [kind])) for ledger in self.ledgers for kind in ("poll", "stream")]
        self.over = asyncio.Event()
        self.acting = [asyncio.create_task(client.run(self.over)) for client in [*self.writers, *readers]]
        self.following = [asyncio.create_task(follower.run()) for follower in self.followers]

    async def session(self, number):
        answer = await insist(Behind(self.port, self.refusals), "POST", "/sessions")
        return Ledger(f"session {number}", answer.json()["token"], self.faults)

    @property
    def actions(self):
        return sum(ledger.actions for ledger in self.ledgers)

    async def progress(self):
        """Waits until some more was acknowledged in each session, and told to each follower."""
        actions = [ledger.actions + SOME for ledger in self.ledgers]
        deltas = [follower.deltas + 1 for follower in self.followers]

        def has_gone_on():
            for task in [*self.acting, *self.following]:
                assert not task.done(), task
            return all(ledger.actions >= least for ledger, least in zip(self.ledgers, actions)) and all(
                follower.deltas >= least for follower, least in zip(self.followers, deltas))

        await until(has_gone_on, "the clients go on")

    async def end(self):
        """Stops the writers, waits until every follower knows it all, and returns what is wrong."""
        self.over.set()
        await asyncio.gather(*self.acting)
        for ledger in self.ledgers:
            answer = await insist(Behind(self.port, self.refusals), "GET", "/session", ledger.headers)
            shown = answer.json()
            ledger.audit(int(shown["viewModels"]["counter"]["text"]))
            for follower in self.followers:
                if follower.ledger is ledger:
                    await until(lambda: follower.seq >= seq(shown["cursor"]), f"{follower.name} knows it all")
        for task in self.following:
            task.cancel()
        await asyncio.gather(*self.following, return_exceptions=True)
        return {kind: count for kind, count in self.faults.counts.items() if count}


async def until(condition, what):
    await asyncio.to_thread(eventually, condition, what)


async def upgrade(site):
    """Replaces the server under load; returns what went wrong, what was refused, and what was done while it drained."""
    load = Load(site.proxy.http)
    await load.begin()
    await load.progress()
    site.bindery.terminate()
    if site.name in DRAIN_SEEN:
        await until(lambda: DRAIN_SEEN[site.name] in site.proxy.said(), site.proxy.said)
    before = load.actions
    assert await asyncio.to_thread(site.bindery.wait) == 0
    done = load.actions - before
    await asyncio.to_thread(site.bindery.start)
    await load.progress()
    return await load.end(), load.refusals, done


@pytest.mark.parametrize("proxy", PROXIES)
def test_nothing_is_lost_or_doubled_by_an_upgrade_and_cursors_go_on(proxy, make_site):
    site = make_site(proxy, "--drain-delay", "2")
    wrong, refusals, done = asyncio.run(asyncio.wait_for(upgrade(site), 45))
    assert wrong == {}
    match proxy:
        case "nginx":
            # It does not wait for a server that is away.
            assert done > SOME
        case "haproxy":
            # It goes on asking a server that drains, which refuses by itself what comes at the very end. Where a kept
            # connection is closed under a request, it closes the client's, for the client to send it again.
            assert done > SOME
            assert {status for _, status in refusals} <= {503, "closed"}, refusals
        case "caddy":
            # It has requests wait as soon as it sees the drain.
            assert not refusals


def test_an_action_waits_for_a_server_that_is_started_again(make_site):
    site = make_site("haproxy")
    with Client(site.proxy.http) as client:
        session = client.begin_session()
        site.bindery.terminate()
        assert site.bindery.wait() == 0
        client.begin("POST", "/login/validate", [session], b'{"id":"taro","password":"x"}')
        site.bindery.start()
        assert Answer(client.connection.getresponse()).json()["text"] == "OK!!!"
