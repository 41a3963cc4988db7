"""What the clients of one session were told, and the findings against the server."""

RING = 16
"""How many cursors of a session the server keeps at least; one of these is never answered with a snapshot."""


class Faults:
    """The findings by kind; the first few of each are printed in full."""

    def __init__(self):
        self.counts = {"lost": 0, "doubled": 0, "gaps": 0, "stale": 0, "other": 0}

    def note(self, kind, text, count=1):
        if count <= 0:
            return
        if self.counts[kind] < 5:
            print(f"  {kind}: {text}", flush=True)
        self.counts[kind] += count

    def __bool__(self):
        return any(self.counts.values())


class Ledger:
    """One session: its token, and what was acknowledged."""

    def __init__(self, name, token, faults):
        self.name, self.token, self.faults = name, token, faults
        self.headers = [f"Authorization: Bearer {token}"] if token else []
        # By key: the count that the answer showed. By seq: the count since that commit.
        self.increments, self.at = {}, {}
        self.others = 0
        # The largest count that anybody was shown.
        self.seen = 0
        self.issued = 0

    @property
    def actions(self):
        return len(self.increments) + self.others

    def issue(self):
        """A number for a key."""
        self.issued += 1
        return self.issued

    def acknowledge(self, key, count, seq=None):
        """An increment was answered with this count, under an ETag with this seq."""
        self.increments[key] = count
        if seq is not None:
            self.at[seq] = count

    def see(self, count, floor, where):
        """Somebody read the counter after `floor` had been shown."""
        if count < floor:
            self.faults.note("stale", f"{self.name}: {where} shows {count} after {floor} had been shown")
        self.seen = max(self.seen, count)

    def audit(self, count):
        """Compares the stored count with what was acknowledged: each key is one step, and each step is one key's."""
        steps = set(self.increments.values())
        keys = len(self.increments)
        beyond = sum(1 for step in steps if not 1 <= step <= count)
        lost = keys - len(steps) + beyond
        unclaimed = count - (len(steps) - beyond)
        self.faults.note("lost", f"{self.name}: {lost} of {keys} keys have no step of their own", lost)
        self.faults.note("doubled", f"{self.name}: {unclaimed} of {count} steps belong to no key", unclaimed)

    def audit_feed(self, name, shown):
        """Compares what a follower knew at each cursor, as (seq, count), with what was acknowledged up to that seq."""
        acknowledged = sorted(self.at.items())
        place = floor = 0
        for seq, count in sorted(shown):
            while place < len(acknowledged) and acknowledged[place][0] <= seq:
                floor = max(floor, acknowledged[place][1])
                place += 1
            if count < floor:
                self.faults.note("gaps", f"{name}: at seq {seq} it was told of {count}, and {floor} was acknowledged")
