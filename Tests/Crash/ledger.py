"""What the clients of one session were told, and what may be held against the server."""


class Faults:
    """What was found wrong, by kind, with the first few told in full."""

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
        # By key: what the counter was said to be after it.
        self.increments = {}
        self.others = 0
        # The most the counter was ever said to be, by anybody.
        self.seen = 0
        self.issued = 0

    @property
    def actions(self):
        return len(self.increments) + self.others

    def issue(self):
        """A number for a key."""
        self.issued += 1
        return self.issued

    def see(self, count, floor, where):
        """Somebody read the counter, after `floor` had been shown: what was shown once must not be taken back."""
        if count < floor:
            self.faults.note("stale", f"{self.name}: {where} shows {count} after {floor} had been shown")
        self.seen = max(self.seen, count)

    def audit(self, count):
        """Holds the counter against what was acknowledged: each key one step, each step one key."""
        steps = set(self.increments.values())
        keys = len(self.increments)
        same = keys - len(steps)
        beyond = sum(1 for step in steps if not 1 <= step <= count)
        unclaimed = count - (len(steps) - beyond)
        lost = same + beyond
        self.faults.note("lost", f"{self.name}: {lost} of {keys} keys have no step of their own", lost)
        self.faults.note("doubled", f"{self.name}: {unclaimed} of {count} steps belong to no key", unclaimed)
