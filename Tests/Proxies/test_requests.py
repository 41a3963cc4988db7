"""Requests and answers pass a proxy unharmed."""

import json

from client import Client


def test_a_get_and_an_action_are_answered_as_without_a_proxy(site):
    for is_tls, port in (False, site.proxy.http), (True, site.proxy.https):
        with Client(port, is_tls=is_tls) as client:
            session = client.begin_session()
            shown = client.ask("GET", "/counter", [session])
            assert (shown.status, shown.json()["text"]) == (200, "0")
            assert client.ask("GET", "/counter", [session, ("If-None-Match", shown.headers["ETag"])]).status == 304
            assert client.ask("POST", "/counter/increment", [session]).json()["text"] == "1"
            body = json.dumps({"id": "taro", "password": "x"}).encode()
            assert client.ask("POST", "/login/validate", [session], body).json()["text"] == "OK!!!"
            refused = client.ask("POST", "/login/validate", [session], b"{")
            assert (refused.status, refused.headers["Content-Type"]) == (400, "application/problem+json")
            assert client.ask("DELETE", "/session", [session]).status == 204


def test_an_action_with_a_key_is_done_once(site):
    with Client(site.proxy.http) as client:
        request = "POST", "/counter/increment", [client.begin_session(), ("Idempotency-Key", "once")]
        first, again = client.ask(*request), client.ask(*request)
        assert (first.status, again.status) == (200, 200)
        assert first.body == again.body
        assert again.headers["Idempotency-Replayed"] == "true"


def test_a_body_of_unknown_length_arrives(site):
    with Client(site.proxy.http) as client:
        chunks = [b'{"id":"taro",', b'"password":"x"}']
        client.connection.request(
            "POST", "/login/validate", iter(chunks), {"Host": client.authority, "Content-Type": "application/json"},
            encode_chunked=True)
        assert json.loads(client.connection.getresponse().read())["text"] == "OK!!!"


def test_what_is_too_large_is_refused_in_bindery_s_words(site):
    with Client(site.proxy.http) as client:
        refused = client.ask("POST", "/login/validate", [], b" " * 70_000)
        assert (refused.status, refused.json()["type"]) == (413, "/problems/body-too-large")


def test_five_kilobytes_of_other_applications_cookies_do_no_harm(site):
    with Client(site.proxy.http) as client:
        begun = client.ask("POST", "/sessions")
        own = begun.headers["Set-Cookie"].split(";")[0]
        cookie = ("Cookie", f"other={'x' * 2300}; {own}; another={'y' * 2300}")
        assert client.ask("POST", "/counter/increment", [cookie]).json()["text"] == "1"
        assert client.ask("GET", "/session", [cookie]).json()["id"] == begun.json()["id"]


def test_nine_kilobytes_of_cookies_are_refused_with_431_and_nothing_is_done(site):
    with Client(site.proxy.http) as client:
        session = client.begin_session()
        refused = client.ask("POST", "/counter/increment", [session, ("Cookie", f"other={'x' * 9000}")])
        assert refused.status == 431
    with Client(site.proxy.http) as client:
        assert client.ask("GET", "/counter", [session]).json()["text"] == "0"
