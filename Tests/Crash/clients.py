"""The load: clients that act, read and follow, and come back after every crash."""

import asyncio
import json
import random

from wire import PATIENCE, Connection, Lost

# A moment before the next try, so that a server that is away is not asked in a busy loop.
PAUSE = 0.02


def epoch(cursor):
    return cursor.rsplit(".", 1)[0]


def seq(cursor):
    return int(cursor.rsplit(".", 1)[1])


async def insist(connection, *request):
    """Asks until there is an answer that says what became of it."""
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
        ledger = self.ledger
        number = ledger.issue()
        key = f"{self.name}-{number}"
        path, body = self.choose(number)
        headers = [*ledger.headers, f'Idempotency-Key: "{key}"']
        answer = await insist(self.connection, "POST", path, headers, body)
        if answer.status == 200:
            self.replays += "idempotency-replayed" in answer.headers
            self.acknowledge(path, key, answer)
            if random.random() < 0.1:
                await self.repeat(path, headers, body, answer)
        else:
            ledger.faults.note("other", f"POST {path} of {ledger.name}: {answer}")

    @staticmethod
    def choose(number):
        match random.randrange(10):
            case 0:
                return "/login/validate", json.dumps({"id": random.choice(["", "taro"]), "password": "x"}).encode()
            case 1:
                return "/profile/load", json.dumps({"paramA": number, "paramB": f"no. {number}"}).encode()
            case _:
                return "/counter/increment", b""

    def acknowledge(self, path, key, answer):
        if path == "/counter/increment":
            count = int(answer.json()["text"])
            self.ledger.increments[key] = count
            self.ledger.seen = max(self.ledger.seen, count)
        else:
            self.ledger.others += 1

    async def repeat(self, path, headers, body, first):
        """Asks once more for what was acknowledged: the same answer, and nothing happens."""
        again = await insist(self.connection, "POST", path, headers, body)
        same = (again.status, again.body, again.headers.get("etag"), again.headers.get("idempotency-replayed")) == (
            first.status, first.body, first.headers.get("etag"), "true")
        if not same:
            self.ledger.faults.note(
                "doubled", f"{self.ledger.name}: a repeated key of {path} gave {again}, not {first}")


class Reader:
    """Reads the counter again and again: what anybody was shown before it asked must be there."""

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
        self.state = {}
        self.deltas = 0

    @property
    def seq(self):
        return seq(self.cursor) if self.cursor else -1

    def follows(self, place):
        return not self.topics or place[0] == self.topics

    async def run(self):
        while True:
            kind = random.choice(self.kinds)
            try:
                await (self.stream() if kind == "stream" else self.poll())
            except (Lost, OSError, EOFError, asyncio.TimeoutError):
                await asyncio.sleep(PAUSE)
            self.connection.close()

    async def poll(self):
        query = [f"since={self.cursor}"] * (self.cursor is not None) + [f"topics={self.topics}"] * bool(self.topics)
        answer = await self.connection.ask("GET", "/changes?" + "&".join([*query, "wait=5"]), self.ledger.headers)
        if answer.status == 200:
            message = answer.json()
            self.take(message["kind"], message["cursor"], message)
        elif answer.status == 503:
            raise Lost
        else:
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
            # One that can do both goes over to the other now and then, with the same cursor.
            if len(self.kinds) > 1 and random.random() < 0.05:
                return

    def take(self, kind, cursor, message):
        faults, before = self.ledger.faults, self.seq
        if kind == "session-ended":
            faults.note("lost", f"{self.name}: the session ended")
            return
        if kind == "snapshot" and self.cursor is not None:
            faults.note("gaps", f"{self.name}: {self.cursor} was answered with a snapshot, {message['reason']}")
        if self.cursor is not None and epoch(cursor) == epoch(self.cursor):
            seqs = [change["seq"] for change in message.get("changes", [])]
            if kind == "delta" and [before + 1, *sorted(seqs), seq(cursor)] != sorted([before + 1, *seqs, seq(cursor)]):
                faults.note("gaps", f"{self.name}: {self.cursor} was answered with {seqs} up to {cursor}")
            if kind == "delta" and seqs != sorted(seqs):
                faults.note("gaps", f"{self.name}: {self.cursor} was answered out of order, with {seqs}")
            if seq(cursor) < before:
                faults.note("gaps", f"{self.name}: the cursor went back from {self.cursor} to {cursor}")
        self.deltas += kind == "delta"
        for change in message.get("changes", []):
            place = (change["viewModel"], change["output"])
            if place == ("counter", "text"):
                shown = int(self.state.get(place, "0"))
                self.ledger.see(int(change["value"]), shown, self.name)
            self.state[place] = change["value"]
        self.cursor = cursor
