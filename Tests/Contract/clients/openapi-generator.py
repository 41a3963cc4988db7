"""A session through the client that openapi-generator makes for Python: openapi-generator.py URL."""

import sys

import openapi_client as bindery

url = sys.argv[1]
begun = bindery.SessionsApi(bindery.ApiClient(bindery.Configuration(host=url))).begin_session()
client = bindery.ApiClient(bindery.Configuration(host=url, access_token=begun.token))
counter, sessions = bindery.CounterApi(client), bindery.SessionsApi(client)
assert sessions.show_session().view_models.counter.text == "0"
assert bindery.ServiceApi(client).show_index().view_models[0].path == "/counter"

try:
    counter.decrement_counter()
    raise AssertionError("the action is disabled")
except bindery.ApiException as refused:
    assert refused.status == 409 and "/problems/action-disabled" in refused.body
assert counter.increment_counter(idempotency_key="once").text == "1"
assert counter.increment_counter(idempotency_key="once").text == "1"
acted = counter.get_counter_with_http_info()
login = bindery.ValidateLoginRequest(id="taro", password="himitsu")
assert bindery.LoginApi(client).validate_login(login).color == "green"

changes = bindery.ChangesApi(client)
delta = changes.get_changes(since=begun.cursor, topics=["counter"])
assert delta.kind == "delta" and [change.value for change in delta.changes] == ["1", True, 1]
both = changes.get_changes(since=begun.cursor, topics=["counter", "login"])
assert [change.view_model for change in both.changes] == ["counter"] * 3 + ["login"] * 2
idle = changes.get_changes(since=delta.cursor, wait=0)
assert idle.kind == "idle" and idle.changes == []
after = changes.get_changes(since=acted.headers["ETag"], wait=0)
assert {change.view_model for change in after.changes} == {"login"}

sessions.end_session()
try:
    counter.get_counter()
    raise AssertionError("the session has ended")
except bindery.ApiException as refused:
    assert refused.status == 401
