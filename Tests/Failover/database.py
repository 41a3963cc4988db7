"""PostgreSQL: a primary and its synchronous standby, as processes that can be killed and stopped."""

import contextlib
import glob
import os
import pathlib
import shutil
import signal
import subprocess
import time
import urllib.parse

import deployed

# Not '*': the primary would take pg_basebackup for its standby.
STANDBY = "standby"
PATIENCE = 30
STRICT = deployed.PATRONI["dcs"]["synchronous_mode"] and deployed.PATRONI["dcs"]["synchronous_mode_strict"]
# As deployed, and what makes the test short. A killed process loses nothing that the kernel has, so it needs no fsync.
PARAMETERS = deployed.PATRONI["dcs"]["postgresql"]["parameters"] | {
    "synchronous_standby_names": STANDBY if STRICT else "", "listen_addresses": "", "fsync": "off",
    "shared_buffers": "64MB", "wal_keep_size": "1GB", "wal_retrieve_retry_interval": "100ms"}


def programs():
    """The directory of PostgreSQL's programs, in Debian."""
    places = glob.glob("/usr/lib/postgresql/*/bin")
    if not places:
        raise RuntimeError("PostgreSQL is not installed; script/bootstrap --all installs it")
    return pathlib.Path(max(places, key=lambda path: int(path.split("/")[4])))


def as_postgres(command):
    """PostgreSQL refuses to run as root, and then runs as Debian's user for it."""
    if os.geteuid() == 0:
        return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", *command]
    return command


def children(pid):
    """The child processes of a process."""
    found = []
    for path in glob.glob("/proc/[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # The name in parentheses may hold anything; what follows it does not.
            fields = pathlib.Path(path).read_text().rpartition(")")[2].split()
            if int(fields[1]) == pid:
                found.append(int(path.split("/")[2]))
    return found


class Node:
    """A database server on a socket in a directory of its own."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.data = self.directory / "data"
        self.log = self.directory / "log"
        self.process = None

    @property
    def uri(self):
        """The store of a replica, as the superuser."""
        return f"postgres:///postgres?host={self.directory}&user=postgres"

    def prepare(self):
        self.directory.mkdir(parents=True, exist_ok=True)
        self.log.touch()
        if os.geteuid() == 0:
            shutil.chown(self.directory, "postgres", "postgres")
            shutil.chown(self.log, "postgres", "postgres")

    def run(self, program, *options, check=True):
        """Runs one of PostgreSQL's programs."""
        with self.log.open("ab") as log:
            return subprocess.run(
                as_postgres([str(programs() / program), *options]), cwd=self.directory, stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, check=check)

    def start(self, upstream=None):
        """Starts it: a standby of another, or a primary."""
        settings = {"unix_socket_directories": self.directory}
        signal_file = self.data / "standby.signal"
        if upstream:
            settings["primary_conninfo"] = f"host={upstream.directory} user=postgres application_name={STANDBY}"
            signal_file.touch()
        else:
            signal_file.unlink(missing_ok=True)
        # On the command line: pg_basebackup and pg_rewind copy the files of settings from the other node.
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        # Of the killed process, whose number another process may have now.
        (self.data / "postmaster.pid").unlink(missing_ok=True)
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                as_postgres([str(programs() / "postgres"), "-D", str(self.data), *options]), cwd=self.directory,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        limit = time.monotonic() + PATIENCE
        while self.ask("SELECT 1", check=False) != "1":
            if self.process.poll() is not None or time.monotonic() > limit:
                raise RuntimeError(f"PostgreSQL does not start:\n{self.said()}")
            time.sleep(0.05)

    def ask(self, sql, check=True, database="postgres"):
        """The result of a query, a line a row."""
        command = ["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-h", str(self.directory), "-U", "postgres", "-c", sql, database]
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=PATIENCE)
        if check and done.returncode:
            raise RuntimeError(f"{sql}: {done.stderr}")
        return done.stdout.strip()

    def signal_all(self, number):
        """Sends a signal to the server and its children, which have process groups of their own."""
        known = set()
        while new := {self.process.pid, *children(self.process.pid)} - known:
            for pid in new:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)
            known |= new
        return known

    def kill(self):
        """Ends it as the loss of its machine does."""
        if self.process is None or self.process.returncode is not None:
            return
        # Stopped first, so that no process notices the end of another.
        for pid in self.signal_all(signal.SIGSTOP):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()

    def freeze(self):
        """Stops it until `thaw`."""
        self.signal_all(signal.SIGSTOP)

    def thaw(self):
        self.signal_all(signal.SIGCONT)

    def said(self):
        return "".join(self.log.read_text(errors="replace").splitlines(keepends=True)[-20:])


@contextlib.contextmanager
def alone(directory, *options):
    """A database server without a standby, until the end of the block; the options are those of initdb."""
    directory = pathlib.Path(directory)
    directory.chmod(0o755)
    node = Node(directory / "database")
    node.prepare()
    node.run("initdb", "-D", str(node.data), "-U", "postgres", "-A", "trust", "--no-sync", "--no-locale", *options)
    with (node.data / "postgresql.conf").open("a") as settings:
        settings.write("fsync = off\nlisten_addresses = ''\n")
    node.start()
    try:
        yield node
    finally:
        node.kill()


class Pair:
    """The primary and the standby, which change places."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.primary, self.standby = Node(self.directory / "a"), Node(self.directory / "b")

    @property
    def uri(self):
        """Of both: libpq takes the one that can be written."""
        return deployed.uri(urllib.parse.quote(str(self.directory / name), safe="") for name in "ab")

    def start(self):
        self.primary.prepare()
        self.standby.prepare()
        options = []
        for option in deployed.PATRONI["initdb"]:
            named = option if isinstance(option, dict) else {option: None}
            options += [f"--{name}" if value is None else f"--{name}={value}" for name, value in named.items()]
        self.primary.run(
            "initdb", "-D", str(self.primary.data), "-U", "postgres", "-A", "trust", "--no-sync", "--no-locale",
            # pg_rewind copies every file of the log, and each promotion leaves one.
            "--wal-segsize=1", *options)
        with (self.primary.data / "postgresql.conf").open("a") as settings:
            settings.writelines(f"{name} = '{value}'\n" for name, value in PARAMETERS.items())
        self.primary.start()
        self.copy()
        self.wait_in_sync()
        subprocess.run(
            ["sh", deployed.REPLICAS / "role", f"postgres://postgres@/postgres?host={self.primary.directory}"],
            env=os.environ | deployed.settings_of("database-1"), check=True, capture_output=True)

    def copy(self):
        """Makes a standby of a copy of the primary."""
        shutil.rmtree(self.standby.data, ignore_errors=True)
        self.standby.run(
            "pg_basebackup", "-D", str(self.standby.data), "-h", str(self.primary.directory), "-U", "postgres",
            "--no-sync", "--checkpoint=fast")
        self.standby.start(self.primary)

    def rewind(self):
        """Makes a standby of the former primary."""
        # pg_rewind reads the new timeline from the last checkpoint.
        self.primary.ask("CHECKPOINT")
        self.standby.run(
            "pg_rewind", "-D", str(self.standby.data), "--no-sync",
            f"--source-server=host={self.primary.directory} user=postgres dbname=postgres")
        self.standby.start(self.primary)

    def promote(self):
        """Makes the standby the primary; the primary must be dead."""
        self.standby.ask("SELECT pg_promote(true, 20)")
        self.primary, self.standby = self.standby, self.primary

    def wait_in_sync(self):
        """Waits until the standby has everything, and commits wait for it."""
        end = self.primary.ask("SELECT pg_current_wal_flush_lsn()")
        limit = time.monotonic() + PATIENCE
        while self.primary.ask(
                "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync' AND state = 'streaming' "
                f"AND flush_lsn >= '{end}'") != "1":
            if time.monotonic() > limit:
                raise RuntimeError(f"the standby does not follow:\n{self.standby.said()}")
            time.sleep(0.05)

    def cut(self):
        """Ends the connections of all clients."""
        return int(self.primary.ask(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
            "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"))

    def end(self):
        for node in self.primary, self.standby:
            node.kill()
