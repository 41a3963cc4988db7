"""The load: clients that act, read and follow through the proxy, and write down what they saw."""

import asyncio
import itertools
import json
import random
import time
import uuid

from wire import PATIENCE, Lost


def beginning(session):
    """A mark and a count that no action has touched; a desk, as desks/main, is one view model, which all clients share."""
    mark, count = [session, session] if "/" in session else ["profile", "counter"]
    return {f"{mark}.paramB": "", f"{count}.text": "0"}


def shown(outputs, places):
    """What is shown in these places: the outputs by view model."""
    return {place: outputs[place.split(".")[0]][place.split(".")[1]] for place in places}


class Someone:
    """A client of one session, or of a desk."""

    numbers = itertools.count(1)

    def __init__(self, world, session, headers):
        self.world, self.session, self.headers = world, session, headers
        self.is_desk, self.places = "/" in session, list(beginning(session))
        self.mark, self.count = self.places
        self.name = f"{type(self).__name__.lower()}{next(self.numbers)}"
        self.connection = world.connect()

    async def ask(self, op, method, path, headers=(), body=b""):
        """Asks once, and returns when that was, when the answer came, and the answer; None where none came."""
        begin, answer = time.monotonic(), None
        try:
            answer = await self.connection.ask(method, path, [*self.headers, *headers], body)
        except Lost:
            pass
        except RuntimeError as error:
            self.world.stuck.append(f"{self.name}: {error}")
        status = answer.status if answer else 0
        # An act that is lost holds up others for a while, and a desk has 256 effects at most.
        if status == 503 and b"too-many-effects" in answer.body:
            status = 429
        self.world.tried(op, begin, status)
        if status in (401, 404):
            self.record("gone", begin, time.monotonic())
        elif status not in (0, 200, 204, 304, 429, 502, 503, 504):
            self.world.stuck.append(f"{self.name}: {method} {path}: {answer}")
        return begin, time.monotonic(), answer if status in (200, 204, 304, 401) else None

    def record(self, op, begin, end, **members):
        self.world.record(op, self.session, self.name, begin, end, **members)

    def close(self):
        self.connection.close()


class Writer(Someone):
    """Acts with a key each time, and repeats it until it is acknowledged, or gives it up."""

    async def run(self, stop):
        while not stop.is_set():
            await self.act()
            await asyncio.sleep(random.uniform(0, 2 * self.world.pace))
        self.close()

    async def act(self, is_patient=False):
        key = f"{self.session}-{uuid.uuid4().hex[:12]}"
        place, action, does, body = self.count, "increment", {"counts": self.count}, b""
        # A mark is also taken where a desk has too many effects.
        if is_patient or random.random() < 0.6:
            place, action, does, body = self.mark, "load", {"sets": {self.mark: key}}, json.dumps({"paramB": key}).encode()
        path = f"/{place.split('.')[0]}/{action}"
        again = 0
        while True:
            begin, end, answer = await self.ask("write", "POST", path, [f"Idempotency-Key: {key}"], body)
            if answer and answer.status == 401:
                return
            if answer:
                self.record(
                    "write", begin, end, key=key, **does, result="done", at=answer.headers["etag"],
                    shows={place: answer.json()[place.split(".")[1]]})
                again += 1
                # Some ask once more for what was acknowledged.
                if again > 1 or random.random() > 0.1:
                    return
                continue
            self.record("write", begin, None, key=key, **does, result="unknown")
            if not is_patient and random.random() < 0.1:
                return
            await asyncio.sleep(random.uniform(0.01, 0.1))


class Reader(Someone):
    """Reads, with and without the entity tag of before."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.tags, mark, count = {}, [self.mark], [self.count]
        # The last one shows all.
        self.paths = [("/profile", mark), ("/profile/card", mark), ("/counter", count), ("/session", [])]
        if self.is_desk:
            self.paths = [(f"/{self.session}", self.places)]

    async def run(self, stop):
        while not stop.is_set():
            await self.read()
            await asyncio.sleep(random.uniform(0, 2 * self.world.pace))
        self.close()

    async def read(self, which=None):
        path, places = which or random.choice(self.paths)
        if not places:
            return await self.read_whole()
        tag = self.tags.get(path) if random.random() < 0.7 else None
        begin, end, answer = await self.ask("read", "GET", path, [f"If-None-Match: {tag}"] if tag else [])
        if answer and answer.status == 200:
            self.tags[path] = answer.headers["etag"]
            model = places[0].split(".")[0]
            self.record("read", begin, end, at=self.tags[path], shows=shown({model: answer.json()}, places))
        elif answer and answer.status == 304:
            self.record("unchanged", begin, end, at=tag, of=places)
        return answer

    async def read_whole(self):
        begin, end, answer = await self.ask("read", "GET", "/session")
        if answer and answer.status == 200:
            shows = shown(answer.json()["viewModels"], self.places)
            self.record("read", begin, end, at=answer.json()["cursor"], whole=True, shows=shows)
        return answer


class Follower(Someone):
    """Follows a session by polls, by streams or by both in turn, with one cursor across all."""

    def __init__(self, world, session, headers, kinds):
        super().__init__(world, session, headers)
        self.kinds, self.cursor = kinds, None
        self.path = f"/{session}/changes?topics={session}" if self.is_desk else "/changes?topics=profile,counter"

    async def run(self):
        """Until it is cancelled, or the session ends."""
        while True:
            try:
                if not await (self.stream() if random.choice(self.kinds) == "stream" else self.poll(random.choice([1, 5]))):
                    return
            except (TimeoutError, Lost, OSError, EOFError, ValueError):
                await asyncio.sleep(random.uniform(0.01, 0.1))
            self.close()

    async def poll(self, wait):
        """Asks once; false where the session has ended."""
        query = [self.path, f"wait={wait}"] + [f"since={self.cursor}"] * (self.cursor is not None)
        begin, end, answer = await self.ask("poll", "GET", "&".join(query))
        if not answer:
            raise Lost
        if answer.status == 200:
            self.take(answer.json()["kind"], answer.json()["cursor"], answer.json(), begin, end)
        return answer.status == 200

    async def stream(self):
        headers = [*self.headers, "Accept: text/event-stream"]
        headers += [f"Last-Event-ID: {self.cursor}"] * (self.cursor is not None)
        begin = time.monotonic()
        async with asyncio.timeout(PATIENCE):
            await self.connection.send("GET", self.path, headers)
            status, _ = await self.connection.head()
        if status == 401:
            self.record("gone", begin, time.monotonic())
            return False
        if status != 200:
            raise Lost
        async for name, at, message in self.connection.events():
            if name == "session-ended":
                self.record("gone", begin, time.monotonic())
                return False
            self.take(name, at, message, begin, time.monotonic())
            # A client of both kinds changes over now and then, with the same cursor.
            if len(self.kinds) > 1 and random.random() < 0.05:
                return True
        return True

    def take(self, kind, at, message, begin, end):
        told = [[each["seq"], f"{each['viewModel']}.{each['output']}", each["value"]] for each in message.get("changes", [])]
        self.record(
            "feed", begin, end, chain=self.name, kind=kind, since=self.cursor, at=at,
            changes=[change for change in told if change[1] in self.places], of=self.places)
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
        visit = self.world, *await self.world.begin("visit")
        follower, ending, after = Follower(*visit, ["poll", "stream"]), Someone(*visit), Reader(*visit)
        over, acting = asyncio.Event(), [Writer(*visit), Writer(*visit), Reader(*visit), Reader(*visit)]
        following = asyncio.create_task(follower.run())
        acting = [asyncio.create_task(each.run(over)) for each in acting]
        await asyncio.sleep(random.uniform(0, 10 * self.world.pace))
        while True:
            begin, end, answer = await ending.ask("delete", "DELETE", "/session")
            if answer and answer.status == 204:
                ending.record("delete", begin, end, result="done")
                break
            # The proxy repeats a DELETE on another replica. So a DELETE that is answered by 401 may have ended the session.
            ending.record("delete", begin, None, result="unknown")
            if answer:
                break
            await asyncio.sleep(0.05)
        over.set()
        await asyncio.gather(*acting)
        for _ in range(3):
            await after.read()
        # It hears of the end: a stream by its event, a poll by 401.
        try:
            await asyncio.wait_for(following, 60)
        except TimeoutError:
            self.world.stuck.append(f"{follower.name} of {follower.session} was not told of the end within 60 s")
        for each in ending, after, follower:
            each.close()
