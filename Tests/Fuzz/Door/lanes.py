"""Many streams to one server: several connections at a time, each used again while the streams leave it open."""

import asyncio
import itertools
import time
from dataclasses import dataclass, field

import generator
from minimise import minimised
from probe import Outcome, Probe
from wire import Connection

# Connections of one process, and how often one is used again before another takes its place.
LANES, USES = 8, 64


@dataclass
class Run:
    """What one process does: the streams whose number is its own, until there were enough or time is up."""

    port: int
    seed: int
    numbers: itertools.count | list[int]
    until: float
    most_failures: int
    done: int = 0
    accepted: int = 0
    failures: list[str] = field(default_factory=list)

    def __post_init__(self):
        self.next_number = iter(self.numbers)

    async def all(self) -> None:
        await asyncio.gather(*(self.lane() for _ in range(LANES)))

    async def lane(self) -> None:
        """One connection after another."""
        connection, uses = None, 0
        while time.monotonic() < self.until and len(self.failures) < self.most_failures:
            number = next(self.next_number, None)
            if number is None:
                break
            probe = self.probe(number)
            complaint = probe.disagreement()
            if complaint:
                self.fail(number, probe, complaint, None)
            if connection is None:
                connection, uses = await Connection.open(self.port), 0
            outcome = await probe.run(connection)
            complaint = probe.complaint(outcome)
            if complaint:
                self.fail(number, *await minimised(self.port, probe, complaint, outcome))
            uses += 1
            self.done += 1
            self.accepted += len(probe.expected)
            if complaint or outcome.end != "open" or uses == USES:
                connection.close()
                connection = None
        if connection:
            connection.close()

    def probe(self, number: int) -> Probe:
        """The stream of that number, as it is sent."""
        stream = generator.stream(self.seed, number)
        cuts = generator.cuts(self.seed, number, len(stream))
        pieces = [stream[start:end] for start, end in itertools.pairwise([0, *cuts, len(stream)])]
        sentinel = b"GET /sentinel/%d HTTP/1.1\r\nHost: door\r\n\r\n" % number
        return Probe(stream, pieces, sentinel, finishes=number % 16 == 0)

    def fail(self, number: int, probe: Probe, complaint: str, outcome: Outcome | None) -> None:
        """Keeps what people need to find the fault."""
        self.failures.append(
            f"FAILED --seed {self.seed} --only {number}: {complaint}\n"
            f"{probe.stream!r}\n{probe.report(outcome)}\n")
