"""Polls and a stream that wait through a whole run."""

import threading
import time

from client import Client

# A poll is shortened by up to a tenth at random. One of so many waits for nearly the whole time.
POLLS = 8
WAIT = 55


class Held:
    """Clients of a session in which nothing happens."""

    def __init__(self, port):
        self.port = port
        with Client(port) as client:
            self.session = client.begin_session()
            self.cursor = client.ask("GET", "/session", [self.session]).json()["cursor"]
        # What each poll was answered, and after how many seconds.
        self.answers, self.events = [], []
        self.arrived = threading.Condition()
        self.polls = [threading.Thread(target=self.poll, daemon=True) for _ in range(POLLS)]
        for thread in [*self.polls, threading.Thread(target=self.follow, daemon=True)]:
            thread.start()

    def poll(self):
        began = time.monotonic()
        with Client(self.port, patience=WAIT + 20) as client:
            answer = client.ask("GET", f"/changes?since={self.cursor}&wait={WAIT}", [self.session])
        self.answers.append((time.monotonic() - began, answer))

    def follow(self):
        with Client(self.port) as client:
            for _, name, cursor, _ in client.events([self.session], f"/changes?since={self.cursor}"):
                with self.arrived:
                    self.events.append((name, cursor))
                    self.arrived.notify_all()
