"""What is wrong with a history."""

from collections import Counter
from dataclasses import dataclass

LAWS = ["answer", "lost", "doubled", "order", "stale", "unwritten", "cursor", "gap", "ended"]


@dataclass(frozen=True)
class Fault:
    """A law that was broken, and where."""

    law: str
    session: str
    text: str

    def __str__(self):
        return f"{self.law}: {self.session}: {self.text}"


class Verdict:
    """All faults of a history, and how much of it was judged."""

    def __init__(self):
        self.faults = []
        self.figures = Counter()

    def note(self, law, session, text):
        self.faults.append(Fault(law, session, text))

    @property
    def counts(self):
        """How many faults there are of each law."""
        counts = Counter(fault.law for fault in self.faults)
        return {law: counts[law] for law in LAWS}

    @property
    def is_sound(self):
        return not self.faults
