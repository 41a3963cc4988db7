"""What pages load before they show anything stays small."""

import gzip
import pathlib

FILES = pathlib.Path(__file__).parents[2] / "Sources/WebFiles"


def test_the_script_has_under_three_kibibytes_gzipped():
    assert len(gzip.compress((FILES / "bindery.js").read_bytes(), 9)) < 3 * 1024
