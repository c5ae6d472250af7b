"""A campaign that is killed again and again comes to the same bytes.

    python benchmarks/kill_campaign.py [--kills 20] [--seeds 50] [--seed 1] [--on here|dask]

On this machine its process group is killed, or only its driver; on Dask (a scheduler and two
workers, started here) a worker, the client and the scheduler in turn, and the last session runs on
this machine. Every kill comes at a random moment and without a warning.
"""

import argparse
import random
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))
from kill_loops import Campaign, killed_here, killed_on_dask


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=50, help="ten runs for each")
    parser.add_argument("--seed", type=int, default=1, help="of the moments")
    parser.add_argument("--on", choices=["here", "dask"], default="here")
    asked = parser.parse_args()
    rng, began = random.Random(asked.seed), time.monotonic()
    with TemporaryDirectory() as name:
        folder = Path(name)
        whole, killed = (Campaign(folder / part, asked.seeds) for part in ("whole", "killed"))
        whole.finish()
        if asked.on == "here":
            killed_here(killed, asked.kills, rng)
        else:
            killed_on_dask(killed, folder / "cluster", asked.kills, rng)
        before = killed.ended().total()
        killed.finish()
        ended = killed.ended()
        print(f"{asked.kills} kills, {before} runs had ended by then")
        print(f"{whole.runs} runs: {whole.runs - len(ended)} lost, ", end="")
        print(f"{ended.total() - len(ended)} twice, {len(killed.processes())} processes left")
        for file, digest in whole.digests().items():
            same = "same" if killed.digests()[file] == digest else "DIFFERENT"
            print(f"{file}: {same} ({digest[:16]})")
        print(f"{time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
