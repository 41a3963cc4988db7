"""What schemathesis cannot read from openapi.yaml. schemathesis.toml names this file."""

import itertools
import os
import re

import requests
import schemathesis

# Tests/Contract/run names the server, and, while it has no public session, the token of the session to use.
PRIVATE = "CONTRACT_TOKEN" in os.environ

SHORT_WAIT = "1"
ACCEPT = itertools.cycle(["application/json", "text/event-stream"])
# A made-up ETag never matches, so every action would be 412; half of them get one that does.
MATCH = itertools.cycle([True, False])
KEY = itertools.count()
# A made-up session's id is never that of the credentials, so every request would be 401; half of them leave it out.
MEANT = itertools.cycle([True, False])
OWN = itertools.cycle([True, False])


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Without a public session no request is let in unnamed.

    openapi.yaml says that credentials are optional (`{}` among the alternatives), which makes `ignored_auth` look
    away; without that alternative it proves that each operation refuses a missing and a wrong credential.
    """
    if not PRIVATE:
        return
    operations = [
        operation
        for path in raw_schema["paths"].values()
        for operation in path.values()
        if isinstance(operation, dict)
    ]
    for holder in [raw_schema, *operations]:
        if holder.get("security"):
            holder["security"] = [alternative for alternative in holder["security"] if alternative]


@schemathesis.hook
def before_call(context, case, kwargs):
    """Adapts the requests that would stop the run, or pass without having tried anything."""
    # What is no session's id at all must still be refused.
    if re.fullmatch(r"[A-Za-z0-9_-]{1,64}", case.headers.get("Bindery-Session", "")) and next(MEANT):
        del case.headers["Bindery-Session"]
    if case.path == "/changes":
        shorten_wait(case)
        # `Accept` is no parameter in OpenAPI, so the stream would never be asked for.
        case.headers["Accept"] = next(ACCEPT)
    elif case.path == "/session" and case.method in ("DELETE", "PATCH"):
        mean_another_session(case)
    elif case.path == "/sessions/{id}":
        # A made-up session is never the user's; half of them get one that is.
        if PRIVATE and re.fullmatch(r"[A-Za-z0-9_-]{1,64}", str(case.path_parameters["id"])) and next(OWN):
            case.path_parameters["id"] = new_session()["id"]
    else:
        renew_key(case)
        quote_entity_tag(case)
        if "If-Match" in case.headers and next(MATCH):
            case.headers["If-Match"] = "*"


def renew_key(case):
    """A key belongs to one path and body: one that schemathesis sends again with others is refused, as it should be."""
    key = case.headers.get("Idempotency-Key")
    if key is not None and re.fullmatch(r'"[!#-~]{1,255}"|[!#-~]{1,255}', key):
        case.headers["Idempotency-Key"] = f"key-{next(KEY)}"


def quote_entity_tag(case):
    """The coverage phase counts a bare 0 as good data, although the pattern of these headers asks for quotes."""
    for name in ["If-Match", "If-None-Match"]:
        if case.headers.get(name) == "0":
            case.headers[name] = '"0"'


def shorten_wait(case):
    """A poll that has nothing to tell waits 25 s if not told, and 55 s at most.

    Only a number is replaced: what is not one must still be refused.
    """
    wait = case.query.get("wait", "25")
    try:
        if float(wait) > float(SHORT_WAIT):
            case.query["wait"] = SHORT_WAIT
    except (TypeError, ValueError):
        pass


def mean_another_session(case):
    """Ends or changes a session made for it: every request after the end of the one in use would be 401, and the public one,
    which nobody may end or change, 403; half of those who mean that are left to find out."""
    means_public = not PRIVATE and "Authorization" not in case.headers and not case.cookies and next(OWN)
    if not means_public and case.headers.get("Authorization") != f"Bearer {os.environ.get('CONTRACT_TOKEN')}":
        return
    case.headers["Authorization"] = f"Bearer {new_session()['token']}"


def new_session():
    """A session of the user whose token is in use; of nobody where the server asks for no user."""
    answer = requests.post(os.environ["CONTRACT_URL"] + "/sessions", headers={"X-User": "taro"}, timeout=10)
    answer.raise_for_status()
    return answer.json()
