"""The server under test: started, killed and started again on the same file and port."""

import asyncio
import os
import signal
import socket
import subprocess
import time

from wire import Connection, Lost


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """One process at a time."""

    def __init__(self, binary, directory, durability):
        self.binary, self.port = binary, free_port()
        self.log = os.path.join(directory, "log")
        self.command = [
            binary, "serve", "--host", "127.0.0.1", "--port", str(self.port), "--durability", durability,
            "--store", f"sqlite:{os.path.join(directory, 'bindery.db')}", "--max-new-sessions", "100000",
            # Sessions leave memory and are loaded again, under the load, too.
            "--max-sessions", "8",
            # A long run uses more keys than a session has room for.
            "--max-keys", "10000000"]
        self.process = None

    def start(self):
        # The caller's own settings must not decide what is tested.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("BINDERY_")}
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)

    def kill(self):
        """Ends it with SIGKILL, if it runs."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    async def ready(self):
        """Returns the seconds until it was ready."""
        began = time.monotonic()
        connection = Connection(self.port)
        while time.monotonic() - began < 30:
            if self.process.poll() is not None:
                raise RuntimeError(f"the server ended by itself with status {self.process.returncode}:\n{self.tail()}")
            try:
                if (await connection.ask("GET", "/readyz")).status == 200:
                    connection.close()
                    return time.monotonic() - began
            except Lost:
                pass
            await asyncio.sleep(0.01)
        raise RuntimeError(f"the server was not ready within 30 s:\n{self.tail()}")

    async def stop(self):
        """Ends it with SIGTERM, and returns its status."""
        self.process.send_signal(signal.SIGTERM)
        return await asyncio.wait_for(asyncio.to_thread(self.process.wait), 12)

    def tail(self):
        with open(self.log, encoding="utf-8", errors="replace") as log:
            return "".join(log.readlines()[-20:])
