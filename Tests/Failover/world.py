"""Servers, sessions with their clients, and the history of what the clients saw."""

import asyncio
import json
import pathlib
import statistics
import time
from collections import Counter

from client import seq
from history import Verdict
from load import BEGINNING, Follower, Reader, Visitor, Writer, whole
from servers import Front, Replica
from wire import PATIENCE, Connection, Lost

# A long run uses more keys than a session has room for.
OPTIONS = ["--threads", "2", "--max-keys", "10000000"]
UNANSWERED = (0, 502, 503, 504)


class World:
    """Servers of one store, and clients that ask at one port."""

    def __init__(self, directory, servers, port, host="localhost", sessions=4, visitors=2, pace=0.03):
        self.servers, self.port, self.host = servers, port, host
        self.counts, self.pace = (sessions, visitors), pace
        self.path = pathlib.Path(directory) / "history.jsonl"
        self.history = self.path.open("w", encoding="utf-8")
        # Each try of an action or a read since the round began, as (begin, end, what, status); what must not be.
        self.tries, self.stuck = [], []
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
            for session, headers in self.sessions.items():
                someone = Writer(self, session, headers)
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
        self.record("start", session, "world", now, now, at=answer.json()["cursor"], shows=BEGINNING)
        return session, [f"Authorization: Bearer {answer.json()['token']}"]

    async def begin_load(self):
        connection, now = self.connect(), time.monotonic()
        shown = (await connection.ask("GET", "/session")).json()
        connection.close()
        self.record("start", "public", "world", now, time.monotonic(), at=shown["cursor"], shows=whole(shown))
        sessions, visitors = self.counts
        self.sessions = {"public": []} | dict([await self.begin("session") for _ in range(sessions)])
        for session, headers in self.sessions.items():
            self.clients += [Writer(self, session, headers) for _ in range(3)]
            self.clients += [Reader(self, session, headers) for _ in range(2)]
            self.followers += [
                Follower(self, session, headers, kinds) for kinds in (["stream"], ["poll"], ["poll", "stream"])]
        self.clients += [Visitor(self) for _ in range(visitors)]
        self.acting = [asyncio.create_task(client.run(self.stop)) for client in self.clients]
        self.following = [asyncio.create_task(follower.run()) for follower in self.followers]

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
            for session, headers in self.sessions.items():
                reader = Reader(self, session, headers)
                reader.connection = self.connect(server.port)
                if not await reader.read_whole():
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
        self.pair = pair
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
