"""How soon a poll that waits at one replica hears of an action at another, while very many wait."""

import asyncio
import gc
import os
import pathlib
import random
import re
import select
import socket
import tempfile
import time

from database import Pair
from servers import Replica

# A session acts again only when its poll has waited for so long: one that was still on its way would wake nobody.
SETTLED = 0.1
# Of a run, what is not measured: sessions are loaded then.
BEGINNING = 5
PATIENCE = 20


class Wire:
    """A connection whose answers come from the loop of the measurement: one thread, and no task for each."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.received = b""

    def send(self, method, path, token=None):
        authorization = f"Authorization: Bearer {token}\r\n" if token else ""
        length = "Content-Length: 0\r\n" if method == "POST" else ""
        self.socket.sendall(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{authorization}{length}\r\n".encode())

    def take(self):
        """The head and the body of an answer once it is whole, else nothing."""
        some = self.socket.recv(65536)
        if not some:
            raise RuntimeError("a replica closed a connection")
        self.received += some
        head, end, body = self.received.partition(b"\r\n\r\n")
        if not end or len(body) < int(re.search(rb"(?i)content-length: (\d+)", head)[1]):
            return None
        self.received = b""
        if not head.startswith((b"HTTP/1.1 200", b"HTTP/1.1 201")):
            raise RuntimeError(f"a replica answered {head.decode()} {body.decode()}")
        return head, body

    def ask(self, *request):
        self.send(*request)
        while not (answer := self.take()):
            pass
        return answer


class Session:
    """A session with one poll, which waits again as soon as it is answered."""

    def __init__(self, begun, port):
        self.token, self.cursor = (re.search(rb'"%s":"([^"]+)"' % name, begun)[1].decode() for name in (b"token", b"cursor"))
        self.poll = Wire(port)
        self.wait()

    def wait(self):
        self.poll.send("GET", f"/changes?since={self.cursor}&wait=55", self.token)
        self.since, self.acted, self.answered, self.woken = time.monotonic(), None, None, None


class Measurement:
    """Actions at one port, in sessions whose polls wait at another."""

    def __init__(self, acting, waiting, count):
        self.acting, self.idle = acting, []
        self.poller, self.owners = select.epoll(), {}
        opening = Wire(waiting)
        self.sessions = [Session(opening.ask("POST", "/sessions")[1], waiting) for _ in range(count)]
        for session in self.sessions:
            self.watch(session.poll, session)
        # Milliseconds until a poll was answered: from the answer of its action, and from its request.
        self.from_answer, self.from_request = [], []

    def watch(self, wire, owner):
        self.owners[wire.socket.fileno()] = wire, owner
        self.poller.register(wire.socket, select.EPOLLIN)

    def run(self, rate, seconds):
        """Returns how many cores this process used, and how many nobody did."""
        began = due = time.monotonic()
        self.measured = began + BEGINNING
        used = unused = 0
        gc.disable()
        while (now := time.monotonic()) < self.measured + seconds:
            if not used and now > self.measured:
                used, unused = time.process_time(), idle_time()
            if now >= due:
                due += random.expovariate(rate)
                self.act(now)
            for descriptor, _ in self.poller.poll(max(0, due - time.monotonic())):
                wire, owner = self.owners[descriptor]
                if answer := wire.take():
                    self.note(wire, owner, *answer)
        gc.enable()
        late = [each for each in self.sessions if each.acted and now - each.acted > PATIENCE]
        if late:
            raise RuntimeError(f"{len(late)} polls were not answered within {PATIENCE} s")
        return (time.process_time() - used) / seconds, (idle_time() - unused) / seconds

    def act(self, now):
        session = random.choice(self.sessions)
        if session.acted or now - session.since < SETTLED:
            return
        wire = self.idle.pop() if self.idle else Wire(self.acting)
        if wire.socket.fileno() in self.owners:
            self.owners[wire.socket.fileno()] = wire, session
        else:
            self.watch(wire, session)
        session.acted = time.monotonic()
        wire.send("POST", "/counter/increment", session.token)

    def note(self, wire, session, head, body):
        now = time.monotonic()
        if wire is session.poll:
            session.woken = now
            session.cursor = re.search(rb'"cursor":"([^"]+)"', body)[1].decode()
        else:
            session.answered, session.tag = now, re.search(rb'(?i)etag: "([^"]+)"', head)[1].decode()
            self.idle.append(wire)
        if not (session.woken and session.answered):
            return
        if session.cursor != session.tag:
            raise RuntimeError(f"a poll was told of {session.cursor}, its action of {session.tag}")
        if session.acted > self.measured:
            self.from_answer.append(max(0, session.woken - session.answered) * 1000)
            self.from_request.append((session.woken - session.acted) * 1000)
        session.wait()

    def close(self):
        for wire, _ in self.owners.values():
            wire.socket.close()


def idle_time():
    """For how long the cores of the machine had nothing to do, all together."""
    return int(pathlib.Path("/proc/stat").read_text().split()[4]) / os.sysconf("SC_CLK_TCK")


def percentiles(times):
    times = sorted(times)
    return "p50 {:.1f} ms, p99 {:.1f} ms, longest {:.1f} ms".format(
        *(times[min(len(times) - 1, int(share * len(times)))] for share in (0.5, 0.99, 1)))


def measure(binary, count, rate, seconds):
    """Across two replicas, and for comparison within one: the difference is not the client's."""
    with tempfile.TemporaryDirectory(prefix="bindery-wake-") as name:
        directory = pathlib.Path(name)
        directory.chmod(0o755)
        pair = Pair(directory)
        replicas = [Replica(binary, directory / f"replica-{number}", pair.uri) for number in (1, 2)]
        try:
            pair.start()
            for replica in replicas:
                asyncio.run(replica.start_until_it_runs())
            acting = replicas[0].port
            for where, waiting in ("at the other replica", replicas[1].port), ("at the same replica", acting):
                measurement = Measurement(acting, waiting, count)
                used, idle = measurement.run(rate, seconds)
                print(
                    f"{count} polls wait {where}, {len(measurement.from_answer) / seconds:.0f} actions a second: from the "
                    f"answer {percentiles(measurement.from_answer)}; from the request {percentiles(measurement.from_request)}; "
                    f"this client used {used:.2f} of {os.cpu_count()} cores, {idle:.2f} were idle", flush=True)
                measurement.close()
        finally:
            for replica in replicas:
                replica.kill()
            pair.end()
