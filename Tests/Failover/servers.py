"""The replicas and the proxy in front of them, as processes."""

import asyncio
import contextlib
import os
import signal

from database import children
from deployed import REPLICAS, settings_of
from processes import Process, nginx, placed


class Replica(Process):
    """A Bindery as it is deployed, on a port of its own, which it keeps when it is started again."""

    def __init__(self, binary, directory, uri, *options):
        super().__init__(directory)
        self.binary, self.uri, self.options = binary, uri, options
        self.port = self.port_of_its_own()

    def start(self):
        self.launch(
            self.binary, "serve", "--log", "json", "--max-new-sessions", "100000", *self.options,
            settings=settings_of(self.directory.name) | {
                "BINDERY_HOST": "127.0.0.1", "BINDERY_PORT": str(self.port), "BINDERY_ADMIN": "127.0.0.1:0",
                "BINDERY_STORE": self.uri, "BINDERY_TRUSTED_PROXY": "127.0.0.1"})

    async def start_until_it_runs(self):
        """Starts it again until it reaches a database, as a supervisor does."""
        while True:
            before = len(self.said())
            self.start()
            while self.process.poll() is None:
                if '"event":"server-started"' in self.said()[before:]:
                    return
                await asyncio.sleep(0.05)
            if '"event":"start-failed","reason":"postgres://' not in self.said()[before:]:
                raise RuntimeError(f"{self.directory.name} does not start:\n{self.said()[before:]}")
            await asyncio.sleep(0.2)

    def runs(self):
        """The lines that the work of effects has written."""
        path = self.directory / "runs"
        return path.read_text().splitlines() if path.exists() else []


class Front(Process):
    """nginx before the replicas, each asked in turn, as deploy/replicas/nginx.conf has it."""

    def __init__(self, directory, replicas):
        super().__init__(directory)
        self.replicas = replicas
        self.port = self.port_of_its_own()

    def start(self):
        places = {f"{replica.directory.name}:8080": f"127.0.0.1:{replica.port}" for replica in self.replicas}
        places["listen 80;"] = f"listen 127.0.0.1:{self.port};"
        self.launch(*nginx(self.directory, placed(REPLICAS / "nginx.conf", places)))

    def cut(self):
        """Ends all connections: nginx replaces a killed worker at once."""
        for worker in children(self.process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)
