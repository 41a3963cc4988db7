"""A proxy as the first page of its manual has it: what goes wrong says how to mend it."""

import pytest

from browser import launched, opened
from client import HOST
from processes import Bindery, Nginx


class NaiveNginx(Nginx):
    """nginx with `proxy_pass` and what a test adds: without more, Host becomes the upstream's."""

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


@pytest.fixture
def naive(tmp_path):
    """Starts a naive proxy: `naive(target, nginx's lines, Bindery's options)`."""
    started = []

    def start(target, lines=(), options=()):
        started.append(Bindery(tmp_path / "bindery", *options))
        started.append(NaiveNginx(tmp_path / "nginx", started[0].port, target, *lines))
        started[0].start()
        return started[1].start()

    yield start
    for process in started:
        process.kill()


ADDRESS = "127.0.0.1:{port}"
ACT = "async () => { const answer = await fetch('/counter/increment', {method: 'POST'}); return await answer.json(); }"


def acted(proxy):
    """What a page's action is answered."""
    with launched() as chromium, opened(chromium, f"http://{HOST}:{proxy.http}/") as page:
        return page.evaluate(ACT)


def test_a_page_s_action_is_refused_with_what_to_do_about_the_host(naive):
    refused = acted(naive(ADDRESS))
    assert (refused["status"], refused["type"]) == (403, "/problems/cross-site")
    assert "pass Host on" in refused["detail"]
    assert "--trusted-proxy" in refused["detail"] and "X-Forwarded-Host" in refused["detail"]


def test_an_upstream_s_own_name_is_refused_with_what_to_do_about_it(naive):
    refused = acted(naive("bindery"))
    assert (refused["status"], refused["type"]) == (421, "/problems/misdirected-request")
    assert "--allowed-hosts" in refused["detail"] and "pass Host on" in refused["detail"]


@pytest.mark.parametrize(
    "lines, options",
    [
        (["proxy_set_header Host $http_host;"], []),
        (["proxy_set_header X-Forwarded-Host $http_host;"], ["--trusted-proxy", "127.0.0.1"]),
    ],
    ids=["Host is passed on", "X-Forwarded-Host is sent by a trusted proxy"])
def test_each_cure_that_is_named_helps(naive, lines, options):
    assert acted(naive(ADDRESS, lines, [*options, "--allowed-hosts", HOST]))["text"] == "1"
