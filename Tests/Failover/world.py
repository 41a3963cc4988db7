"""The servers and the clients of one test."""

import asyncio
import pathlib
import statistics
import time

from load import BEGINNING, COUNT, MARK, Follower, Reader, Visitor, Writer
from recorder import Recorder
from servers import Front, Replica
from wire import Connection, Lost

PATIENCE = 40
# A long run uses more keys than a session has room for; sessions are to leave memory and come back, too.
OPTIONS = ["--threads", "2", "--max-keys", "10000000", "--max-key-bytes", "4000000000", "--idle-memory", "2"]


class World:
    """Two databases, three replicas and a proxy; sessions and their clients."""

    def __init__(self, binary, directory, options, pair):
        self.directory = pathlib.Path(directory)
        self.options, self.pace = options, options.pace
        self.pair = pair
        self.replicas = [
            Replica(binary, self.directory / f"replica-{number}", pair.uri, *OPTIONS) for number in range(1, 4)]
        self.front = Front(self.directory / "nginx", self.replicas)
        self.port = self.front.port
        self.recorder = Recorder(self.directory / "history.jsonl")
        self.sessions, self.clients, self.followers, self.tasks = {}, [], [], []
        self.stop = asyncio.Event()
        self.begun = self.visits = 0

    # Servers

    async def start(self):
        await asyncio.to_thread(self.pair.start)
        await asyncio.gather(*(replica.start_until_it_runs() for replica in self.replicas))
        self.front.start()
        await self.wait_until_ready()

    async def wait_until_ready(self):
        """Until each replica says that it is ready, and actions in each session are acknowledged."""
        limit = time.monotonic() + PATIENCE
        for server in [*self.replicas, self.front]:
            connection = Connection(server.port)
            while True:
                try:
                    if (await connection.ask("GET", "/readyz")).status == 200:
                        break
                except Lost:
                    pass
                if server.process.poll() is not None:
                    raise RuntimeError(f"{server.directory.name} ended by itself:\n{server.said()[-2000:]}")
                if time.monotonic() > limit:
                    raise RuntimeError(f"{server.directory.name} was not ready within {PATIENCE} s")
                await asyncio.sleep(0.05)
            connection.close()
        for session, headers in self.sessions.items():
            someone = Writer(self, session, headers)
            try:
                await asyncio.wait_for(someone.act(is_patient=True), PATIENCE)
            except TimeoutError as error:
                raise RuntimeError(f"no action in {session} was acknowledged within {PATIENCE} s") from error
            someone.close()

    def end(self):
        for server in [self.front, *self.replicas]:
            server.kill()
        self.pair.end()

    # Clients

    async def begin(self, name):
        """Begins a session and returns its name and the header that stands for it."""
        connection = Connection(self.port)
        while True:
            try:
                answer = await connection.ask("POST", "/sessions")
                if answer.status == 201:
                    break
            except Lost:
                pass
            await asyncio.sleep(0.05)
        connection.close()
        self.begun += 1
        session = f"{name}{self.begun}"
        now = time.monotonic()
        self.recorder.add("start", session, "world", now, now, at=answer.json()["cursor"], shows=BEGINNING)
        return session, [f"Authorization: Bearer {answer.json()['token']}"]

    async def begin_load(self):
        now = time.monotonic()
        connection = Connection(self.port)
        answer = (await connection.ask("GET", "/session")).json()
        connection.close()
        models = answer["viewModels"]
        self.recorder.add("start", "public", "world", now, time.monotonic(), at=answer["cursor"], shows={
            MARK: models["profile"]["paramB"], COUNT: models["counter"]["text"]})
        self.sessions["public"] = []
        for _ in range(self.options.sessions):
            session, headers = await self.begin("session")
            self.sessions[session] = headers
        for session, headers in self.sessions.items():
            self.clients += [Writer(self, session, headers) for _ in range(self.options.writers)]
            self.clients += [Reader(self, session, headers) for _ in range(2)]
            self.followers += [
                Follower(self, session, headers, kinds) for kinds in (["stream"], ["poll"], ["poll", "stream"])]
        self.clients += [Visitor(self) for _ in range(2)]
        self.acting = [asyncio.create_task(client.run(self.stop)) for client in self.clients]
        self.following = [asyncio.create_task(follower.run()) for follower in self.followers]

    def see_to_clients(self):
        """A client that fails ends the test."""
        for task in [*self.acting, *self.following]:
            if task.done() and not self.stop.is_set():
                task.result()

    async def end_load(self):
        """Has everybody finish, and look once more."""
        self.stop.set()
        await asyncio.gather(*self.acting)
        for task in self.following:
            task.cancel()
        await asyncio.gather(*self.following, return_exceptions=True)
        for follower in self.followers:
            follower.close()
            async with asyncio.timeout(PATIENCE):
                while True:
                    try:
                        await follower.poll(0)
                        break
                    except Lost:
                        await asyncio.sleep(0.05)
            follower.close()
        for replica in self.replicas:
            for session, headers in self.sessions.items():
                reader = Reader(self, session, headers)
                reader.connection = Connection(replica.port)
                answer = await reader.read_whole()
                if not answer or answer.status != 200:
                    self.recorder.stuck.append(f"{replica.directory.name}: {session} cannot be read at the end: {answer}")
                reader.close()
            # Without fsync only what the test does not take away is at stake.
            for line in replica.said().splitlines():
                if '"event":"store-at-risk"' in line and "fsync is off" not in line:
                    self.recorder.stuck.append(f"{replica.directory.name}: {line}")
        self.recorder.close()

    # Figures

    async def wake_times(self, acting, following, count=200):
        """Milliseconds from the answer of an action at one port to the event of a stream at another."""
        session, headers = await self.begin("wake")
        acting, following = Connection(acting), Connection(following)
        await following.send("GET", "/changes?topics=counter", [*headers, "Accept: text/event-stream"])
        await following.head()
        events = following.events()
        times = []
        try:
            async with asyncio.timeout(PATIENCE):
                await anext(events)
                for _ in range(count):
                    answer = await acting.ask("POST", "/counter/increment", headers)
                    answered = time.monotonic()
                    at = answer.headers["etag"].strip('"')
                    while (await anext(events))[1] != at:
                        pass
                    times.append(max(0, time.monotonic() - answered) * 1000)
        except TimeoutError as error:
            raise RuntimeError(f"a stream had {len(times)} of {count} events within {PATIENCE} s") from error
        for connection in acting, following:
            connection.close()
        return statistics.median(times), sorted(times)[int(0.99 * count)]
