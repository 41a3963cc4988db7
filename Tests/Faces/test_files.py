"""What pages load stays small, and its types say what it is."""

import gzip
import os
import pathlib
import subprocess

import pytest

FILES = pathlib.Path(__file__).parents[2] / "Sources/WebFiles"

USE = """
import { connect } from "./client"
const session = await connect({ public: true, tabs: false })
const counter = session.viewModel("counter")
const end = counter.observe(({ text }) => text)
session.on("counter.text", (text) => text)
session.on("connection", (state) => state == "waiting")
const after = await counter.increment()
const shown: string = after.text, named: string = counter.text, again: string = counter.output("text")
await session.viewModel("login").validate({ id: "taro", password: null })
end()
session.close()
const cursor: string = session.status().cursor
"""

WRONG = """
import { connect } from "./client"
const session = await connect()
const counter = session.viewModel("counter")
const text: number = counter.text
"""


def test_the_script_has_under_three_kibibytes_gzipped():
    assert len(gzip.compress((FILES / "bindery.js").read_bytes(), 9)) < 3 * 1024


def generated():
    command = [os.environ["PROXIES_BINARY"], "client", "typescript"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def compiled(directory, types, text):
    (directory / "client.d.ts").write_text(types)
    (directory / "use.ts").write_text(text)
    command = "tsc --noEmit --strict --target es2022 --module es2022 --moduleResolution node use.ts".split()
    return subprocess.run(command, cwd=directory, capture_output=True, text=True)


@pytest.mark.parametrize("types", [lambda: (FILES / "bindery.d.ts").read_text(), generated], ids=["any", "generated"])
def test_the_types_fit_what_the_script_does(tmp_path, types):
    result = compiled(tmp_path, types(), USE)
    assert result.returncode == 0, result.stdout


def test_the_types_of_ones_own_view_models_know_their_outputs(tmp_path):
    result = compiled(tmp_path, generated(), WRONG)
    assert "Type 'string' is not assignable to type 'number'" in result.stdout
