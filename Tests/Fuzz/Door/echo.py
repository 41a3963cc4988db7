"""The server under test: a door-echo of its own process."""

import subprocess

from record import FIELDS, swift_name


class Echo:
    """Runs until it is stopped, or until this process ends and its standard input with it."""

    def __init__(self, binary: str):
        self.process = subprocess.Popen([binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        port, *fields = self.process.stdout.readline().split()
        if sorted(fields) != sorted(map(swift_name, FIELDS)):
            raise SystemExit(f"record.py's fields are not RequestHeader's: {b' '.join(fields).decode()}")
        self.port = int(port)

    def stop(self) -> str | None:
        """Ends it; what is wrong with how it ended, as a sanitizer says by the status."""
        self.process.stdin.close()
        try:
            status = self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return "FAILED: door-echo did not end when its standard input did"
        return None if status == 0 else f"FAILED: door-echo ended with status {status}"
