"""A host (host.c) with the injector in it, and what it tells."""
import os
import resource
import subprocess
import threading
import time

PATIENCE = 15


class Violation(Exception):
    """Something that must hold did not."""


class Host:
    def __init__(self, program, injector, control, limits, environment):
        self.control = control
        self.lines, self.news = [], threading.Condition()
        self.process = subprocess.Popen(
            [program, *map(str, limits)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, **environment, "LD_PRELOAD": injector, "FAILURES_CONTROL": control.path,
                 "MALLOC_PERTURB_": "165"})
        self.threads = [threading.Thread(target=self.listen), threading.Thread(target=self.take_errors)]
        self.errors = b""
        for thread in self.threads:
            thread.start()

    def listen(self):
        for line in self.process.stdout:
            with self.news:
                self.lines.append(line.decode().split())
                self.news.notify_all()
        with self.news:
            self.lines.append(["died"])
            self.news.notify_all()

    def take_errors(self):
        self.errors = self.process.stderr.read()

    def tell(self, line):
        try:
            self.process.stdin.write(line.encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Violation("the host is dead") from None

    def mark(self):
        """What is told from here on."""
        with self.news:
            return len(self.lines)

    def told(self, mark=0, *words):
        with self.news:
            return [line for line in self.lines[mark:] if line[0] in words]

    def wait_for(self, mark, *words, count=1, unless=lambda: False, patience=PATIENCE):
        """The first line since the mark that begins with one of these words; or None, as soon as `unless` says so."""
        deadline = time.monotonic() + patience
        with self.news:
            while True:
                found = [line for line in self.lines[mark:] if line[0] in words]
                if len(found) >= count:
                    return found[count - 1]
                if any(line[0] == "died" for line in self.lines[mark:]):
                    raise Violation("the host died")
                if unless():
                    return None
                if time.monotonic() > deadline:
                    raise Violation(f"the host never said {' or '.join(words)}")
                self.news.wait(0.01)

    def ask(self, line, *words, patience=PATIENCE):
        mark = self.mark()
        self.tell(line)
        return self.wait_for(mark, *words, patience=patience)

    def gauges(self):
        return [int(number) for number in self.ask("gauges", "gauges")[1:]]

    def gauges_become(self, expected):
        deadline = time.monotonic() + PATIENCE
        while (gauges := self.gauges()) != expected:
            if time.monotonic() > deadline:
                raise Violation(f"gauges are {gauges}, not {expected}: connections, running, parked, lingering, exchanges")
            time.sleep(0.002)

    def descriptors(self):
        return sorted(os.listdir(f"/proc/{self.process.pid}/fd"), key=int)

    def processor_seconds(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        """Its exit status."""
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        for thread in self.threads:
            thread.join()
        return status

    def kill(self):
        self.process.kill()
        self.end()


resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
