"""Servers, sessions with their clients, and the history of what the clients saw."""

import asyncio
import json
import pathlib
import random
import statistics
import time
from collections import Counter

from client import seq
from history import Verdict
from load import Follower, Reader, Visitor, Writer, beginning, shown
from servers import Front, Replica
from wire import PATIENCE, Connection, Lost

# A long run uses more keys than a session has room for.
OPTIONS = ["--threads", "2", "--max-keys", "10000000"]
UNANSWERED = (0, 502, 503, 504)
# The named entities of Desks/Desks.swift, and the seconds in which their effects must come to an end.
DESKS, LEASES = ["desks/main", "desks/side"], 60


class World:
    """Servers of one store, and clients that ask at one port."""

    def __init__(self, directory, servers, port, host="localhost", sessions=4, visitors=2, pace=0.03):
        self.servers, self.port, self.host = servers, port, host
        self.counts, self.pace = (sessions, visitors), pace
        self.path = pathlib.Path(directory) / "history.jsonl"
        self.history = self.path.open("w", encoding="utf-8")
        # Each try of an action or a read since the round began, as (begin, end, what, status); what must not be.
        self.tries, self.stuck = [], []
        # By name, the headers of those who use it; a desk is for all.
        self.sessions, self.clients, self.followers = {}, [], []
        self.stop = asyncio.Event()
        self.begun = 0

    def connect(self, port=None):
        return Connection(port or self.port, self.host)

    def record(self, op, session, client, begin, end, **members):
        self.history.write(json.dumps(
            {"op": op, "session": session, "client": client, "begin": begin, "end": end, **members}) + "\n")

    def tried(self, op, begin, status):
        self.tries.append((begin, time.monotonic(), op, status))

    def refused(self, since):
        """What began since a moment and was not answered."""
        return Counter((op, status) for begin, _, op, status in self.tries if begin >= since and status in UNANSWERED)

    def outage(self, op, since):
        """How many tries were not answered since a moment, and when the last of them was over."""
        failed = [end for _, end, each, status in self.tries if each == op and end >= since and status in UNANSWERED]
        return len(failed), max(failed, default=since) - since

    async def wait_until_ready(self):
        """Until each server says that it is ready, and actions in each session are acknowledged."""
        async with asyncio.timeout(40):
            for server in self.servers:
                connection, status = self.connect(server.port), None
                while status != 200:
                    try:
                        status = (await connection.ask("GET", "/readyz")).status
                    except Lost:
                        pass
                    if server.process.poll() is not None:
                        raise RuntimeError(f"{server.directory.name} ended by itself:\n{server.said()[-2000:]}")
                    await asyncio.sleep(0.05)
                connection.close()
            for session, callers in self.sessions.items():
                someone = Writer(self, session, random.choice(callers))
                await someone.act(is_patient=True)
                someone.close()

    async def begin(self, name):
        """Begins a session and returns its name and the header that stands for it."""
        connection, answer = self.connect(), None
        while not answer or answer.status != 201:
            try:
                answer = await connection.ask("POST", "/sessions")
            except Lost:
                await asyncio.sleep(0.05)
        connection.close()
        self.begun += 1
        session, now = f"{name}{self.begun}", time.monotonic()
        self.record("start", session, "world", now, now, at=answer.json()["cursor"], shows=beginning(session))
        return session, [f"Authorization: Bearer {answer.json()['token']}"]

    async def begin_load(self, desks=()):
        now, public = time.monotonic(), await self.ask("/session")
        shows = shown(public["viewModels"], beginning("public"))
        self.record("start", "public", "world", now, time.monotonic(), at=public["cursor"], shows=shows)
        sessions, visitors = self.counts
        self.sessions = {"public": [[]]}
        for name, headers in [await self.begin("session") for _ in range(sessions)]:
            self.sessions[name] = [headers]
        everybody = [headers for callers in self.sessions.values() for headers in callers]
        for desk in desks:
            at = (await self.ask(f"/{desk}/changes?wait=0"))["cursor"]
            self.record("start", desk, "world", now, time.monotonic(), at=at, shows=beginning(desk))
            self.sessions[desk] = everybody
        for session, callers in self.sessions.items():
            self.clients += [Writer(self, session, random.choice(callers)) for _ in range(3)]
            self.clients += [Reader(self, session, random.choice(callers)) for _ in range(2)]
            self.followers += [
                Follower(self, session, random.choice(callers), kinds)
                for kinds in (["stream"], ["poll"], ["poll", "stream"])]
        self.clients += [Visitor(self) for _ in range(visitors)]
        self.acting = [asyncio.create_task(client.run(self.stop)) for client in self.clients]
        self.following = [asyncio.create_task(follower.run()) for follower in self.followers]

    async def ask(self, path):
        """What a path shows to the public session."""
        connection = self.connect()
        shown = (await connection.ask("GET", path)).json()
        connection.close()
        return shown

    def see_to_clients(self):
        """A client that fails ends the test."""
        for task in [*self.acting, *self.following]:
            if task.done():
                task.result()

    async def end_load(self):
        """Lets everybody finish, and looks once more at all sessions, at each server."""
        self.stop.set()
        await asyncio.gather(*self.acting)
        for task in self.following:
            task.cancel()
        await asyncio.gather(*self.following, return_exceptions=True)
        for follower in self.followers:
            follower.close()
            async with asyncio.timeout(PATIENCE):
                await follower.poll(0)
            follower.close()
        for server in self.servers:
            for session, callers in self.sessions.items():
                reader = Reader(self, session, random.choice(callers))
                reader.connection = self.connect(server.port)
                if not await reader.read(reader.paths[-1]):
                    self.stuck.append(f"{server.directory.name}: {session} cannot be read at the end")
                reader.close()

    def judge(self):
        """The verdict on what the clients saw."""
        self.history.close()
        with self.path.open(encoding="utf-8") as history:
            return Verdict(history)


class Cluster(World):
    """Two databases, three replicas and a proxy."""

    def __init__(self, binary, directory, options, pair):
        directory = pathlib.Path(directory)
        self.pair, self.desks = pair, DESKS if options.desks else []
        self.replicas = [Replica(binary, directory / f"replica-{number}", pair.uri, *OPTIONS) for number in range(1, 4)]
        self.front = Front(directory / "nginx", self.replicas)
        super().__init__(
            directory, [*self.replicas, self.front], self.front.port, sessions=options.sessions, pace=options.pace)

    async def start(self):
        await asyncio.to_thread(self.pair.start)
        await asyncio.gather(*(replica.start_until_it_runs() for replica in self.replicas))
        self.front.start()
        await self.wait_until_ready()

    def end(self):
        for server in [self.front, *self.replicas]:
            server.kill()
        self.pair.end()

    async def end_load(self):
        self.stop.set()
        await asyncio.gather(*self.acting)
        await self.end_effects()
        await super().end_load()

    async def end_effects(self):
        """Waits until the store has no effect any more, and writes down what became of all."""
        limit, query = time.monotonic() + LEASES, "SELECT id FROM bindery.entities WHERE due IS NOT NULL"
        while left := await asyncio.to_thread(self.pair.primary.ask, query, database="bindery"):
            if time.monotonic() > limit:
                self.stuck.append(f"effects of {left.split()} are left {LEASES} s after the load")
                break
            await asyncio.sleep(0.1)
        desks = {desk: await self.ask(f"/{desk}") for desk in self.desks}
        runs = [line.split() for replica in self.replicas for line in replica.runs()]
        for desk, shown in desks.items():
            own, now = desk.split("/")[1], time.monotonic()
            self.record(
                "effects", desk, "world", now, now, effects={
                    "count": int(shown["text"]), "ledger": shown["ledger"],
                    "done": desks[DESKS[0]]["ledger"]["done"].get(own, 0),
                    "runs": [[int(number), *run] for name, number, *run in runs if name == own]})

    async def wake_times(self, acting, following, count=200):
        """Milliseconds from the answer of an action at one port to the event of a stream at another: p50 and p99."""
        _, headers = await self.begin("wake")
        acting, following, times = Connection(acting), Connection(following), []
        await following.send("GET", "/changes?topics=counter", [*headers, "Accept: text/event-stream"])
        await following.head()
        events = following.events()
        async with asyncio.timeout(2 * PATIENCE):
            await anext(events)
            for _ in range(count):
                answer = await acting.ask("POST", "/counter/increment", headers)
                answered = time.monotonic()
                while seq((await anext(events))[1]) < seq(answer.headers["etag"]):
                    pass
                times.append(max(0, time.monotonic() - answered) * 1000)
        for connection in acting, following:
            connection.close()
        return statistics.median(times), sorted(times)[int(0.99 * count)]
