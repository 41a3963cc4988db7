"""The server knows the client and the host that was asked for, and believes the proxy alone."""

import pytest

from client import HOST, Client


@pytest.mark.parametrize("times", [0, 1, 2])
def test_the_log_names_the_client_whatever_address_it_forges(site, times):
    with Client(site.proxy.http, "127.0.0.3") as client:
        forged = [("X-Forwarded-For", "203.0.113.9")] * times
        assert site.bindery.client_of(client.ask("POST", "/counter/increment", forged)) == "127.0.0.3"


def test_a_page_of_another_site_cannot_forge_the_host_that_was_asked_for(site):
    with Client(site.proxy.http) as client:
        forged = [("Origin", "http://evil.test"), ("X-Forwarded-Host", "evil.test"), ("X-Forwarded-Proto", "http")]
        refused = client.ask("POST", "/counter/increment", forged)
        assert (refused.status, refused.json()["type"]) == (403, "/problems/cross-site")


def test_a_page_is_known_by_its_host_and_its_scheme(site):
    ports = {"http": site.proxy.http, "https": site.proxy.https}
    for scheme, port in ports.items():
        with Client(port, is_tls=scheme == "https") as client:
            own = client.ask("POST", "/counter/increment", [("Origin", f"{scheme}://{HOST}:{port}")])
            assert own.status == 200, own
    with Client(ports["https"], is_tls=True) as client:
        other = client.ask("POST", "/counter/increment", [("Origin", f"http://{HOST}:{ports['https']}")])
        assert other.status == 403, other
