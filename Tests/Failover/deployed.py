"""What users deploy for replicas, as it stands in deploy/ and the Dockerfile.

The test runs on these settings, so that a mistake in them shows: it puts its own addresses, ports and paths in the place of
theirs, and adds what makes it short.
"""

import pathlib
import re

import yaml

ROOT = pathlib.Path(__file__).parents[2]
REPLICAS = ROOT / "deploy/replicas"
COMPOSE = yaml.safe_load((ROOT / "deploy/compose-replicas.yaml").read_text())
PATRONI = yaml.safe_load((REPLICAS / "patroni.yaml").read_text())
# What both databases agree on: the parameters of PostgreSQL, and how they are led.
AGREED = PATRONI["bootstrap"]["dcs"]


def settings_of(service):
    """A service's environment, as it is where the operator sets nothing."""
    return {
        name: re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", value)
        for name, value in COMPOSE["services"][service]["environment"].items()}


def command_of(service):
    """What a service runs, without its program; the image of the replicas says what theirs is."""
    return COMPOSE["services"][service].get("command", ["serve"])


def settings_of_image():
    """The environment that the image of the replicas has."""
    line = re.search(r"^ENV (.*)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)[1]
    return dict(setting.split("=", 1) for setting in line.split())


# Of the superuser, those who replicate, and Bindery.
PASSWORD = settings_of("database-1")["BINDERY_DATABASE_PASSWORD"]


STORE = settings_of("replica-1")["BINDERY_STORE"]
DATABASES = "@database-1,database-2/"
if DATABASES not in STORE:
    raise RuntimeError(f"deploy/compose-replicas.yaml does not name both databases: {STORE}")


def uri(hosts):
    """Where replicas find the database, with hosts in the place of theirs."""
    return STORE.replace(DATABASES, f"@{','.join(hosts)}/")
