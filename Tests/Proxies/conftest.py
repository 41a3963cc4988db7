"""Each proxy before a Bindery of its own, and the polls and streams that wait through the whole run."""

import signal
import subprocess
import sys

import pytest

from client import HOST
from held import Held
from processes import PROXIES, Bindery

# Whoever ends the test ends the processes with it.
signal.signal(signal.SIGTERM, lambda *_: sys.exit("Tests/Proxies: ended by SIGTERM"))


class Site:
    """A Bindery and the proxy before it."""

    def __init__(self, name, directory, certificate, *options):
        self.name = name
        self.bindery = self.proxy = self.held = None
        try:
            self.bindery = Bindery(
                directory / f"{name}-bindery", "--trusted-proxy", "127.0.0.1", "--allowed-hosts", HOST,
                "--max-new-sessions", "1000", *options)
            self.bindery.start()
            self.proxy = PROXIES[name](directory / name, self.bindery.port, certificate)
            self.proxy.start()
        except BaseException:
            self.close()
            raise

    def close(self):
        for process in self.proxy, self.bindery:
            if process:
                process.kill()


@pytest.fixture(scope="session")
def certificate(tmp_path_factory):
    """A self-signed certificate and its key, in one file, as HAProxy wants it."""
    path = tmp_path_factory.mktemp("certificate") / "pem"
    command = "openssl req -x509 -nodes -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -days 2"
    subprocess.run(
        [*command.split(), "-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}", "-keyout", path,
         "-out", f"{path}.crt"], check=True, capture_output=True)
    with path.open("a") as both, open(f"{path}.crt") as own:
        both.write(own.read())
    return str(path)


@pytest.fixture(scope="session")
def sites(request, tmp_path_factory, certificate):
    """A site by proxy, for the whole run."""
    some = {}
    try:
        for name in PROXIES:
            some[name] = Site(name, tmp_path_factory.mktemp("site"), certificate)
        # Begun first, so that they have waited long enough when all else is done.
        if any("held" in item.fixturenames for item in request.session.items):
            for site in some.values():
                site.held = Held(site.proxy.http)
        yield some
    finally:
        for site in some.values():
            site.close()


@pytest.fixture(params=PROXIES)
def site(request, sites):
    """Each of the sites."""
    return sites[request.param]


@pytest.fixture
def held(site):
    """What waits at the site since the run began."""
    return site.held


@pytest.fixture
def make_site(tmp_path, certificate):
    """Makes sites of a test's own: `make_site(proxy, option, …)`."""
    made = []

    def make(name, *options):
        made.append(Site(name, tmp_path, certificate, *options))
        return made[-1]

    yield make
    for site in made:
        site.close()
