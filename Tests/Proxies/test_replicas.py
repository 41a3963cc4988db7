"""Three replicas over a database, behind each proxy as deploy/replicas configures it."""

import pathlib
import sys
import tempfile
import time

import pytest

from client import HOST, Client
from processes import Bindery, Caddy, HAProxy, Nginx, eventually, nginx, placed

ROOT = pathlib.Path(__file__).parents[2]
sys.path.append(str(ROOT / "Tests/Failover"))
from database import alone  # noqa: E402

REPLICAS = ("replica-1", "replica-2", "replica-3")
OPTIONS = ("--trusted-proxy", "127.0.0.1", "--allowed-hosts", HOST)


def own(cls):
    """The proxy as deploy/replicas has it, with the replicas' ports in the places of their names."""

    class Own(cls):
        def configuration(self, replacements):
            places = {f"{name}:8080": f"127.0.0.1:{port}" for name, port in zip(REPLICAS, self.upstream, strict=True)}
            del replacements["127.0.0.1:8080"]
            path = self.directory / self.file
            path.write_text(placed(ROOT / "deploy/replicas" / self.file, places | replacements))
            return path

    return Own


class WholeNginx(Nginx):
    """Its file for replicas is the whole nginx.conf, without TLS."""

    def command(self):
        places = {f"{name}:8080": f"127.0.0.1:{port}" for name, port in zip(REPLICAS, self.upstream, strict=True)}
        places["listen 80;"] = f"listen 127.0.0.1:{self.http};"
        return nginx(self.directory, placed(ROOT / "deploy/replicas/nginx.conf", places))


PROXIES = {"nginx": WholeNginx, "haproxy": own(HAProxy), "caddy": own(Caddy)}


@pytest.fixture(scope="module")
def database():
    """A PostgreSQL server, in a directory that its user can reach."""
    with tempfile.TemporaryDirectory() as directory, alone(directory) as node:
        yield node


@pytest.fixture(scope="module")
def replicas(tmp_path_factory, database):
    """Three replicas, with the database there."""
    servers = [Bindery(tmp_path_factory.mktemp("replicas") / name, *OPTIONS, "--store", database.uri) for name in REPLICAS]
    try:
        for server in servers:
            server.start()
        yield servers
    finally:
        for server in servers:
            server.kill()


@pytest.fixture(params=PROXIES)
def port(request, tmp_path, replicas, certificate):
    """The port of each proxy before the replicas."""
    proxy = PROXIES[request.param](tmp_path / request.param, [server.port for server in replicas], certificate)
    try:
        proxy.start()
        yield proxy.http
    finally:
        proxy.kill()


def asked(port, method, *headers):
    with Client(port) as client:
        return client.ask(method, "/counter" if method == "GET" else "/counter/increment", headers)


def ready(server):
    with Client(server.port) as client:
        return client.ask("GET", "/readyz").status == 200


def test_while_the_database_is_away_the_replicas_themselves_say_so_and_at_once(port, replicas, database):
    assert {asked(port, "POST").status for _ in range(6)} == {200}
    longest, answers = 0, []
    database.kill()
    try:
        eventually(lambda: not any(ready(server) for server in replicas), "none is ready")
        # Before the proxy has looked, which it does each second, and after.
        limit = time.monotonic() + 3
        while time.monotonic() < limit:
            began = time.monotonic()
            answers += [asked(port, method) for method in ("GET", "POST")]
            longest = max(longest, time.monotonic() - began)
    finally:
        database.start()
    assert longest < 2
    for answer in answers:
        assert answer.status == 503 and answer.headers["Retry-After"], answer
        assert answer.json()["type"].endswith("store-unavailable"), answer
    eventually(lambda: all(ready(server) for server in replicas), "all are ready")
    eventually(lambda: asked(port, "POST").status == 200, "it goes on")


def test_nobody_notices_that_a_replica_is_gone(port, replicas):
    replicas[1].crash()
    try:
        answers = [asked(port, method, ("Idempotency-Key", f'"{number}"')) for number in range(30) for method in ("GET", "POST")]
    finally:
        replicas[1].start()
    assert {answer.status for answer in answers} == {200}, answers
