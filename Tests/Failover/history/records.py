"""A history as it was written down: one JSON object a line."""

import json
import math
from dataclasses import dataclass, field
from typing import NamedTuple


class Cursor(NamedTuple):
    """A place in a session's feed, SEQ.NONCE, as a cursor or as an ETag."""

    seq: int
    nonce: str

    @classmethod
    def read(cls, text):
        seq, _, nonce = text.removeprefix("W/").strip('"').partition(".")
        return cls(int(seq), nonce)

    def __str__(self):
        return f"{self.seq}.{self.nonce}"


@dataclass
class Record:
    """One exchange; README.md says what its members are."""

    line: int
    op: str
    session: str
    client: str
    begin: float
    end: float
    at: Cursor | None = None
    shows: dict = field(default_factory=dict)
    key: str | None = None
    sets: dict = field(default_factory=dict)
    counts: str | None = None
    result: str = "done"
    whole: bool = False
    of: list = field(default_factory=list)
    chain: str | None = None
    kind: str | None = None
    since: Cursor | None = None
    changes: list = field(default_factory=list)
    effects: dict | None = None

    def __post_init__(self):
        self.end = math.inf if self.end is None else self.end
        self.at, self.since = (text and Cursor.read(text) for text in (self.at, self.since))

    def __str__(self):
        end = "…" if math.isinf(self.end) else f"{self.end:.3f}"
        return f"line {self.line}: {self.op} {self.key or self.kind or ''} by {self.client} [{self.begin:.3f}, {end}]"


def read(lines):
    """The records of a history by session, in the order of their ends."""
    sessions = {}
    for number, line in enumerate(lines, 1):
        record = Record(line=number, **json.loads(line))
        sessions.setdefault(record.session, []).append(record)
    for records in sessions.values():
        records.sort(key=lambda record: (record.end, record.begin))
    return sessions


@dataclass
class Write:
    """An action: all tries under one key."""

    key: str
    tries: list

    def __post_init__(self):
        self.begin = min(each.begin for each in self.tries)
        self.answers = [each for each in self.tries if each.result == "done"]
        self.is_done = bool(self.answers)
        self.sets, self.counts = self.tries[0].sets, self.tries[0].counts
        self.end = min((each.end for each in self.answers), default=math.inf)
        self.at = self.answers[0].at if self.answers else None
        self.shows = self.answers[0].shows if self.answers else {}

    @property
    def number(self):
        """The count after it."""
        return int(self.shows[self.counts])

    def __str__(self):
        return str(self.answers[0] if self.answers else self.tries[0])


def writes(records):
    """The actions of a session, in the order in which they began."""
    tries = {}
    for record in records:
        if record.op == "write":
            tries.setdefault(record.key, []).append(record)
    return sorted((Write(key, some) for key, some in tries.items()), key=lambda write: write.begin)
