"""`slotwise steps POLICY DATACENTER` and `slotwise steps ALLOCATOR HIERARCHY`."""

import json
from pathlib import Path

import browser as browsers
import pytest
from make import refused

import slotwise
from slotwise.commands.app import run

Capture = pytest.CaptureFixture[str]

GPUS = "example:gpu-cluster --guidance example:gpu-cluster-guidance"


def test_machines_jobs_and_plan_are_those_of_the_options(capfd: Capture) -> None:
    assert run(f"steps lotes {GPUS} --trace example:gpu-cluster-jobs --json".split()) == 0
    replayed = json.loads(capfd.readouterr().out)
    assert len(replayed["lanes"]) == 9
    assert sum(step["kind"] in ("place", "wait") for step in replayed["steps"]) == 60
    assert "gpu-cluster-jobs" in replayed["notes"][0]
    line = f"steps first-fit {GPUS} --jobs 7 --load 0.5 --noise 0.2 --seed 3 --json"
    assert run(line.split()) == 0
    drawn = json.loads(capfd.readouterr().out)
    assert len(drawn["steps"]) == 7
    assert "seed 3, demands with a coefficient of variation of 0.2" in drawn["notes"][0]
    line = "steps best-fit example:gpu-cluster --scale 0.4 --jobs 3 --json"
    assert run(line.split()) == 0
    assert len(json.loads(capfd.readouterr().out)["lanes"]) == 4


def test_what_does_not_go_together_is_refused() -> None:
    assert "--seed is for dispatching policies, 'exact' is none" in refused(
        "steps exact example:departments --seed 1"
    )
    assert "explain --trace is no longer there: slotwise steps has it" in refused(
        "explain sequence --trace x.csv"
    )
    assert "needs a Datacenter, got a Hierarchy" in refused("steps lotes example:departments")
    assert "needs a Hierarchy, got a Datacenter" in refused("steps mch example:gpu-cluster")
    assert "--scale 0.001 takes fewer" in refused("steps lotes example:google-2011")
    assert "load, rate and trace exclude one another" in refused(
        f"steps lotes {GPUS} --trace example:gpu-cluster-jobs --load 1"
    )
    assert "guidance: needs a Guidance, a word or a path, got 3" in refused(
        "steps lotes example:four-machines --parameter guidance=3"
    )


def test_pages_of_policies_and_shares_fit_phone_and_desk(tmp_path: Path) -> None:
    guidance = slotwise.read_guidance(
        "example:gpu-cluster-guidance", slotwise.read("example:gpu-cluster")
    )
    shown = {
        "lotes": ("example:gpu-cluster", {"guidance": guidance}, "25/"),
        "exact": ("example:mch-figure-4", {}, "3/5"),
    }
    with browsers.browser() as chromium:
        for method, (example, parameters, title) in shown.items():
            steps = slotwise.steps(slotwise.read(example), method, **parameters)
            path = tmp_path / f"{method}.html"
            slotwise.write_step_page(steps, path)
            assert path.stat().st_size < 100_000
            address = f"{path.as_uri()}#{title.split('/')[0]}"
            for width, dark in ((browsers.PHONE, True), (browsers.DESK, False)):
                with browsers.opened(chromium, address, width=width, dark=dark) as tab:
                    assert tab.inner_text("#words h2").startswith(title)
                    assert not browsers.sticks_out(tab)
