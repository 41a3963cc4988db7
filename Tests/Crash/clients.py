"""The load: clients that act, read and follow, and come back after every crash."""

import asyncio
import json
import random

from ledger import RING
from wire import PATIENCE, Connection, Lost

# A pause before the next try, so that the clients do not spin while the server is away.
PAUSE = 0.02
COUNT = ("counter", "text")


def seq(cursor):
    """The number of the commit that a cursor or an ETag names."""
    return int(cursor.strip('"').split(".")[0])


async def insist(connection, *request):
    """Asks until there is an answer other than 503."""
    while True:
        try:
            answer = await connection.ask(*request)
            if answer.status != 503:
                return answer
        except Lost:
            pass
        await asyncio.sleep(PAUSE)


class Writer:
    """Acts with a key each time, and tries the same key again until it is acknowledged."""

    def __init__(self, ledger, port, name):
        self.ledger, self.name = ledger, name
        self.connection = Connection(port)
        self.replays = 0

    async def run(self, stop):
        while not stop.is_set():
            await self.act()
        self.connection.close()

    async def act(self):
        ledger, number = self.ledger, self.ledger.issue()
        key = f"{self.name}-{number}"
        path, body = self.choose(number)
        request = "POST", path, [*ledger.headers, f'Idempotency-Key: "{key}"'], body
        floor = ledger.seen
        answer = await insist(self.connection, *request)
        if answer.status != 200:
            return ledger.faults.note("other", f"POST {path} of {ledger.name}: {answer}")
        self.replays += "idempotency-replayed" in answer.headers
        if path == "/counter/increment":
            count = int(answer.json()["text"])
            # A replay, too, shows the state after an action that began later.
            ledger.see(count, floor + 1, path)
            ledger.acknowledge(key, count, seq(answer.headers["etag"]))
        else:
            ledger.others += 1
        if random.random() < 0.1:
            await self.repeat(request, answer)

    @staticmethod
    def choose(number):
        match random.randrange(10):
            case 0:
                return "/login/validate", json.dumps({"id": random.choice(["", "taro"]), "password": "x"}).encode()
            case 1:
                return "/profile/load", json.dumps({"paramA": number, "paramB": f"no. {number}"}).encode()
            case _:
                return "/counter/increment", b""

    async def repeat(self, request, first):
        """Asks again for what was acknowledged: the answer is the same."""
        again = await insist(self.connection, *request)
        if (again.status, again.body, again.headers.get("etag"), again.headers.get("idempotency-replayed")) != (
                first.status, first.body, first.headers.get("etag"), "true"):
            self.ledger.faults.note("doubled", f"{self.ledger.name}: a repeated key gave {again}, not {first}")


class Reader:
    """Reads the counter again and again: what anybody was shown before must be there."""

    def __init__(self, ledger, port):
        self.ledger = ledger
        self.connection = Connection(port)

    async def run(self, stop):
        while not stop.is_set():
            floor = self.ledger.seen
            answer = await insist(self.connection, "GET", "/counter", self.ledger.headers)
            if answer.status == 200:
                self.ledger.see(int(answer.json()["text"]), floor, "GET /counter")
            else:
                self.ledger.faults.note("other", f"GET /counter of {self.ledger.name}: {answer}")
            await asyncio.sleep(random.uniform(0, 0.05))
        self.connection.close()


class Follower:
    """Follows a session by polls, by streams or by both in turn, with one cursor across all crashes."""

    def __init__(self, ledger, port, kinds, topics=None):
        self.ledger, self.kinds, self.topics = ledger, kinds, topics
        self.name = f"{ledger.name} by {'/'.join(kinds)}" + (f" of {topics}" if topics else "")
        self.connection = Connection(port)
        self.cursor = None
        self.state, self.shown = {}, []
        self.deltas = self.snapshots = 0

    @property
    def seq(self):
        return seq(self.cursor) if self.cursor else -1

    def follows(self, place):
        return not self.topics or place[0] == self.topics

    async def run(self):
        while True:
            try:
                await (self.stream() if random.choice(self.kinds) == "stream" else self.poll())
            except (Lost, OSError, EOFError, asyncio.TimeoutError):
                await asyncio.sleep(PAUSE)
            self.connection.close()

    async def poll(self):
        query = [f"since={self.cursor}"] * (self.cursor is not None) + [f"topics={self.topics}"] * bool(self.topics)
        answer = await self.connection.ask("GET", "/changes?" + "&".join([*query, "wait=5"]), self.ledger.headers)
        if answer.status == 200:
            return self.take(answer.json()["kind"], answer.json()["cursor"], answer.json())
        if answer.status != 503:
            self.ledger.faults.note("other", f"{self.name}: {answer}")
        raise Lost

    async def stream(self):
        headers = [*self.ledger.headers, "Accept: text/event-stream"]
        headers += [f"Last-Event-ID: {self.cursor}"] * (self.cursor is not None)
        async with asyncio.timeout(PATIENCE):
            await self.connection.send("GET", "/changes" + f"?topics={self.topics}" * bool(self.topics), headers)
            status, _ = await self.connection.head()
        if status != 200:
            raise Lost
        async for name, cursor, message in self.connection.events():
            self.take(name, cursor, message)
            # A client of both kinds changes over now and then, with the same cursor.
            if len(self.kinds) > 1 and random.random() < 0.05:
                return

    def take(self, kind, cursor, message):
        faults, before, after = self.ledger.faults, self.seq, seq(cursor) if cursor else -1
        if kind == "session-ended":
            return faults.note("lost", f"{self.name}: the session ended")
        if after < before:
            faults.note("gaps", f"{self.name}: the cursor went back from {self.cursor} to {cursor}")
        seqs = [change["seq"] for change in message.get("changes", [])]
        if seqs != sorted(seqs) or seqs and (seqs[-1] > after or kind == "delta" and seqs[0] <= before):
            faults.note("gaps", f"{self.name}: {self.cursor} was answered with {seqs} up to {cursor}")
        if kind == "snapshot" and self.cursor is not None:
            self.snapshots += 1
            self.state = {}
            if before > after - RING:
                faults.note("gaps", f"{self.name}: {self.cursor} was answered with a snapshot at {cursor}")
        self.deltas += kind == "delta"
        for change in message.get("changes", []):
            self.state[change["viewModel"], change["output"]] = change["value"]
        self.cursor = cursor
        if COUNT in self.state:
            count = int(self.state[COUNT])
            self.ledger.see(count, self.shown[-1][1] if self.shown else 0, self.name)
            self.shown.append((after, count))
