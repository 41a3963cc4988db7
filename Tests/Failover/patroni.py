"""Two databases whose promotion is left to Patroni, with etcd, in synchronous mode; as plain processes."""

import asyncio
import contextlib
import http.client
import json
import os
import pathlib
import shutil
import signal
import time

import deployed
from database import as_postgres, children, programs
from load import Reader, Writer
from processes import Process, placed
from wire import Connection, Lost

# How long the leader may be silent before another takes its place, in seconds: Patroni's `ttl`.
TTL = deployed.AGREED["ttl"]
PATIENCE = 90


class Etcd(Process):
    """One member, which is enough for a test."""

    def __init__(self, directory):
        super().__init__(directory)
        self.port, self.peers = self.port_of_its_own(), self.port_of_its_own()

    def start(self):
        url, peer = f"http://127.0.0.1:{self.port}", f"http://127.0.0.1:{self.peers}"
        places = {
            "/var/lib/postgresql": str(self.directory), "http://0.0.0.0:2379": url, "http://etcd:2379": url}
        options = "\n".join(deployed.command_of("etcd"))
        for placeholder, place in places.items():
            options = options.replace(placeholder, place)
        self.launch(
            program("etcd"), *options.split("\n"), "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
            "--initial-cluster", f"default={peer}", "--unsafe-no-fsync")


class Member(Process):
    """Patroni with its database."""

    def __init__(self, directory, etcd):
        super().__init__(directory)
        self.etcd = etcd
        self.port, self.api = self.port_of_its_own(), self.port_of_its_own()
        if os.geteuid() == 0:
            shutil.chown(self.directory, "postgres", "postgres")

    def start(self):
        """Starts it as its container does."""
        own, address = self.directory, f"127.0.0.1:{self.port}"
        api = f"127.0.0.1:{self.api}"
        self.copy("patroni.yaml", {
            "etcd:2379": f"127.0.0.1:{self.etcd.port}", "0.0.0.0:5432": address, "0.0.0.0:8008": api,
            "/var/lib/postgresql": own, "/usr/lib/postgresql/15/bin": programs(), "/etc/bindery": own,
            # Where Debian has the socket not everybody may put one.
            "parameters:\n": 'parameters:\n        unix_socket_directories: ""\n'})
        self.copy("role", {})
        self.copy("database", {
            "$(hostname)": own.name, "$name:5432": address, "$name:8008": api, "/var/lib/postgresql": own,
            "/etc/bindery": own})
        program("patroni")
        self.launch(*as_postgres(["sh", own / "database"]), settings=deployed.settings_of(own.name))

    def copy(self, name, places):
        """Puts a file where the container has it, with places of the test's own."""
        path = self.directory / name
        path.write_text(placed(deployed.REPLICAS / name, {old: str(new) for old, new in places.items()}))

    def says(self, path):
        """The status and the state that Patroni answers with; nothing where it does not."""
        connection = http.client.HTTPConnection("127.0.0.1", self.api, timeout=2)
        with contextlib.suppress(OSError, ValueError, http.client.HTTPException), contextlib.closing(connection):
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read() or "{}")
        return 0, {}

    @property
    def is_leader(self):
        return self.says("/primary")[0] == 200

    @property
    def is_synchronous(self):
        return self.says("/synchronous")[0] == 200

    def kill_all(self):
        """Ends Patroni and its database as the loss of the machine does."""
        known = set()
        with contextlib.suppress(OSError, ValueError):
            # The database is no child of Patroni's.
            known.add(int((self.directory / "data/pg/postmaster.pid").read_text().splitlines()[0]))
        if self.process is not None and self.process.returncode is None:
            known.add(self.process.pid)
        stopped = set()
        while new := known - stopped:
            for pid in new:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGSTOP)
                known |= set(children(pid))
            stopped |= new
        for pid in stopped:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if self.process is not None:
            self.process.wait()


def program(name):
    path = shutil.which(name)
    if not path:
        raise RuntimeError(f"there is no {name}; script/bootstrap --patroni installs it")
    return path


class Supervised:
    """Both members, and what they agree by."""

    def __init__(self, directory):
        directory = pathlib.Path(directory)
        self.etcd = Etcd(directory / "etcd")
        self.members = [Member(directory / name, self.etcd) for name in ("database-1", "database-2")]

    @property
    def uri(self):
        return deployed.uri(f"127.0.0.1:{member.port}" for member in self.members)

    def start(self):
        self.etcd.start()
        for member in self.members:
            member.start()
            # The first is to be the leader.
            self.wait(lambda: self.leader, "there is no leader")
        self.wait_in_sync()

    @property
    def leader(self):
        return next((member for member in self.members if member.is_leader), None)

    def wait_in_sync(self):
        self.wait(lambda: any(member.is_synchronous for member in self.members), "no standby is synchronous")

    def wait(self, condition, what):
        limit = time.monotonic() + PATIENCE
        while not (found := condition()):
            if time.monotonic() > limit:
                raise RuntimeError(f"{what} after {PATIENCE} s:\n" + "\n".join(each.said()[-2000:] for each in self.members))
            time.sleep(0.1)
        return found

    def end(self):
        for member in self.members:
            member.kill_all()
            member.kill()
        self.etcd.kill()


async def scenario(options, world, outages):
    """The leader is killed under load; Patroni promotes the other; polls wait all the while, and nothing is restarted."""
    pair = world.pair
    await world.start()
    await world.begin_load()
    waiters = [await Waiter.begin(world) for _ in range(10)]
    await asyncio.sleep(options.seconds)
    replicas = [replica.process.pid for replica in world.replicas]
    leader = pair.leader
    since = time.monotonic()
    await asyncio.to_thread(leader.kill_all)
    other = next(member for member in pair.members if member is not leader)
    refused = 0
    while not await asyncio.to_thread(lambda: other.is_leader):
        refused += await unready(world)
        if time.monotonic() - since > PATIENCE:
            raise RuntimeError(f"nobody was promoted within {PATIENCE} s:\n{other.said()[-2000:]}")
        await asyncio.sleep(0.5)
    promoted = time.monotonic() - since
    ended = [str(waiter.polling.result()) for waiter in waiters if waiter.polling.done()]
    if ended:
        world.recorder.stuck.append(f"{len(ended)} of {len(waiters)} polls did not wait through the fail-over: {ended[:2]}")
    if not refused:
        world.recorder.stuck.append("no replica said that it was not ready")
    await asyncio.sleep(options.seconds)
    # In strict mode a leader without a standby acknowledges nothing: actions come back with what was the leader.
    leader.start()
    back = time.monotonic() - since
    await world.wait_until_ready()
    ready = time.monotonic() - since
    woken = [await waiter.wake() for waiter in waiters]
    writes, reads = world.recorder.outage("write", since), world.recorder.outage("read", since)
    print(
        f"the leader was killed, the other promoted after {promoted:.1f} s (ttl {TTL}); actions: {writes[2]} not answered, the "
        f"last {writes[1]:.1f} s after; reads: {reads[2]}, {reads[1]:.1f} s; what was the leader came back after {back:.1f} s, "
        f"and all was ready after {ready:.1f} s; {len(woken)} polls had waited all the while, and woke after {max(woken) * 1000:.0f} ms at most", flush=True)
    outages.append(("primary", ready, writes, reads))
    await asyncio.to_thread(pair.wait_in_sync)
    print(f"what was the leader was a synchronous standby after {time.monotonic() - since:.1f} s", flush=True)
    await asyncio.sleep(options.seconds)
    if [replica.process.pid for replica in world.replicas if replica.process.poll() is None] != replicas:
        world.recorder.stuck.append("a replica ended by itself")
    world.see_to_clients()
    await world.end_load()


async def unready(world):
    """How many replicas say that they are not ready."""
    count = 0
    for replica in world.replicas:
        connection = Connection(replica.port)
        with contextlib.suppress(Lost):
            count += (await connection.ask("GET", "/readyz")).status == 503
        connection.close()
    return count


class Waiter:
    """A poll that waits in a session in which nothing happens."""

    @classmethod
    async def begin(cls, world):
        waiter = cls()
        waiter.world = world
        waiter.session, waiter.headers = await world.begin("waiter")
        reader = Reader(world, waiter.session, waiter.headers)
        waiter.since = (await reader.read_whole()).json()["cursor"]
        reader.close()
        waiter.polling = asyncio.create_task(waiter.poll())
        return waiter

    async def poll(self):
        connection = Connection(self.world.port)
        async with asyncio.timeout(60):
            await connection.send("GET", f"/changes?since={self.since}&wait=55", self.headers)
            status, headers = await connection.head()
            body = await connection.body(headers)
        connection.close()
        return status, json.loads(body), time.monotonic()

    async def wake(self):
        """Acts, and returns how long after the answer the poll had its own."""
        writer = Writer(self.world, self.session, self.headers)
        await writer.act(is_patient=True)
        answered = time.monotonic()
        writer.close()
        status, message, at = await self.polling
        if status != 200 or message["kind"] != "delta":
            self.world.recorder.stuck.append(f"{self.session}: a poll that had waited was answered {status} {message}")
        return max(0, at - answered)
