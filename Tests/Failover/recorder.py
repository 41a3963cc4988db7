"""What clients saw, a line an exchange, as Tests/Failover/history reads it."""

import json
import time
from collections import Counter


class Recorder:
    """Writes the history down, and keeps what a round's line says of it."""

    def __init__(self, path):
        self.file = path.open("w", encoding="utf-8")
        self.results = Counter()
        # Of each try of an action or a read: (begin, end, what it was, whether it was answered).
        self.tries = []
        self.stuck = []

    def add(self, op, session, client, begin, end, **members):
        record = {"op": op, "session": session, "client": client, "begin": round(begin, 6)}
        record["end"] = None if end is None else round(end, 6)
        self.file.write(json.dumps({**record, **members}, ensure_ascii=False) + "\n")

    def note(self, op, begin, status):
        """Notes that something was tried, and the status of its answer, 0 for none; a refusal is an answer, too."""
        self.results[op, status] += 1
        self.tries.append((begin, time.monotonic(), op, status not in (0, 502, 503, 504)))

    def outage(self, op, since):
        """After a moment: how long until one that began after it was answered, and until the last that was not."""
        tries = [each for each in self.tries if each[1] >= since and each[2] == op]
        answered = min((end for begin, end, _, is_answered in tries if is_answered and begin >= since), default=None)
        failed = [end for _, end, _, is_answered in tries if not is_answered]
        return (
            None if answered is None else answered - since, max(failed, default=since) - since, len(failed))

    def refused(self, since):
        """What was tried since a moment and not answered, by what it was."""
        return Counter(op for begin, _, op, is_answered in self.tries if begin >= since and not is_answered)

    def forget(self):
        """Drops what earlier rounds tried."""
        self.tries = []

    def close(self):
        self.file.close()
