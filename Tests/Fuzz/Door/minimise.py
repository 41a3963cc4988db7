"""Makes a failing stream shorter while it fails."""

import re

from probe import Outcome, Probe
from wire import Connection

# A try is a connection of its own; a silent server costs each one its time.
TRIES, PATIENCE = 300, 0.5


async def minimised(port: int, probe: Probe, complaint: str, outcome: Outcome) -> tuple[Probe, str, Outcome]:
    """A shorter probe of the same complaint, sent in one piece on a connection of its own; the same where none is."""
    best = (probe, complaint, outcome)
    stream, size, tries = probe.stream, len(probe.stream), 0
    while size > 0 and tries < TRIES:
        at = 0
        while at < len(stream) and tries < TRIES:
            # First all of it, in one piece and alone.
            shorter = stream if tries == 0 else stream[:at] + stream[at + size:]
            tried = await attempt(port, Probe(shorter, [shorter], probe.sentinel, probe.finishes))
            tries += 1
            if kind(tried[1]) == kind(complaint):
                stream, best = shorter, tried
            elif tries == 1:
                return best
            else:
                at += size
            size = min(size, max(1, len(stream) // 2))
        size //= 2
    return best


async def attempt(port: int, probe: Probe) -> tuple[Probe, str | None, Outcome]:
    """What a probe comes to, and what is wrong with that."""
    connection = await Connection.open(port)
    try:
        outcome = await probe.run(connection, PATIENCE)
        return probe, probe.complaint(outcome), outcome
    finally:
        connection.close()


def kind(complaint: str | None) -> str:
    """The complaint without the numbers of requests, which a shorter stream may change."""
    return re.sub(r"request [0-9]+|^[0-9]+ ", "", complaint or "")
