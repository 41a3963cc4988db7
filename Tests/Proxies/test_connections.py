"""Connections between a proxy and its server: kept, broken, and left."""

import http.client
import queue

import pytest

from client import Client
from processes import PROXIES, PROMPTNESS
from stand_in import StandIn

KEY = ("Idempotency-Key", "once")


@pytest.fixture
def stand_in():
    server = StandIn()
    yield server
    server.close()


@pytest.fixture(params=PROXIES)
def proxy(request, tmp_path, certificate, stand_in):
    """Each proxy before a server that can break connections."""
    process = PROXIES[request.param](tmp_path / request.param, stand_in.port, certificate)
    try:
        yield process.start()
    finally:
        process.kill()


def test_a_connection_to_the_server_is_kept(proxy, stand_in):
    with Client(proxy.http) as client:
        for method in ["GET", "POST", "GET"]:
            assert client.ask(method, "/tried").status == 200
    assert len({each.connection for each in stand_in.tried}) == 1
    assert {each.version for each in stand_in.tried} == {"HTTP/1.1"}


def test_what_is_said_of_the_client_is_said_by_the_proxy_alone(proxy, stand_in):
    forged = [("X-Forwarded-For", "203.0.113.9"), ("X-Forwarded-Host", "evil.test"), ("X-Forwarded-Proto", "gopher")]
    with Client(proxy.http, "127.0.0.2") as client:
        client.ask("GET", "/tried", forged)
    (told,) = stand_in.tried
    assert told.values("host") == told.values("x-forwarded-host") == [client.authority]
    assert told.values("x-forwarded-for") == ["127.0.0.2"]
    assert told.values("x-forwarded-proto") == ["http"]
    assert told.values("connection") in ([], ["keep-alive"])


@pytest.mark.parametrize("is_kept", [False, True], ids=["on a new connection", "on a kept connection"])
def test_what_may_have_been_done_is_not_sent_again_without_a_key(proxy, stand_in, is_kept):
    with Client(proxy.http) as client:
        if is_kept:
            assert client.ask("GET", "/first").status == 200
        stand_in.breaks = 1
        try:
            assert client.ask("POST", "/tried", [], b"{}").status == 502
        except http.client.RemoteDisconnected:
            # HAProxy closes the client's connection if a kept one broke.
            assert is_kept
    assert stand_in.methods == ["POST"]


@pytest.mark.parametrize("sent", [("GET", []), ("POST", [KEY])], ids=["a GET", "a POST with a key"])
@pytest.mark.parametrize("proxy", ["haproxy", "caddy"], indirect=True)
def test_what_can_be_repeated_is_sent_again_and_answered(proxy, stand_in, sent):
    method, headers = sent
    # The second time on a new connection.
    stand_in.breaks = 2
    with Client(proxy.http) as client:
        assert client.ask(method, "/tried", headers).status == 200
    assert stand_in.methods == [method] * 3


@pytest.mark.parametrize("path", ["/poll", "/stream"])
def test_a_client_that_leaves_is_not_waited_for(proxy, stand_in, path):
    with Client(proxy.http) as client:
        client.begin("GET", path)
        assert stand_in.waiting.get(timeout=PROMPTNESS) == path
    try:
        assert stand_in.left.get(timeout=5) == path
    except queue.Empty:
        pytest.fail("the server still answers a client that has left")
