"""A server is replaced on the same store, and clients behind the proxy go on."""

import asyncio
import pathlib
import sys

import pytest

from client import HOST, Answer, Client
from processes import PROXIES, eventually

# The load of the fail-over test, and its judge.
sys.path.append(str(pathlib.Path(__file__).parents[1] / "Failover"))
from world import UNANSWERED, World  # noqa: E402

# What a proxy that looks at /readyz says of a server that drains.
DRAIN_SEEN = {
    "haproxy": "Server bindery/first is DOWN, reason: Layer7 wrong status, code: 503",
    "caddy": '"msg":"status code out of tolerances","status_code":503',
}
SOME = 20


def acknowledged(world):
    return sum(op == "write" and status == 200 for _, _, op, status in world.tries)


async def progress(world):
    """Waits until more was acknowledged, and told to each follower."""
    before, cursors = acknowledged(world), [follower.cursor for follower in world.followers]

    def has_gone_on():
        world.see_to_clients()
        return acknowledged(world) >= before + SOME and all(
            follower.cursor != cursor for follower, cursor in zip(world.followers, cursors))

    await asyncio.to_thread(eventually, has_gone_on, "the clients go on")


async def upgrade(site, world):
    """Replaces the server under load; returns how many actions were done while it drained."""
    await world.begin_load()
    await progress(world)
    site.bindery.terminate()
    if site.name in DRAIN_SEEN:
        await asyncio.to_thread(eventually, lambda: DRAIN_SEEN[site.name] in site.proxy.said(), site.proxy.said)
    before = acknowledged(world)
    assert await asyncio.to_thread(site.bindery.wait) == 0
    done = acknowledged(world) - before
    await asyncio.to_thread(site.bindery.start)
    await progress(world)
    await world.end_load()
    return done


@pytest.mark.parametrize("proxy", PROXIES)
def test_nothing_is_lost_or_doubled_by_an_upgrade_and_cursors_go_on(proxy, make_site, tmp_path):
    site = make_site(proxy, "--drain-delay", "2")
    world = World(tmp_path, [site.bindery], site.proxy.http, f"{HOST}:{site.proxy.http}", sessions=0, visitors=0, pace=0)
    done = asyncio.run(asyncio.wait_for(upgrade(site, world), 45))
    assert world.judge().faults == [] and world.stuck == []
    refusals = {status for *_, status in world.tries if status in UNANSWERED}
    match proxy:
        case "nginx":
            # It does not wait for a server that is away.
            assert done > SOME
        case "haproxy":
            # It goes on asking a server that drains, which refuses what comes at the very end. If a kept connection is
            # closed under a request, HAProxy closes the client's.
            assert done > SOME
            assert refusals <= {0, 503}, refusals
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
