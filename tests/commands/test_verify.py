"""`slotwise verify`, and the certificates that commands leave."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from make import cli

import slotwise


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A result with its certificate."""
    there = tmp_path_factory.mktemp("proof")
    line = ["example:five-jobs", "-o", there / "result.json", "--certificate", there / "proof.json"]
    end = cli("solve", *line, "--threads", 1)
    assert end.code == 0, end
    assert "proved: yes, exactly 1603.112" in end.out
    return there


def document(path: Path) -> Any:
    """What a file holds."""
    return json.loads(path.read_text())


def test_a_result_is_confirmed(folder: Path) -> None:
    files = folder / "result.json", folder / "proof.json"
    end = cli("verify", "example:five-jobs", *files)
    assert end.code == 0, end
    assert end.out.splitlines()[-2:] == ["optimal, exactly: confirmed", "CONFIRMED"]
    shown = json.loads(cli("verify", "example:five-jobs", *files, "--json").out)
    assert shown["confirmed"] is True
    assert "optimal, exactly: confirmed" in shown["findings"]
    assert slotwise.read(files[1]).kind == "proved"
    assert (folder / "proof.json").stat().st_size < 100_000


def test_a_bound_that_is_not_proved(folder: Path, tmp_path: Path) -> None:
    # Without its proof the bound is a claim; what the closed forms show is said.
    weak = document(folder / "proof.json") | {"proofs": [{"proof": "waits"}]}
    (tmp_path / "weak.json").write_text(json.dumps(weak))
    end = cli("verify", "example:five-jobs", folder / "result.json", tmp_path / "weak.json")
    assert end.code == 1
    assert "proof 'waits': no schedule ends before 1601.192 s" in end.out
    assert "lower bound: NOT CONFIRMED" in end.out


def test_a_proof_of_another_instance_proves_nothing_of_this_one(folder: Path) -> None:
    end = cli("verify", "example:unequal-machines", folder / "result.json", folder / "proof.json")
    assert end.code == 1
    assert "not about one instance" in end.out


def test_files_that_are_none(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "twice.json").write_text('{"format": "slotwise/certificate/1", "format": "x"}')
    end = cli("verify", "example:five-jobs", folder / "result.json", tmp_path / "twice.json")
    assert end.code == 2
    assert end.err == f"slotwise: {tmp_path / 'twice.json'}: a key comes twice in one object\n"
    assert cli("verify", "example:five-jobs").code == 2
    end = cli(
        "verify",
        "example:five-jobs",
        folder / "result.json",
        folder / "proof.json",
        "-o",
        tmp_path / "x",
    )
    assert end.code == 2
    assert "-o is for --print-verifier" in end.err


def test_a_stranger_takes_the_verifier_alone(folder: Path, tmp_path: Path) -> None:
    assert cli("verify", "--print-verifier", "-o", tmp_path).code == 0
    shipped = Path(slotwise.__file__).with_name("verifier").glob("*.py")
    assert {path.name for path in (tmp_path / "verifier").iterdir()} == {p.name for p in shipped}
    assert cli("list", "examples", "five-jobs", "-o", tmp_path / "shop.json").code == 0
    program = [sys.executable, "-I", tmp_path / "verifier", tmp_path / "shop.json"]
    files = [folder / "result.json", folder / "proof.json"]
    end = subprocess.run([*program, *files], capture_output=True, text=True, cwd=tmp_path)
    assert end.returncode == 0, end
    assert end.stdout.endswith("CONFIRMED\n")
    printed = cli("verify", "--print-verifier").out
    for path in (tmp_path / "verifier").glob("*.py"):
        assert f"# verifier/{path.name}\n\n{path.read_text()}" in printed


def test_another_file_of_that_name_is_kept(tmp_path: Path) -> None:
    (tmp_path / "verifier").mkdir()
    (tmp_path / "verifier/judge.py").write_text("mine")
    end = cli("verify", "--print-verifier", "-o", tmp_path)
    assert end.code == 2
    assert "is there already" in end.err
    assert [path.name for path in (tmp_path / "verifier").iterdir()] == ["judge.py"]


def test_gap_says_what_is_proved() -> None:
    end = cli("gap", "example:five-jobs", "--time-limit", 5, "--heuristic", "EFSS")
    assert "proved: yes, exactly 1603.112" in end.out
    line = ("example:five-jobs", "--time-limit", 5, "--heuristic", "EFSS", "--json")
    (entry,) = json.loads(cli("gap", *line).out)["instances"]
    assert entry["proved"]["class"] == "proved"
    assert entry["proved"]["exactly"] is True


def test_no_schedule_exists(tmp_path: Path) -> None:
    shop = json.loads(
        Path(slotwise.__file__).with_name("examples").joinpath("five-jobs.json").read_text()
    )
    shop["outages"] = [{"node": node["name"]} for node in shop["cluster"]["nodes"]]
    (tmp_path / "shop.json").write_text(json.dumps(shop))
    files = tmp_path / "result.json", tmp_path / "proof.json"
    assert cli("solve", tmp_path / "shop.json", "-o", files[0], "--certificate", files[1]).code == 1
    assert document(files[1])["class"] == "proved"
    end = cli("verify", tmp_path / "shop.json", *files)
    assert end.code == 0
    assert "no schedule exists" in end.out


def test_plans(tmp_path: Path) -> None:
    files = tmp_path / "claim.json", tmp_path / "proof.json"
    line = ("example:google-2011", "-o", files[0], "--certificate", files[1])
    assert cli("guide", *line, "--quiet").code == 0
    assert cli("verify", "example:google-2011", *files).code == 0


def test_shares_have_no_certificate(tmp_path: Path) -> None:
    (tmp_path / "proof.json").write_text('{"proofs": [{"proof": "stages"}]}')
    assert cli("fair", "example:departments", "-o", tmp_path / "shares.json", "-q").code == 0
    end = cli("verify", "example:departments", tmp_path / "shares.json", tmp_path / "proof.json")
    assert end.code == 2
    assert "slotwise check HIERARCHY ALLOCATION says whether shares are fair" in end.err
    shares = slotwise.fair(slotwise.read("example:departments"))
    with pytest.raises(slotwise.InputError, match="claim: needs a Result or a Guidance, got an"):
        slotwise.certify(shares)


def test_options_that_do_not_go_together(tmp_path: Path) -> None:
    proof = tmp_path / "proof.json"
    end = cli("guide", "example:google-2011", "--scale", 0.1, "--certificate", proof)
    assert end.code == 2
    assert "--certificate is of a plan of the whole file" in end.err
    end = cli("fair", "example:departments", "--certificate", proof)
    assert end.code == 2
    assert "fair --certificate is no longer there: slotwise check" in end.err
    assert not proof.exists()
