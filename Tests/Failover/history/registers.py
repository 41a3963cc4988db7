"""Whether reads and writes of one output are linearizable, where no value is written twice.

P. B. Gibbons and E. Korach, Testing Shared Memories, SIAM J. Comput. 26 (1997), section 4: all operations of one value are a
cluster, and its zone lies between its earliest end and its latest begin. Where an operation of a value is over before
another of the same value begins, the zone is a forward one: the output has that value all through it. So no two of these
overlap, and none holds the zone of a value whose operations are all at one time. There is an order if, and only if, this is so.
"""

import bisect
import math
from dataclasses import dataclass, field


@dataclass
class Cluster:
    """A value: when it was written, and by whom it was seen."""

    value: object
    begin: float
    end: float
    write: object
    seen: list = field(default_factory=list)

    def zone(self):
        """Of all its operations the earliest end and the latest begin, each with the operation."""
        everyone = [(self.begin, self.end, self.write), *((each.begin, each.end, each) for each in self.seen)]
        first = min(everyone, key=lambda each: each[1])
        last = max(everyone, key=lambda each: each[0])
        return first[1], last[0], first[2], last[2]


def judge(clusters):
    """The faults, as (value that was shown too late, what showed it, what had come before that)."""
    forward, backward = [], []
    for cluster in clusters:
        # Nobody knows whether it happened, and nobody saw it: it did not, or nobody was there.
        if math.isinf(cluster.end) and cluster.end > 0 and not cluster.seen:
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
        # The last that began before it; those are apart where the history is sound.
        place = bisect.bisect_left(begins, latest) - 1
        if place >= 0 and over < forward[place][1]:
            yield forward[place][4], forward[place][3], first
