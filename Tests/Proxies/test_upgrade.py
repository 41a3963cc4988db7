"""A server is replaced on the same store, and clients behind the proxy go on."""

import asyncio
import pathlib
import sys
from collections import Counter

import pytest

from client import HOST, Answer, Client
from processes import PROXIES, eventually

# The crash test's clients, and its judge.
sys.path.append(str(pathlib.Path(__file__).parents[1] / "Crash"))
from clients import COUNT, Follower, Reader, Writer, insist  # noqa: E402
from ledger import Faults, Ledger  # noqa: E402
from wire import Connection, Lost  # noqa: E402

# What a proxy that looks at /readyz says of a server that drains.
DRAIN_SEEN = {
    "haproxy": "Server bindery/first is DOWN, reason: Layer7 wrong status, code: 503",
    "caddy": '"msg":"status code out of tolerances","status_code":503',
}
SOME = 20


class Behind(Connection):
    """A connection to a proxy, whose 502 says no more about an action than a broken connection."""

    def __init__(self, port, refusals):
        super().__init__(port, f"{HOST}:{port}")
        self.refusals = refusals

    async def ask(self, *request):
        try:
            answer = await super().ask(*request)
        except Lost:
            self.refusals["closed"] += 1
            raise
        if answer.status in (502, 503):
            self.refusals[answer.status] += 1
            self.close()
            raise Lost
        return answer


class Load:
    """Clients of a session that act, read and follow through a proxy."""

    def __init__(self, port):
        self.port, self.refusals, self.over = port, Counter(), asyncio.Event()

    def connection(self):
        return Behind(self.port, self.refusals)

    async def begin(self):
        begun = await insist(self.connection(), "POST", "/sessions")
        self.ledger = Ledger("session", begun.json()["token"], Faults())
        acting = [*(Writer(self.ledger, self.port, f"w{number}") for number in range(4)), Reader(self.ledger, self.port)]
        self.followers = [Follower(self.ledger, self.port, [kind]) for kind in ("poll", "stream")]
        for client in [*acting, *self.followers]:
            client.connection = self.connection()
        self.acting = [asyncio.create_task(client.run(self.over)) for client in acting]
        self.following = [asyncio.create_task(follower.run()) for follower in self.followers]

    async def progress(self):
        """Waits until more was acknowledged, and told to each follower."""
        least, deltas = self.ledger.actions + SOME, [follower.deltas for follower in self.followers]

        def has_gone_on():
            assert not any(task.done() for task in [*self.acting, *self.following])
            return self.ledger.actions >= least and all(
                follower.deltas > before for follower, before in zip(self.followers, deltas))

        await asyncio.to_thread(eventually, has_gone_on, "the clients go on")

    async def end(self):
        """Stops the writers, waits until every follower knows everything, and returns the findings."""
        self.over.set()
        await asyncio.gather(*self.acting)
        count = (await insist(self.connection(), "GET", "/counter", self.ledger.headers)).json()["text"]
        self.ledger.audit(int(count))
        for follower in self.followers:
            await asyncio.to_thread(eventually, lambda: follower.state[COUNT] == count, f"{follower.name} knows it")
            self.ledger.audit_feed(follower.name, follower.shown)
        for task in self.following:
            task.cancel()
        await asyncio.gather(*self.following, return_exceptions=True)
        return {kind: count for kind, count in self.ledger.faults.counts.items() if count}


async def upgrade(site):
    """Replaces the server under load; returns the findings, the refusals, and what was done while it drained."""
    load = Load(site.proxy.http)
    await load.begin()
    await load.progress()
    site.bindery.terminate()
    if site.name in DRAIN_SEEN:
        await asyncio.to_thread(eventually, lambda: DRAIN_SEEN[site.name] in site.proxy.said(), site.proxy.said)
    before = load.ledger.actions
    assert await asyncio.to_thread(site.bindery.wait) == 0
    done = load.ledger.actions - before
    await asyncio.to_thread(site.bindery.start)
    await load.progress()
    return await load.end(), load.refusals, done


@pytest.mark.parametrize("proxy", PROXIES)
def test_nothing_is_lost_or_doubled_by_an_upgrade_and_cursors_go_on(proxy, make_site):
    wrong, refusals, done = asyncio.run(asyncio.wait_for(upgrade(make_site(proxy, "--drain-delay", "2")), 45))
    assert wrong == {}
    match proxy:
        case "nginx":
            # It does not wait for a server that is away.
            assert done > SOME
        case "haproxy":
            # It goes on asking a server that drains, which refuses what comes at the very end. If a kept connection is
            # closed under a request, HAProxy closes the client's.
            assert done > SOME
            assert set(refusals) <= {503, "closed"}, refusals
        case "caddy":
            # Its requests wait as soon as it sees the drain.
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
