"""What runs cost: cold and warm, in one process and in two, beside other linters.

`python -m benchmarks.speed FOLDER... [--peers VENV] [--limit SECONDS] [--peer-limit SECONDS]
[--jobs 1 2] [--rounds 3] [--results FILE]`: each FOLDER is an unpacked package. Of the peers those
run that VENV has (`ruff`, `flake8` with every plugin that is installed there, `torch-preflight`,
`torchfix`). It prints a table in Markdown: CPU seconds of all processes, wall seconds, the most
memory that one process took. Warm runs, and those of one file, are the best of `--rounds`. What
FILE has already is not measured again, so that a long race can be interrupted; the caches lie
beside it.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.packages import Cost, measured

OWN = str(Path(sys.executable).parent / "autograd-lint")
_LATE = 124  # what `timeout` exits with


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    what: str
    tool: str
    cost: Cost

    def __str__(self) -> str:
        cost = self.cost
        if cost.code == _LATE:  # its processes were killed: nobody knows what they have spent
            return f"| {self.what} | {self.tool} | | > {cost.wall:.0f} | | stopped |"
        figures = f"{cost.cpu:.3f} | {cost.wall:.2f} | {cost.peak:.0f} | {cost.code}"
        return f"| {self.what} | {self.tool} | {figures} |"


class Results:
    """The rows that were measured, in a file for the next time where one is named."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._known: dict[str, list[float]] = {}
        if path is not None and path.is_file():
            self._known = json.loads(path.read_text())

    def row(self, what: str, tool: str, measure: Callable[[], Cost]) -> Row:
        """The row of that name, measured unless it is known."""
        key = f"{what}: {tool}"
        if key not in self._known:
            cost = measure()
            self._known[key] = [cost.cpu, cost.wall, cost.peak, cost.code]
            if self._path is not None:
                self._path.write_text(json.dumps(self._known, indent=1))
        cpu, wall, peak, code = self._known[key]
        return Row(what, tool, Cost(cpu, wall, peak, int(code)))


def limited(command: list[str], limit: int) -> Cost:
    """What a command cost, which is stopped after so many seconds."""
    return measured(["timeout", str(limit), *command])


def emptied(cache: Path, measure: Callable[[], Cost]) -> Cost:
    """What is measured with nothing in the cache."""
    shutil.rmtree(cache, ignore_errors=True)
    return measure()


def best(command: list[str], rounds: int) -> Cost:
    """The run of least CPU of several."""
    return min((measured(command) for _ in range(rounds)), key=lambda cost: cost.cpu)


def peers_of(venv: Path | None, target: str) -> Iterator[tuple[str, list[str]]]:
    """The commands of the peers that are installed, each without a cache and in one process."""
    if venv is None:
        return
    commands = {
        "ruff": ["check", "--no-cache", "--isolated", "--exit-zero", target],
        "flake8": ["--isolated", "--exit-zero", "--jobs", "1", target],
        "torch-preflight": ["check", target],
        "torchfix": ["--select=ALL", target],
    }
    for tool, arguments in commands.items():
        if (venv / "bin" / tool).is_file():
            yield tool, [str(venv / "bin" / tool), *arguments]


def packages(folder: Path, results: Results, options: argparse.Namespace) -> Iterator[Row]:
    """Cold and warm runs of this linter on a package, and cold ones of the peers."""
    lines = sum(path.read_bytes().count(b"\n") for path in folder.rglob("*.py"))
    name = f"{folder.name} ({lines:,} lines)"
    for jobs in options.jobs:
        cache = options.caches / f"{folder.name}-{jobs}"
        command = [OWN, "check", "--isolated", "--exit-zero", "--quiet", str(folder)]
        command += ["--jobs", str(jobs), "--cache-dir", str(cache)]
        tool = f"autograd-lint, {jobs} process{'es' * (jobs > 1)}"
        cold = partial(emptied, cache, partial(limited, command, options.limit))
        yield results.row(f"{name}, cold", tool, cold)
        yield results.row(f"{name}, warm", tool, partial(best, command, options.rounds))
    for tool, command in peers_of(options.peers, str(folder)):
        cold = partial(limited, command, options.peer_limit or options.limit)
        yield results.row(f"{name}, cold", tool, cold)


def starts(results: Results, options: argparse.Namespace) -> Iterator[Row]:
    """Runs of one file: one that the gate rejects, one that is analysed, one with a finding."""
    programs = {
        "one file without torch": "import os\n",
        "one file with torch": "import torch\n\nx = torch.ones(3)\n",
        "one file with a finding": "import torch\n\nx = torch.ones(2, requires_grad=True)\nx += 1",
    }
    rounds = 10 * options.rounds
    nothing = partial(best, [sys.executable, "-c", "pass"], rounds)
    yield results.row("nothing at all", "python -c pass", nothing)
    for what, text in programs.items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "program.py"
            path.write_text(text)
            command = [OWN, "check", "--isolated", "--no-cache", "--exit-zero", str(path)]
            yield results.row(what, "autograd-lint", partial(best, command, rounds))
            for tool, peer in peers_of(options.peers, str(path)):
                yield results.row(what, tool, partial(best, peer, options.rounds))


def main() -> None:
    """Print the table."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folders", type=Path, nargs="*")
    arguments.add_argument("--peers", type=Path)
    arguments.add_argument("--limit", type=int, default=900)
    arguments.add_argument("--peer-limit", type=int)
    arguments.add_argument("--jobs", type=int, nargs="+", default=[1, 2])
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--results", type=Path)
    options = arguments.parse_args()
    # Byte code is written once and read ever after, as it is for users.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    subprocess.run([OWN, "rules"], stdout=subprocess.DEVNULL, check=True)
    print("| what | tool | CPU s | wall s | MB | exit |\n| --- | --- | --- | --- | --- | --- |")
    results = Results(options.results)
    with tempfile.TemporaryDirectory() as folder:
        options.caches = Path(f"{options.results}.caches" if options.results else folder)
        for row in starts(results, options):
            print(row, flush=True)
        for folder in options.folders:
            for row in packages(folder, results, options):
                print(row, flush=True)


if __name__ == "__main__":
    main()
