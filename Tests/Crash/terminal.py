"""The terminal's commands as clients: `bindery call` acts, and `bindery watch` follows across all crashes."""

import asyncio
import json
import os

from clients import COUNT, PAUSE


class Terminal:
    """Runs the program in one session."""

    def __init__(self, ledger, server):
        self.ledger, self.server = ledger, server

    async def begin(self, command, *operands):
        with open(f"{self.server.log}-{command}", "ab") as log:
            return await asyncio.create_subprocess_exec(
                self.server.binary, command, f"http://127.0.0.1:{self.server.port}", *operands,
                env=os.environ | {"BINDERY_TOKEN": self.ledger.token}, stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE, stderr=log)


class Caller(Terminal):
    """Acts by `bindery call`. It ends if it never reached the server; then it is run again with the same key."""

    async def run(self, stop):
        while not stop.is_set():
            key, floor, status = f"call-{self.ledger.issue()}", self.ledger.seen, None
            while status != 0:
                process = await self.begin("call", "counter/increment", "--key", key)
                state, _ = await process.communicate()
                status = process.returncode
            count = int(json.loads(state)["text"])
            self.ledger.see(count, floor + 1, "bindery call")
            self.ledger.acknowledge(key, count)


class Watcher(Terminal):
    """Follows the counter by `bindery watch`."""

    topics = "counter"

    def __init__(self, ledger, server):
        super().__init__(ledger, server)
        self.name, self.cursor = f"{ledger.name} by watch", "its end"
        self.state, self.shown = {}, []
        self.deltas = self.snapshots = 0

    def follows(self, place):
        return place[0] == self.topics

    async def run(self):
        # It, too, ends if it never reached the server.
        while not self.shown:
            process = await self.begin("watch", "--json", "--snapshot", "--topics", self.topics)
            try:
                async for line in process.stdout:
                    self.take(json.loads(line))
                await asyncio.sleep(PAUSE)
            finally:
                if process.returncode is None:
                    process.kill()
                await process.wait()
        self.ledger.faults.note("other", f"{self.name}: it ended")

    def take(self, change):
        place = (change["viewModel"], change["output"])
        self.state[place] = change["value"]
        self.deltas += 1
        if place == COUNT:
            count = int(change["value"])
            self.ledger.see(count, self.shown[-1][1] if self.shown else 0, self.name)
            self.shown.append((change["seq"], count))
