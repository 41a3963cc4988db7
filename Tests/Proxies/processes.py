"""Bindery and the proxies as processes of the test, each with a directory of its own."""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

from client import HOST, Client

CONFIGURATIONS = pathlib.Path(__file__).parents[2] / "deploy/proxies"
PROMPTNESS = 15


def eventually(condition, what, seconds=PROMPTNESS):
    """Waits until the condition gives something, and returns it."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        if found := condition():
            return found
        time.sleep(0.01)
    raise AssertionError(f"not within {seconds} s: {what() if callable(what) else what}")


class Process:
    """A program with its output in a file; it ends with the test."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.directory.mkdir(parents=True)
        self.log = self.directory / "log"
        self.log.touch()
        self.process = None
        self.ports = []

    def port_of_its_own(self):
        """A port that nobody else is given as long as the program may be started: a proxy cannot pick one and tell."""
        port = socket.socket()
        # Bound but not listening, it lets only those in who ask for this very port.
        port.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        port.bind(("127.0.0.1", 0))
        self.ports.append(port)
        return port.getsockname()[1]

    def launch(self, *command, settings=None):
        # Where a program keeps things of its own (Caddy), it does so here; a group, so that none of it is left.
        environment = os.environ | (settings or {}) | {
            "HOME": str(self.directory), "XDG_DATA_HOME": str(self.directory), "XDG_CONFIG_HOME": str(self.directory)}
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command, cwd=self.directory, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True)

    def terminate(self):
        """Asks it to end."""
        self.process.send_signal(signal.SIGTERM)

    def wait(self):
        """Waits for its end and returns its status."""
        return self.process.wait(PROMPTNESS)

    def crash(self):
        """Ends it with SIGKILL; it keeps its port."""
        self.process.kill()
        self.process.wait()

    def kill(self):
        if self.process is not None and self.process.returncode is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        for port in self.ports:
            port.close()

    def said(self):
        return self.log.read_text(errors="replace")

    def alive(self):
        assert self.process.poll() is None, f"ended with status {self.process.returncode}:\n{self.said()}"
        return True


def placed(path, places):
    """A file as an operator copies it, with places of the test's own; each that they replace has to be there."""
    text = path.read_text()
    for placeholder, place in places.items():
        if placeholder not in text:
            raise RuntimeError(f"{path.name} has no '{placeholder}'")
        text = text.replace(placeholder, place)
    return text


def nginx(directory, configuration):
    """The command for nginx with a whole nginx.conf: in the foreground, and with all that it writes in a directory."""
    kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    places = " ".join(f"{kind}_temp_path {directory}/{kind};" for kind in kinds)
    main = directory / "main.conf"
    main.write_text(configuration.replace("http {", f"http {{ {places}", 1))
    own = f"daemon off; pid {directory}/pid;" + (" user root;" if os.geteuid() == 0 else "")
    return shutil.which("nginx", path=PATH), "-c", main, "-p", directory, "-e", "stderr", "-g", own


class Bindery(Process):
    """A server on a port of its own, which it keeps when it is started again."""

    def __init__(self, directory, *options):
        super().__init__(directory)
        self.options = options
        self.port = self.port_of_its_own()

    def begin(self):
        self.launch(
            os.environ["PROXIES_BINARY"], "serve", "--host", "127.0.0.1", "--port", str(self.port),
            "--store", f"sqlite:{self.directory / 'bindery.db'}", "--log", "json", "--threads", "2", *self.options)

    def start(self):
        before = len(self.said())
        self.begin()
        eventually(lambda: self.alive() and '"event":"server-started"' in self.said()[before:], self.said)
        return self

    def client_of(self, answer):
        """The client's address in the log's line about this answer, which is a problem or answers an action."""
        request = answer.headers["Request-Id"]
        assert request, f"no Request-Id: {answer.headers}"

        def line():
            lines = (json.loads(line) for line in self.said().splitlines() if f'"requestId":"{request}"' in line)
            return next(lines, None)

        return eventually(line, self.said)["client"]


class Proxy(Process):
    """A proxy that listens on two ports, for HTTP and for HTTPS, before one server."""

    def __init__(self, directory, upstream, certificate):
        super().__init__(directory)
        self.upstream, self.certificate = upstream, certificate
        self.http, self.https = self.port_of_its_own(), self.port_of_its_own()

    def configuration(self, replacements):
        """The configuration as an operator copies it, with the places of this test; returns its path."""
        path = self.directory / self.file
        path.write_text(placed(CONFIGURATIONS / self.file, replacements))
        return path

    def start(self):
        self.launch(*self.command())

        def answers():
            self.alive()
            try:
                with Client(self.http) as client:
                    return client.ask("GET", "/livez").status < 500
            except OSError:
                return False

        eventually(answers, self.said)
        return self


class Nginx(Proxy):
    file = "nginx.conf"

    def included(self):
        return self.configuration({
            "127.0.0.1:8080": f"127.0.0.1:{self.upstream}", "listen 80;": f"listen 127.0.0.1:{self.http};",
            "listen 443": f"listen 127.0.0.1:{self.https}", "server_name example.com": f"server_name {HOST}",
            "/etc/ssl/certs/bindery.pem": self.certificate, "/etc/ssl/private/bindery.key": self.certificate})

    def command(self):
        # As Debian's nginx.conf, as far as it matters: compression is on there.
        return nginx(self.directory, f"""
            worker_processes 1;
            error_log stderr warn;
            events {{ worker_connections 768; }}
            http {{
                access_log off;
                gzip on;
                gzip_types application/json text/event-stream;
                include {self.included()};
            }}""")


class HAProxy(Proxy):
    file = "haproxy.cfg"

    def command(self):
        main = self.directory / "global.cfg"
        main.write_text("global\n    log stdout format raw local0\n    maxconn 1000\n")
        configuration = self.configuration({
            "127.0.0.1:8080": f"127.0.0.1:{self.upstream}", "bind :80\n": f"bind 127.0.0.1:{self.http}\n",
            "bind :443 ": f"bind 127.0.0.1:{self.https} ", "/etc/ssl/private/bindery.pem": self.certificate})
        return shutil.which("haproxy", path=PATH), "-db", "-f", main, "-f", configuration


class Caddy(Proxy):
    file = "Caddyfile"

    def command(self):
        configuration = self.configuration({
            "127.0.0.1:8080": f"127.0.0.1:{self.upstream}",
            "\nexample.com {": f"\nhttp://{HOST}:{self.http}, https://{HOST}:{self.https} {{\n\tbind 127.0.0.1\n"})
        main = self.directory / "main.Caddyfile"
        # A certificate of its own making, told to nobody.
        main.write_text(f"""{{
            admin off
            auto_https disable_redirects
            local_certs
            skip_install_trust
        }}
        import {configuration}
        """)
        return shutil.which("caddy", path=PATH), "run", "--adapter", "caddyfile", "--config", main


# Where Debian puts them is not on everybody's path.
PATH = f"{os.environ['PATH']}:/usr/sbin"
PROXIES = {"nginx": Nginx, "haproxy": HAProxy, "caddy": Caddy}
