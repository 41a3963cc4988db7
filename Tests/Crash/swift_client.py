"""The load that goes over the Swift client, and what it is held to."""

import asyncio
import json
import random
import time

from clients import Follower, epoch, seq
from terminal import Caller, Terminal, Watcher
from wire import PATIENCE


class SwiftSessions:
    """Sessions in which only the Swift client acts: what is wrong there is its fault, or the server's to it.

    A process of each lives through all kills; the terminal's commands are others, with the pauses that a user's client has. In
    the last session all is quiet between two actions: no later one hides what a follower has missed.
    """

    def __init__(self, ledgers, server, program):
        self.ledgers = ledgers
        *busy, quiet = ledgers
        self.clients = [
            SwiftClient(ledger, program, server.port, f"swift-{number}", is_quiet=ledger is quiet)
            for number, ledger in enumerate(ledgers)]
        self.callers = [Caller(ledger, server.binary, server.port, f"t{number}") for number, ledger in enumerate(busy)]
        self.watchers = [Watcher(ledger, server.binary, server.port) for ledger in ledgers]

    @property
    def acting(self):
        return [*self.clients, *self.callers]

    def followers(self, ledger):
        return [
            follower for client in [*self.clients, *self.watchers] for follower in client.followers
            if follower.ledger is ledger]

    def summary(self, faults):
        followers = [follower for ledger in self.ledgers for follower in self.followers(ledger)]
        counts = faults.counts
        return (
            f"Swift clients: {sum(ledger.actions for ledger in self.ledgers)} actions, "
            f"{sum(client.away for client in self.clients)} of them begun while the server was away, "
            f"{sum(client.again for client in self.clients)} tries again, {sum(each.deltas for each in followers)} updates, "
            f"{counts['lost'] + counts['gaps']} missed, {counts['doubled']} doubled, {counts['stale']} stale, "
            f"{counts['other']} other")


class SwiftClient(Terminal):
    """A process that acts, binds and follows through all kills: what it says is held against the session's ledger."""

    def __init__(self, ledger, program, port, name, is_quiet):
        super().__init__(ledger, program, port)
        self.name, self.is_quiet = name, is_quiet
        self.told = {by: Told(ledger, f"{name}'s {by}") for by in ("stream", "slow stream", "polls")}
        self.bound = Bound(ledger, f"{name}'s bound counter")
        self.process = None
        self.asked = {}
        self.number = self.again = self.away = 0
        # The epochs in which the bound counter has shown an action's answer at once.
        self.reached = set()
        self.begun_away = set()

    @property
    def followers(self):
        return [*self.told.values(), self.bound]

    async def start(self):
        self.process = await self.begin(stdin=asyncio.subprocess.PIPE)

    async def listen(self):
        """Takes what the process says, until it has ended."""
        try:
            async for line in self.process.stdout:
                self.take(json.loads(line))
            status = await self.process.wait()
        finally:
            if self.process.returncode is None:
                self.process.kill()
        if status != 0 or self.asked:
            error = (await self.process.stderr.read()).decode()
            raise RuntimeError(f"{self.name} ended with status {status}, {len(self.asked)} answers owing: {error}")

    def take(self, said):
        if "number" in said:
            self.asked.pop(said["number"]).set_result(said)
        elif "again" in said:
            self.again += 1
        elif said["by"] == "bound":
            self.bound.take(int(said["value"]))
        else:
            self.told[said["by"]].take(said["kind"], said["cursor"], said)

    async def run(self, stop):
        """Acts and reads, several at once or one after the other."""
        acts = [self.act_and_be_told] if self.is_quiet else [self.act, self.act, self.act, self.show]
        await asyncio.gather(*[self.until(stop, act) for act in acts])
        await asyncio.gather(*self.begun_away)

    @staticmethod
    async def until(stop, act):
        while not stop.is_set():
            await act()

    def end(self):
        """Ends the process as its user would, by the end of its input."""
        self.process.stdin.close()

    def act_while_away(self):
        """Begins an action that nobody can take yet, where it is not to hide what was missed before."""
        if self.is_quiet:
            return
        self.away += 1
        self.begun_away.add(asyncio.create_task(self.act()))

    async def ask(self, *request):
        self.number += 1
        answer = self.asked[self.number] = asyncio.get_running_loop().create_future()
        self.process.stdin.write(" ".join([str(self.number), *request, "\n"]).encode())
        said = await answer
        if "failure" in said:
            raise RuntimeError(f"{self.name}: {' '.join(request)}: {said['failure']}")
        return said

    async def act(self):
        ledger, floor = self.ledger, self.ledger.seen
        # Under a key that the caller names, or of the client's own.
        mark = f"{self.name}-{ledger.issue()}"
        key = [mark] if random.random() < 0.5 else []
        said = await self.ask("act", *key)
        ledger.increments[mark] = said["count"]
        ledger.see(said["count"], floor + 1, self.name)
        # The answer of another epoch is shown when the changes have come as far (ARCHITECTURE.md, decisions).
        at = epoch(said["cursor"])
        if said["bound"] >= said["count"]:
            self.reached.add(at)
        elif at in self.reached:
            ledger.faults.note("stale", f"{self.bound.name} is {said['bound']} after {said['count']} was answered")
        if key and random.random() < 0.1:
            again = await self.ask("act", *key)
            if again["count"] != said["count"]:
                ledger.faults.note("doubled", f"{self.name}: a repeated key gave {again}, not {said}")

    async def act_and_be_told(self):
        """Acts, and goes on when every follower knows."""
        await self.act()
        count, limit = self.ledger.seen, time.monotonic() + PATIENCE
        while behind := [each for each in self.followers if int(each.state.get(("counter", "text"), -1)) < count]:
            if time.monotonic() > limit:
                for follower in behind:
                    self.ledger.faults.note("gaps", f"{follower.name} was not told of {count} within {PATIENCE} s")
                return
            # What they are told comes by this loop, too.
            await asyncio.sleep(0.005)

    async def show(self):
        floor = self.ledger.seen
        said = await self.ask("show")
        self.ledger.see(said["count"], floor, f"{self.name}'s state()")


class Told(Follower):
    """What the client's sequence of changes says: held to what a follower is, and that it says nothing twice."""

    def __init__(self, ledger, name):
        super().__init__(ledger, None, [name])
        self.name, self.seqs = name, {}

    def take(self, kind, cursor, message):
        for change in message["changes"]:
            place = (change["viewModel"], change["output"])
            if change["seq"] <= self.seqs.get(place, -1):
                self.ledger.faults.note("doubled", f"{self.name}: {change} after #{self.seqs[place]}")
            self.seqs[place] = change["seq"]
        # Over another connection the server stands where it stood.
        stands = kind == "delta" and not message["changes"] and seq(cursor) == self.seq
        super().take("idle" if stands else kind, cursor, message)


class Bound:
    """A variable that is bound to the counter: each value that it was set to, in order."""

    topics = "counter"

    def __init__(self, ledger, name):
        self.ledger, self.name, self.cursor, self.seq, self.deltas = ledger, name, "its end", -1, 0
        self.count = -1

    @property
    def state(self):
        return {("counter", "text"): str(self.count)}

    @staticmethod
    def follows(place):
        return place == ("counter", "text")

    def take(self, count):
        if count == self.count:
            self.ledger.faults.note("doubled", f"{self.name} is set to {count} twice")
        self.ledger.see(count, self.count, self.name)
        self.count = count
        self.deltas += 1
