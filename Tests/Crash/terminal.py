"""The load that goes over the Swift client: the commands of the terminal, which are made of it."""

import asyncio
import json
import os


class Terminal:
    """Runs a program in one session."""

    def __init__(self, ledger, binary, port):
        self.ledger, self.binary = ledger, binary
        self.url = f"http://127.0.0.1:{port}"
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("BINDERY_")}
        if ledger.token:
            self.environment["BINDERY_TOKEN"] = ledger.token

    async def begin(self, *command, stdin=asyncio.subprocess.DEVNULL):
        """Starts it, with the server's URL after a command's name or alone."""
        return await asyncio.create_subprocess_exec(
            self.binary, *command[:1], self.url, *command[1:], env=self.environment, stdin=stdin,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)


class Caller(Terminal):
    """Acts by `bindery call`, which asks again until it is told what became of it."""

    def __init__(self, ledger, binary, port, name):
        super().__init__(ledger, binary, port)
        self.name, self.actions = name, 0

    async def run(self, stop):
        while not stop.is_set():
            await self.act()

    async def act(self):
        key = f"{self.name}-{self.ledger.issue()}"
        floor = self.ledger.seen
        process = await self.begin("call", "counter/increment", "--key", key)
        state, said = await process.communicate()
        if process.returncode != 0:
            self.ledger.faults.note("other", f"{self.name}: call ended with {process.returncode}: {said.decode()}")
            return
        count = int(json.loads(state)["text"])
        self.actions += 1
        self.ledger.increments[key] = count
        self.ledger.see(count, floor + 1, self.name)


class Watcher(Terminal):
    """Follows the counter by `bindery watch`, across all crashes."""

    topics = "counter"

    def __init__(self, ledger, binary, port):
        super().__init__(ledger, binary, port)
        self.name = f"{ledger.name} by watch"
        self.state, self.seqs, self.deltas = {}, {}, 0

    @property
    def seq(self):
        return max(self.seqs.values(), default=-1)

    @property
    def cursor(self):
        return f"#{self.seq}"

    @property
    def followers(self):
        return [self]

    def follows(self, place):
        return place[0] == self.topics

    async def run(self):
        process = await self.begin("watch", "--json", "--topics", self.topics)
        try:
            async for line in process.stdout:
                self.take(json.loads(line))
            said = await process.stderr.read()
            self.ledger.faults.note("other", f"{self.name}: watch ended: {said.decode()}")
        finally:
            process.kill()
            await process.wait()

    def take(self, change):
        place = (change["viewModel"], change["output"])
        self.deltas += 1
        # The newest of each output is told: some may be left out, and none is told after a later one. Twice only where it was away
        # for more than one crash, and is told everything anew.
        last = (self.seqs.get(place, -1), self.state.get(place))
        if change["seq"] < last[0] or (change["seq"] == last[0] and change["value"] != last[1]):
            self.ledger.faults.note("gaps", f"{self.name}: {place} is {change['value']} at #{change['seq']} after {last}")
        if place == ("counter", "text"):
            self.ledger.see(int(change["value"]), int(self.state.get(place, "0")), self.name)
        self.state[place], self.seqs[place] = change["value"], change["seq"]
