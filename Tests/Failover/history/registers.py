"""Whether reads and writes of one output are linearizable, where no value is written twice.

P. B. Gibbons and E. Korach, Testing Shared Memories, SIAM J. Comput. 26 (1997), section 4. All operations of one value are a
cluster; its zone lies between its earliest end and its latest begin. If one of them is over before another one begins, the
zone is a forward one: the output has that value all through it. There is an order if and only if no two forward zones overlap
and none of them holds a backward zone.
"""

import bisect
import math
from dataclasses import dataclass, field


@dataclass
class Cluster:
    """A value: when it was written, and who saw it."""

    value: object
    begin: float
    end: float
    write: object
    seen: list = field(default_factory=list)

    def zone(self):
        """The earliest end and the latest begin, each with its operation."""
        everyone = [(self.begin, self.end, self.write), *((each.begin, each.end, each) for each in self.seen)]
        first = min(everyone, key=lambda each: each[1])
        last = max(everyone, key=lambda each: each[0])
        return first[1], last[0], first[2], last[2]


def judge(clusters):
    """The faults, as (value that was shown too late, what showed it, what came before that)."""
    forward, backward = [], []
    for cluster in clusters:
        # Without an answer, and nobody saw it: it may not have happened.
        if cluster.end == math.inf and not cluster.seen:
            continue
        over, latest, first, last = cluster.zone()
        (forward if over < latest else backward).append((over, latest, first, last, cluster.value))
    forward.sort(key=lambda zone: zone[0])
    latest = None
    for zone in forward:
        if latest is not None and zone[0] < latest[1]:
            yield latest[4], latest[3], zone[2]
        if latest is None or zone[1] > latest[1]:
            latest = zone
    begins = [zone[0] for zone in forward]
    for over, latest, first, _, value in backward:
        # The last forward zone that began before it; where the history is sound, those do not overlap.
        place = bisect.bisect_left(begins, latest) - 1
        if place >= 0 and over < forward[place][1]:
            yield forward[place][4], forward[place][3], first
