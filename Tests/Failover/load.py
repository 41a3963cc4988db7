"""The load: clients that act, read and follow by way of the proxy, and write down what they saw."""

import asyncio
import itertools
import json
import random
import time
import uuid

from wire import PATIENCE, Connection, Lost

MARK, COUNT = "profile.paramB", "counter.text"
FOLLOWED = [MARK, COUNT]
# As a view model is when nobody has touched it.
BEGINNING = {MARK: "", COUNT: "0"}


class Someone:
    """A client of one session."""

    numbers = itertools.count(1)

    def __init__(self, world, session, headers):
        self.world, self.session, self.headers = world, session, headers
        self.name = f"{type(self).__name__.lower()}{next(self.numbers)}"
        self.connection = Connection(world.port)

    async def ask(self, op, method, path, headers=(), body=b""):
        """Asks once, and returns when that was, when the answer was there, and the answer: None where none came."""
        begin = time.monotonic()
        try:
            answer = await self.connection.ask(method, path, [*self.headers, *headers], body)
        except Lost:
            answer = None
        except RuntimeError as error:
            self.world.recorder.stuck.append(f"{self.name}: {error}")
            answer = None
        self.world.recorder.note(op, begin, answer.status if answer else 0)
        if answer and answer.status in (401, 404):
            self.record("gone", begin, time.monotonic())
        elif answer and answer.status not in (200, 201, 204, 304, 502, 503, 504):
            self.world.recorder.stuck.append(f"{self.name}: {method} {path}: {answer}")
        return begin, time.monotonic(), answer

    def record(self, op, begin, end, **members):
        self.world.recorder.add(op, self.session, self.name, begin, end, **members)

    def close(self):
        self.connection.close()


def cursor(answer):
    return answer.headers["etag"].strip('"')


class Writer(Someone):
    """Acts with a key each time, and tries the same key again until it is acknowledged, or gives it up."""

    async def run(self, stop):
        while not stop.is_set():
            await self.act()
            await asyncio.sleep(random.uniform(0, 2 * self.world.pace))
        self.close()

    async def act(self, is_patient=False):
        key = f"{self.session}-{uuid.uuid4().hex[:12]}"
        if random.random() < 0.6:
            path, output, does = "/profile/load", "paramB", {"sets": {MARK: key}}
            body = json.dumps({"paramB": key}).encode()
        else:
            path, output, does, body = "/counter/increment", "text", {"counts": COUNT}, b""
        place = f"{path.split('/')[1]}.{output}"
        again = 0
        while True:
            begin, end, answer = await self.ask("write", "POST", path, [f"Idempotency-Key: {key}"], body)
            if answer and answer.status == 200:
                self.record(
                    "write", begin, end, key=key, **does, result="done", at=cursor(answer),
                    shows={place: answer.json()[output]}, replayed="idempotency-replayed" in answer.headers)
                again += 1
                # Some ask once more for what was acknowledged, which then does not happen again.
                if again > 1 or random.random() > 0.1:
                    return True
                continue
            if answer and answer.status == 401:
                return False
            self.record("write", begin, None, key=key, **does, result="unknown")
            if not is_patient and random.random() < 0.1:
                return False
            await asyncio.sleep(random.uniform(0.01, 0.1))


class Reader(Someone):
    """Reads, with and without the entity tag of before."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.tags = {}

    async def run(self, stop):
        while not stop.is_set():
            await self.read()
            await asyncio.sleep(random.uniform(0, 2 * self.world.pace))
        self.close()

    async def read(self):
        path, output = random.choice(
            [("/profile", "paramB"), ("/profile/card", "paramB"), ("/counter", "text"), ("/session", "")])
        if not output:
            return await self.read_whole()
        place = f"{path.split('/')[1]}.{output}"
        tag = self.tags.get(path) if random.random() < 0.7 else None
        begin, end, answer = await self.ask(
            "read", "GET", path, [f'If-None-Match: "{tag}"'] if tag else [])
        if answer and answer.status == 200:
            self.tags[path] = cursor(answer)
            self.record("read", begin, end, at=self.tags[path], shows={place: answer.json()[output]})
        elif answer and answer.status == 304:
            self.record("unchanged", begin, end, at=tag, of=[place])
        return answer

    async def read_whole(self):
        begin, end, answer = await self.ask("read", "GET", "/session")
        if answer and answer.status == 200:
            shown = answer.json()
            models = shown["viewModels"]
            self.record(
                "read", begin, end, at=shown["cursor"], whole=True,
                shows={MARK: models["profile"]["paramB"], COUNT: models["counter"]["text"]})
        return answer


class Follower(Someone):
    """Follows a session by polls, by streams or by both in turn, with one cursor across all."""

    def __init__(self, world, session, headers, kinds):
        super().__init__(world, session, headers)
        self.kinds, self.cursor = kinds, None
        self.events = 0

    async def run(self):
        """Until it is cancelled, or the session ends."""
        while True:
            try:
                is_stream = random.choice(self.kinds) == "stream"
                if not await (self.stream() if is_stream else self.poll(random.choice([1, 5]))):
                    return
            except (TimeoutError, Lost, OSError, EOFError, ValueError):
                await asyncio.sleep(random.uniform(0.01, 0.1))
            self.close()

    async def poll(self, wait):
        """Asks once; false where the session has ended."""
        query = [f"since={self.cursor}"] * (self.cursor is not None) + [f"wait={wait}", "topics=profile,counter"]
        begin, end, answer = await self.ask("poll", "GET", "/changes?" + "&".join(query))
        if answer and answer.status == 200:
            message = answer.json()
            self.take(message["kind"], message["cursor"], message.get("changes", []), begin, end)
            return True
        if answer and answer.status == 401:
            return False
        raise Lost

    async def stream(self):
        headers = [*self.headers, "Accept: text/event-stream"]
        headers += [f"Last-Event-ID: {self.cursor}"] * (self.cursor is not None)
        begin = time.monotonic()
        async with asyncio.timeout(PATIENCE):
            await self.connection.send("GET", "/changes?topics=profile,counter", headers)
            status, _ = await self.connection.head()
        self.world.recorder.note("stream", begin, status)
        if status == 401:
            self.record("gone", begin, time.monotonic())
            return False
        if status != 200:
            raise Lost
        async for name, at, message in self.connection.events():
            if name == "session-ended":
                self.record("gone", begin, time.monotonic())
                return False
            self.take(name, at, message.get("changes", []), begin, time.monotonic())
            # One that can do both goes over to the other now and then, with the same cursor.
            if len(self.kinds) > 1 and random.random() < 0.05:
                return True
        return True

    def take(self, kind, at, changes, begin, end):
        self.events += 1
        told = [[change["seq"], f"{change['viewModel']}.{change['output']}", change["value"]] for change in changes]
        self.record(
            "feed", begin, end, chain=self.name, kind=kind, since=self.cursor, at=at,
            changes=[change for change in told if change[1] in FOLLOWED], of=FOLLOWED)
        self.cursor = at


class Visitor:
    """Begins a session, uses it from several sides, ends it, and looks whether it is gone."""

    def __init__(self, world):
        self.world = world

    async def run(self, stop):
        while not stop.is_set():
            await self.visit()
            await asyncio.sleep(random.uniform(0, 10 * self.world.pace))

    async def visit(self):
        session, headers = await self.world.begin("visit")
        writers = [Writer(self.world, session, headers) for _ in range(2)]
        readers = [Reader(self.world, session, headers) for _ in range(2)]
        follower = Follower(self.world, session, headers, ["poll", "stream"])
        following = asyncio.create_task(follower.run())
        await asyncio.gather(*(each.act() for each in writers), *(each.read() for each in readers))
        over = asyncio.Event()
        others = [asyncio.create_task(each.run(over)) for each in [*writers, *readers]]
        ending = Someone(self.world, session, headers)
        while True:
            begin, end, answer = await ending.ask("delete", "DELETE", "/session")
            if answer and answer.status == 204:
                ending.record("delete", begin, end, result="done")
                break
            if answer and answer.status == 401:
                break
            ending.record("delete", begin, None, result="unknown")
            await asyncio.sleep(0.05)
        over.set()
        await asyncio.gather(*others)
        after = Reader(self.world, session, headers)
        for _ in range(3):
            await after.read()
        # It hears of the end: a stream by its event, a poll by 401.
        try:
            await asyncio.wait_for(following, 60)
        except TimeoutError:
            self.world.recorder.stuck.append(f"{follower.name} of {session} was not told of the end within 60 s")
        for each in ending, after, follower:
            each.close()
        self.world.visits += 1
