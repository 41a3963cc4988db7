"""A proxy as the first page of its manual has it: a refusal says how to mend the configuration."""

import pytest

from client import HOST, Client
from processes import Bindery, Nginx


class NaiveNginx(Nginx):
    """nginx with `proxy_pass` and a test's own lines: without more, Host becomes the upstream's."""

    def __init__(self, directory, upstream, target, *lines):
        super().__init__(directory, upstream, certificate=None)
        self.target, self.lines = target.format(port=upstream), lines

    def included(self):
        path = self.directory / "naive.conf"
        path.write_text(f"""
            upstream bindery {{ server 127.0.0.1:{self.upstream}; }}
            server {{
                listen 127.0.0.1:{self.http};
                location / {{ proxy_pass http://{self.target}; {" ".join(self.lines)} }}
            }}""")
        return path


ADDRESS = "127.0.0.1:{port}"


@pytest.fixture
def acted(tmp_path):
    """What a page's action is answered: `acted(target, nginx's lines, Bindery's options)`."""
    started = []

    def act(target, lines=(), options=()):
        started.append(Bindery(tmp_path / "bindery", *options))
        started.append(NaiveNginx(tmp_path / "nginx", started[0].port, target, *lines))
        started[0].start()
        with Client(started[1].start().http) as client:
            # All that a browser tells of a page over plain HTTP.
            return client.ask("POST", "/counter/increment", [("Origin", f"http://{client.authority}")]).json()

    yield act
    for process in started:
        process.kill()


def test_a_page_s_action_is_refused_with_what_to_do_about_the_host(acted):
    refused = acted(ADDRESS)
    assert (refused["status"], refused["type"]) == (403, "/problems/cross-site")
    assert "--trusted-proxy" in refused["detail"] and "Host" in refused["detail"]


def test_an_upstream_s_own_name_is_refused_with_what_to_do_about_it(acted):
    refused = acted("bindery")
    assert (refused["status"], refused["type"]) == (421, "/problems/misdirected-request")
    assert "--allowed-hosts" in refused["detail"]


@pytest.mark.parametrize(
    "lines, options",
    [
        (["proxy_set_header Host $http_host;"], []),
        (["proxy_set_header X-Forwarded-Host $http_host;"], ["--trusted-proxy", "127.0.0.1"]),
    ],
    ids=["Host is passed on", "X-Forwarded-Host is sent by a trusted proxy"])
def test_each_cure_that_is_named_helps(acted, lines, options):
    assert acted(ADDRESS, lines, [*options, "--allowed-hosts", HOST])["text"] == "1"
