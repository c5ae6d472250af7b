"""`.jhist` files of Hadoop as a run: a file, or a folder of a night."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from ....core.errors import InputError
from ....core.files.examples import is_example
from ....core.files.inputs import file_name
from ....core.notices import ImportNotes
from ....core.parameters import described
from ....core.wording import listed, plural
from ...hadoop.rumen_file import distinct_jobs
from ...importers import Imported
from ..run import Run
from ..run_importers import HadoopOptions, run_importer
from .assembly import History, imported
from .jhist import read_jhist_job
from .places import Hosts


@run_importer(HadoopOptions)
def read_jhist(
    history: Annotated[
        str | Path, described("A .jhist file, or a folder of them.", metavar="HISTORY")
    ],
    options: HadoopOptions,
) -> Imported[Run]:
    """The run of one job or, from a folder, of all jobs in it."""
    dropped: Counter[str] = Counter()
    notes = ImportNotes()
    read = [read_jhist_job(path, dropped) for path in jhist_files(history)]
    jobs = distinct_jobs([job for job, _ in read], "drop", notes)
    unfinished = [job.jobID for job, complete in read if not complete]
    if unfinished:
        notes.add(f"the log ends before {plural(len(unfinished), 'job')} ({listed(unfinished)})")
    name = options.name or _name(history)
    made = History(name, "yarn", jobs, not unfinished, dropped, notes.lines)
    return imported(made, Hosts(options.topology), (options.containers,), history)


def jhist_files(path: str | Path) -> Sequence[Path]:
    """The `.jhist` files below a folder, or the file itself. Raises `InputError` for none."""
    if is_example(path) or not Path(path).is_dir():
        return [Path(path)]
    found = sorted(
        file for file in Path(path).rglob("*.jhist*") if file.name.endswith((".jhist", ".jhist.gz"))
    )
    if not found:
        raise InputError(f"{path}: no .jhist file in this folder")
    return found


def _name(path: str | Path) -> str:
    return file_name(path).removesuffix(".gz").removesuffix(".jhist") or "jhist"
