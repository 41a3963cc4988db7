"""Events arrive when they happen."""

import statistics
import time

from client import Client, seq

# Far above what a proxy takes and far below what one holds an event back for.
MOMENT = 0.1
EVENTS = 7


def delays(port, bindery):
    """Seconds from the answer to an action to its event on a stream, with nothing behind it that would push it out."""
    with Client(bindery.port) as actor, Client(port) as follower:
        session = actor.begin_session()
        events = follower.events([session])
        assert next(events)[1] == "snapshot"
        for _ in range(EVENTS):
            answer = actor.ask("POST", "/counter/increment", [session])
            answered = time.monotonic()
            arrived, name, cursor, _ = next(events)
            assert (name, seq(cursor)) == ("delta", seq(answer.headers["ETag"]))
            yield arrived - answered


def test_an_event_is_not_held_back(site):
    direct = statistics.median(delays(site.bindery.port, site.bindery))
    through = list(delays(site.proxy.http, site.bindery))
    # The median, since a busy machine may be late once; what holds events back holds back each of them.
    assert statistics.median(through) < direct + MOMENT, (direct, through)


def test_a_stream_is_not_compressed(site):
    with Client(site.proxy.http) as client:
        accepted = [("Accept", "text/event-stream"), ("Accept-Encoding", "gzip, br, zstd")]
        response = client.send("GET", "/changes", accepted)
        assert response.headers["Content-Type"].startswith("text/event-stream")
        assert response.headers["Content-Encoding"] is None
