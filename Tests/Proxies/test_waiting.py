"""What waits long: begun before all other tests, looked at after them."""

from client import Client, seq
from held import POLLS, WAIT


def test_a_poll_of_55_seconds_is_answered_when_it_is_over(held):
    for poll in held.polls:
        poll.join()
    assert len(held.answers) == POLLS
    assert [answer for _, answer in held.answers if answer.status != 200 or answer.json()["kind"] != "idle"] == []
    assert WAIT * 0.94 < max(seconds for seconds, _ in held.answers) < WAIT + 2


def test_a_stream_outlives_its_pings_and_has_the_next_event(held):
    for poll in held.polls:
        poll.join()
    # One at once, since nothing was new, and then one every 15 seconds.
    assert [name for name, _ in held.events][:4] == ["ping"] * 4
    with Client(held.port) as client:
        at = seq(client.ask("POST", "/counter/increment", [held.session]).headers["ETag"])
    with held.arrived:
        assert held.arrived.wait_for(lambda: held.events[-1][0] == "delta", 5), held.events
    assert seq(held.events[-1][1]) == at
