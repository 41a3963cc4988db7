"""The settings that deploy/ and the Dockerfile give to replicas and databases: the test runs on them."""

import pathlib
import re

import yaml

ROOT = pathlib.Path(__file__).parents[2]
REPLICAS = ROOT / "deploy/replicas"
SERVICES = yaml.safe_load((ROOT / "deploy/compose-replicas.yaml").read_text())["services"]
PATRONI = yaml.safe_load((REPLICAS / "patroni.yaml").read_text())["bootstrap"]


def settings_of(service):
    """A service's environment where the operator sets nothing; a replica has that of the image, too."""
    line = re.search(r"^ENV (.*)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)[1]
    own = SERVICES[service]["environment"].items()
    return dict(setting.split("=", 1) for setting in line.split()) | {
        name: re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", value) for name, value in own}


def uri(hosts):
    """The store of the replicas, on these hosts."""
    store, both = settings_of("replica-1")["BINDERY_STORE"], "@database-1,database-2/"
    if both not in store:
        raise RuntimeError(f"deploy/compose-replicas.yaml does not name both databases: {store}")
    return store.replace(both, f"@{','.join(hosts)}/")
