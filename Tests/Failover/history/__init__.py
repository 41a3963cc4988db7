"""Judges what clients saw: see README.md beside this."""

from collections import Counter

from .laws import LAWS, Session
from .records import read


class Verdict:
    """The faults of a history, as (law, text), and how much of it was judged."""

    def __init__(self, lines):
        self.faults, self.figures = [], Counter()
        for name, records in sorted(read(lines).items()):
            Session(name, records, self).judge()
        self.counts = {law: sum(1 for each, _ in self.faults if each == law) for law in LAWS}

    def print(self):
        for law, text in self.faults[:20]:
            print(f"{law}: {text}")
        print(", ".join(f"{name} {count}" for name, count in (self.figures | self.counts).items()))
