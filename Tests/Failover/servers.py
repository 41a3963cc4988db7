"""The replicas and the proxy in front of them, as processes."""

import asyncio
import contextlib
import os
import re
import shutil
import signal

from database import children
from processes import CONFIGURATIONS, PATH, Process


class Replica(Process):
    """A Bindery on a port of its own, which it keeps when it is started again."""

    def __init__(self, binary, directory, uri):
        super().__init__(directory)
        self.binary, self.uri = binary, uri
        self.port = self.port_of_its_own()

    def start(self):
        self.launch(
            self.binary, "serve", "--host", "127.0.0.1", "--port", str(self.port), "--store", self.uri, "--log", "json",
            "--threads", "2", "--trusted-proxy", "127.0.0.1", "--max-new-sessions", "100000",
            # A long run uses more keys than a session has room for; sessions are to leave memory and come back, too.
            "--max-keys", "10000000", "--max-key-bytes", "4000000000", "--idle-memory", "2")

    async def start_until_it_runs(self):
        """As whoever looks after it does: without a database it does not start, and is tried again."""
        while True:
            before = len(self.said())
            self.start()
            while self.process.poll() is None:
                if '"event":"server-started"' in self.said()[before:]:
                    return
                await asyncio.sleep(0.05)
            if not re.search(r'"event":"start-failed","reason":"[^"]*postgres://', self.said()[before:]):
                raise RuntimeError(f"{self.directory.name} does not start:\n{self.said()[before:]}")
            await asyncio.sleep(0.2)

    def kill_now(self):
        """Ends it with SIGKILL; it keeps its port."""
        self.process.kill()
        self.process.wait()


class Front(Process):
    """nginx before the replicas, one after the other, as deploy/proxies/nginx.conf has it."""

    def __init__(self, directory, replicas):
        super().__init__(directory)
        self.replicas = replicas
        self.port = self.port_of_its_own()

    def start(self):
        kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        places = "\n".join(f"{kind}_temp_path {self.directory}/{kind};" for kind in kinds)
        main = self.directory / "main.conf"
        main.write_text(f"""
            {"user root;" if os.geteuid() == 0 else ""}
            daemon off;
            worker_processes 1;
            pid {self.directory}/pid;
            error_log stderr error;
            events {{ worker_connections 1024; }}
            http {{
                access_log off;
                {places}
                include {self.configuration()};
            }}""")
        self.launch(shutil.which("nginx", path=PATH), "-c", main, "-p", self.directory, "-e", "stderr")

    def configuration(self):
        """The configuration as an operator copies it, with the replicas of this test, and without TLS."""
        text = (CONFIGURATIONS / "nginx.conf").read_text()
        servers = "\n    ".join(f"server 127.0.0.1:{replica.port};" for replica in self.replicas)
        for pattern, place in {
                r"server 127\.0\.0\.1:8080;": servers, r"listen 80;": f"listen 127.0.0.1:{self.port};",
                r"listen 443.*;": "", r"ssl_certificate.*;": "", r"server_name .*;": "server_name localhost;"}.items():
            text, count = re.subn(pattern, place, text)
            if not count:
                raise RuntimeError(f"deploy/proxies/nginx.conf has no '{pattern}'")
        path = self.directory / "bindery.conf"
        path.write_text(text)
        return path

    def cut(self):
        """Ends all connections, those to clients and those to the replicas: nginx begins another worker at once."""
        for worker in children(self.process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)
