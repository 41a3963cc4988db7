"""A session through the client that openapi-python-client makes: client.py URL."""

import json
import sys

from bindery_client import AuthenticatedClient, Client
from bindery_client.api.changes import get_changes
from bindery_client.api.counter import decrement_counter, get_counter, increment_counter
from bindery_client.api.login import validate_login
from bindery_client.api.sessions import begin_session, end_session, show_session
from bindery_client.models import ChangesKind, GetChangesTopicsItem, Problem, ValidateLoginBody

url = sys.argv[1]
begun = begin_session.sync(client=Client(base_url=url))
client = AuthenticatedClient(base_url=url, token=begun.token, timeout=10)
assert show_session.sync(client=client).view_models.counter.text == "0"

refused = decrement_counter.sync(client=client)
assert isinstance(refused, Problem) and refused.type_ == "/problems/action-disabled"
acted = increment_counter.sync_detailed(client=client, idempotency_key="once")
assert acted.parsed.text == "1" and acted.parsed.alpha == 1
again = increment_counter.sync_detailed(client=client, idempotency_key="once")
assert again.parsed.text == "1" and again.headers["Idempotency-Replayed"] == "true"
validated = validate_login.sync(client=client, body=ValidateLoginBody(id="taro", password="himitsu"))
assert validated.text == "OK!!!" and validated.color.value == "green"

delta = get_changes.sync(client=client, since=begun.cursor, topics=[GetChangesTopicsItem.COUNTER])
assert delta.kind is ChangesKind.DELTA and [change.value for change in delta.changes] == ["1", True, 1]
both = get_changes.sync(
    client=client, since=begun.cursor, topics=[GetChangesTopicsItem.COUNTER, GetChangesTopicsItem.LOGIN])
assert [change.view_model for change in both.changes] == ["counter"] * 3 + ["login"] * 2
idle = get_changes.sync(client=client, since=delta.cursor, wait=0)
assert idle.kind is ChangesKind.IDLE and idle.changes == []
after = get_changes.sync(client=client, since=acted.headers["ETag"], wait=0)
assert {change.view_model for change in after.changes} == {"login"}

with client.get_httpx_client().stream("GET", "/changes", headers={"Accept": "text/event-stream"}) as stream:
    lines = stream.iter_lines()
    block = dict(next(lines).split(": ", 1) for _ in range(4))
    assert block["event"] == "snapshot" and block["id"] == json.loads(block["data"])["cursor"]

assert get_counter.sync(client=client).text == "1"
assert end_session.sync_detailed(client=client).status_code == 204
assert get_counter.sync(client=client).status == 401
