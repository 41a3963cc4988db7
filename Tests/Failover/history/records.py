"""A history as it was written down: one JSON object a line."""

import json
import math
from dataclasses import dataclass, field

OPS = {"start", "write", "read", "unchanged", "feed", "delete", "gone"}


class Unreadable(Exception):
    """The history is not one: says where and why."""


@dataclass(frozen=True, order=True)
class Cursor:
    """A place in a session's feed, EPOCH.SEQ."""

    seq: int
    epoch: str

    @classmethod
    def read(cls, text):
        epoch, _, seq = text.rpartition(".")
        return cls(int(seq), epoch)

    def __str__(self):
        return f"{self.epoch}.{self.seq}"


@dataclass
class Record:
    """One exchange."""

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
    of: list | None = None
    chain: str | None = None
    kind: str | None = None
    since: Cursor | None = None
    changes: list = field(default_factory=list)

    @classmethod
    def read(cls, line, members):
        known = {name: members[name] for name in cls.__dataclass_fields__ if name in members}
        for name in "at", "since":
            if known.get(name) is not None:
                known[name] = Cursor.read(known[name])
        end = known.pop("end", None)
        record = cls(line=line, end=math.inf if end is None else end, **({"client": ""} | known))
        record.require()
        return record

    def require(self):
        """Sees to what an operation cannot be judged without."""
        needed = {
            "start": self.at, "read": self.shows, "unchanged": self.at and self.of, "feed": self.chain and self.at,
            "write": self.key and (self.sets or self.counts)}
        if self.op not in OPS:
            raise ValueError(f"no such op: {self.op}")
        if not needed.get(self.op, True) or (self.op == "write" and self.result == "done" and self.at is None):
            raise ValueError(f"a {self.op} lacks a member")

    def __str__(self):
        what = self.key or self.kind or ""
        end = "…" if math.isinf(self.end) else f"{self.end:.3f}"
        return f"line {self.line}: {self.op} {what} by {self.client} [{self.begin:.3f}, {end}]"


def read(lines):
    """The records of a history, by session."""
    sessions = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = Record.read(number, json.loads(line))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise Unreadable(f"line {number}: {error}") from error
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
        self.end = min((each.end for each in self.answers), default=math.inf)
        self.is_done = bool(self.answers)
        # Where every try was refused, nothing was done.
        self.is_refused = all(each.result == "refused" for each in self.tries)
        self.sets, self.counts = self.tries[0].sets, self.tries[0].counts
        self.at = self.answers[0].at if self.answers else None
        self.shows = self.answers[0].shows if self.answers else {}

    @property
    def number(self):
        """What the counter was after it."""
        return int(self.shows[self.counts])

    def __str__(self):
        return str(self.answers[0] if self.answers else self.tries[0])


def writes(records):
    """The actions of a session, in the order in which they were begun."""
    tries = {}
    for record in records:
        if record.op == "write":
            tries.setdefault(record.key, []).append(record)
    return sorted((Write(key, some) for key, some in tries.items()), key=lambda write: write.begin)
