"""The pages of Examples/Pages show what curl does."""

import os
import pathlib

import pytest

from client import Client
from processes import Bindery, eventually

PAGES = pathlib.Path(__file__).parents[2] / "Examples/Pages"


@pytest.fixture
def serve(tmp_path, monkeypatch):
    """Serves the pages beside a program's view models."""
    servers = []

    def served(program):
        monkeypatch.setenv("PROXIES_BINARY", str(pathlib.Path(os.environ["PROXIES_BINARY"]).parent / program))
        servers.append(Bindery(tmp_path / program, "--static", str(PAGES)))
        return servers[-1].start().port

    yield served
    for server in servers:
        server.kill()


def act(port, path):
    assert Client(port).ask("POST", path, [("Host", "127.0.0.1")]).status == 200


def outputs(page, text):
    eventually(lambda: page.locator("output").inner_text() == text, text)


def test_the_kiosk(serve, context):
    port = serve("bindery")
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{port}/kiosk.html")
    outputs(page, "0")
    act(port, "/counter/increment")
    outputs(page, "1")
    page.get_by_role("button", name="increment").click()
    outputs(page, "2")
    assert page.locator("body").get_attribute("class") in (None, "")


def test_the_board_of_the_ticket_machine(serve, context):
    port = serve("Tickets")
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{port}/board.html")
    outputs(page, "Welcome")
    assert page.get_by_role("button", name="Call the next").is_disabled()
    page.get_by_role("button", name="Take a number").click()
    page.get_by_text("1 waiting").wait_for()
    act(port, "/tickets/call")
    outputs(page, "Number 1, please")
    assert page.get_by_role("button", name="Call the next").is_disabled()
