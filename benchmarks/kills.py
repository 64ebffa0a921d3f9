"""Runs of `check --fix` killed in the middle: no file is damaged, and none is missing.

`python -m benchmarks.kills [--count 500] [--seed 1]` fixes a folder again and again. Half of the
runs are killed after a random time, the others shortly after a random number of files has changed
or the folder has held a new one (so also on a machine that does other work). Every file must be as
it was before or as it is after a run to the end. Where a killed run has left a copy beside the
files, the next run to the end must remove it.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

_FILES = 12
_PROGRAM = "import torch\n\n" + "".join(
    f"def f{n}(x):\n    y = torch.sigmoid(x)\n    y += {n}\n    return y.sum().backward()\n\n"
    for n in range(8)
)
_COMMAND = [sys.executable, "-m", "autograd_lint", "check", "--no-cache", "--fix", "--unsafe-fixes",
            "--quiet", "--certainty", "possible", "."]  # fmt: skip


def contents(folder: Path) -> dict[str, str]:
    """All files of a folder by name."""
    return {path.name: path.read_text() for path in folder.iterdir()}


def fresh(folder: Path) -> None:
    """Make the folder what it was at first."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for number in range(_FILES):
        (folder / f"m{number}.py").write_text(f"{_PROGRAM}# {number}\n")


def begun(folder: Path) -> subprocess.Popen[bytes]:
    """Begin to fix a folder."""
    silence = subprocess.DEVNULL
    return subprocess.Popen(_COMMAND, cwd=folder, stdout=silence, stderr=silence)


def killed(folder: Path, seconds: float) -> None:
    """Begin to fix a folder, and kill the run after some time."""
    run = begun(folder)
    try:
        run.wait(seconds)
    except subprocess.TimeoutExpired:
        run.kill()
        run.wait()


def killed_while_writing(folder: Path, changes: int, seconds: float) -> None:
    """Begin to fix a folder, and kill the run some time after so many changes of the folder."""
    names = list_of(folder)
    run = begun(folder)
    while run.poll() is None:
        found = list_of(folder)
        changes -= found != names
        names = found
        if changes <= 0:
            break
        time.sleep(0.0002)
    time.sleep(seconds)
    run.kill()
    run.wait()


def list_of(folder: Path) -> set[tuple[str, int]]:
    """The names in a folder, each with the number of its file on the disk."""
    return {(entry.name, entry.inode()) for entry in os.scandir(folder)}


def main() -> int:
    """Print what was damaged; returns whether anything was."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--count", type=int, default=500)
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    chance = random.Random(options.seed)
    wrong = middle = left = kept = 0
    with TemporaryDirectory() as place:
        folder = Path(place, "code")
        fresh(folder)
        before, start = contents(folder), time.monotonic()
        killed(folder, 600)
        after, whole = contents(folder), time.monotonic() - start
        for number in range(options.count):
            fresh(folder)
            if number % 2:
                killed(folder, whole * chance.uniform(0.6, 1.0))
            else:
                killed_while_writing(folder, chance.randint(1, _FILES), chance.uniform(0, 0.002))
            found = contents(folder)
            middle += found != before and found != after
            sound = {*before.items(), *after.items()}
            damaged = [name for name in before if (name, found.get(name)) not in sound]
            if found.keys() != before.keys():
                left += 1
                killed(folder, 600)
                kept += contents(folder) != after
            if damaged:
                wrong += 1
                print(f"run {number}: damaged {damaged}, files {sorted(found)}", flush=True)
    changed = sum(before[name] != after[name] for name in before)
    told = f"{middle} in the middle ({changed} files to fix)"
    print(f"{options.count} runs killed, {told}: {wrong} wrong")
    print(f"{left} left a copy, {kept} of which the next run did not remove")
    return int(bool(wrong or kept) or not changed)


if __name__ == "__main__":
    sys.exit(main())
