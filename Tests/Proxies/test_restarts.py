"""Servers are started again under load, and nobody notices: the proxies try nothing twice.

PROXIES_REQUESTS says how many requests there are at least; each of them counts."""

import asyncio
import os
import socket
import subprocess
from collections import Counter

from client import HOST, Client
from processes import Bindery, HAProxy, Nginx, eventually
from test_upgrade import Behind
from wire import Lost

REQUESTS = int(os.environ.get("PROXIES_REQUESTS", "2000"))
RESTARTS = 2
CLIENTS = 16
# The same in all that are started: a proxy's own would hide what they do.
OPTIONS = ("--trusted-proxy", "127.0.0.1", "--allowed-hosts", HOST, "--drain-delay", "3")


class Kept(Bindery):
    """A server on a socket that outlives it, as systemd's socket units have it."""

    def __init__(self, directory, *options):
        super().__init__(directory, *options)
        self.listener = socket.create_server(("127.0.0.1", self.port), reuse_port=False)

    def launch(self, program, *arguments):
        # The shell's process becomes the server's; the socket is number 3 there.
        command = 'exec 3<&"$1"; shift; LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=http exec "$@"'
        descriptor = self.listener.fileno()
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                ["bash", "-c", command, "bash", str(descriptor), program, *arguments], cwd=self.directory,
                pass_fds=[descriptor], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)

    def kill(self):
        super().kill()
        self.listener.close()


class Once(Nginx):
    """nginx that asks one server, once."""

    def configuration(self, replacements):
        return super().configuration(
            replacements | {"proxy_next_upstream error timeout;": "proxy_next_upstream off;"})


class Two(HAProxy):
    """HAProxy before two servers, of which it asks one, once."""

    def __init__(self, directory, upstreams, certificate):
        super().__init__(directory, upstreams[0], certificate)
        self.second = upstreams[1]

    def configuration(self, replacements):
        second = f"server second 127.0.0.1:{self.second} check\n"
        return super().configuration({
            "    retries 10\n": "    retries 0\n", "    retry-on conn-failure empty-response\n": "",
            "    server last-resort 127.0.0.1:8080 backup\n": f"    {second}", **replacements})

    def is_up(self, server):
        """Whether what it said last of a server is that it is up."""
        lines = [line for line in self.said().splitlines() if f"Server bindery/{server} is " in line]
        return not lines or " is UP" in lines[-1]


async def load(port, until_done):
    """Acts until that is done, and returns what was answered, and what was not."""
    answers, refusals = Counter(), Counter()

    async def act():
        connection = Behind(port, refusals)
        while not until_done(answers.total()):
            try:
                answers[(await connection.ask("POST", "/counter/increment")).status] += 1
            except Lost:
                answers["lost"] += 1

    await asyncio.gather(*(act() for _ in range(CLIENTS)))
    return answers, refusals


async def under_load(port, restart):
    """Starts something again and again as long as there is load; returns what became of all requests."""
    restarts = 0

    def is_done(count):
        return count >= REQUESTS and restarts >= RESTARTS

    acting = asyncio.create_task(load(port, is_done))
    while not acting.done():
        await asyncio.to_thread(restart)
        restarts += 1
    return (*acting.result(), restarts)


def shown(port):
    with Client(port) as client:
        return int(client.ask("GET", "/counter").json()["text"])


def judge(answers, refusals, restarts, counted):
    print(f"{answers.total()} requests, {restarts} restarts: {dict(answers)}, {dict(refusals)}")
    assert set(answers) == {200} and not refusals
    assert answers[200] == counted


def test_nobody_is_refused_where_the_socket_is_kept_behind_nginx(tmp_path, certificate):
    server = Kept(tmp_path / "server", *OPTIONS)
    proxy = Once(tmp_path / "proxy", server.port, certificate)
    try:
        server.start()
        proxy.start()

        def restart():
            server.terminate()
            assert server.wait() == 0
            server.start()

        result = asyncio.run(under_load(proxy.http, restart))
        judge(*result, shown(proxy.http))
    finally:
        proxy.kill()
        server.kill()


def test_nobody_is_refused_where_haproxy_sees_a_server_drain_and_has_another(tmp_path, certificate):
    servers = {name: Bindery(tmp_path / name, *OPTIONS) for name in ("first", "second")}
    proxy = Two(tmp_path / "proxy", [server.port for server in servers.values()], certificate)
    turns = list(servers)
    try:
        for server in servers.values():
            server.start()
        proxy.start()

        def restart():
            name = turns.pop(0)
            turns.append(name)
            servers[name].terminate()
            eventually(lambda: not proxy.is_up(name), proxy.said)
            assert servers[name].wait() == 0
            servers[name].start()
            eventually(lambda: proxy.is_up(name), proxy.said)

        result = asyncio.run(under_load(proxy.http, restart))
        judge(*result, sum(shown(server.port) for server in servers.values()))
    finally:
        proxy.kill()
        for server in servers.values():
            server.kill()
