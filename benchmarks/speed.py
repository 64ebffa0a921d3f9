"""What runs cost: cold and warm, in one process and in two, beside other linters.

`python -m benchmarks.speed FOLDER... [--peers VENV] [--limit SECONDS] [--jobs 1 2] [--rounds 3]`:
each FOLDER is an unpacked package. Of the peers those run that VENV has (`ruff`, `flake8` with
every plugin that is installed there, `torch-preflight`, `torchfix`). It prints a table in Markdown:
CPU seconds of all processes, wall seconds, the most memory that one process took. Warm runs, and
those of one file, are the best of `--rounds`.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.packages import Cost, measured

OWN = str(Path(sys.executable).parent / "autograd-lint")


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    what: str
    tool: str
    cost: Cost | None

    def __str__(self) -> str:
        if self.cost is None:
            return f"| {self.what} | {self.tool} | longer than the limit | | | |"
        cost = self.cost
        figures = f"{cost.cpu:.3f} | {cost.wall:.2f} | {cost.peak:.0f} | {cost.code}"
        return f"| {self.what} | {self.tool} | {figures} |"


def limited(command: list[str], limit: int) -> Cost | None:
    """What a command cost; None where it took longer than so many seconds."""
    cost = measured(["timeout", str(limit), *command])
    return None if cost.code == 124 else cost


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


def packages(folder: Path, options: argparse.Namespace) -> Iterator[Row]:
    """Cold and warm runs of this linter on a package, and cold ones of the peers."""
    lines = sum(path.read_bytes().count(b"\n") for path in folder.rglob("*.py"))
    name = f"{folder.name} ({lines:,} lines)"
    for jobs in options.jobs:
        with tempfile.TemporaryDirectory() as cache:
            command = [OWN, "check", "--isolated", "--exit-zero", "--quiet", str(folder)]
            command += ["--jobs", str(jobs), "--cache-dir", cache]
            tool = f"autograd-lint, {jobs} process{'es' * (jobs > 1)}"
            cold = limited(command, options.limit)
            yield Row(f"{name}, cold", tool, cold)
            if cold is not None:
                yield Row(f"{name}, warm", tool, best(command, options.rounds))
    for tool, command in peers_of(options.peers, str(folder)):
        yield Row(f"{name}, cold", tool, limited(command, options.limit))


def starts(options: argparse.Namespace) -> Iterator[Row]:
    """Runs of one file: one that the gate rejects, one that is analysed, one with a finding."""
    programs = {
        "one file without torch": "import os\n",
        "one file with torch": "import torch\n\nx = torch.ones(3)\n",
        "one file with a finding": "import torch\n\nx = torch.ones(2, requires_grad=True)\nx += 1",
    }
    nothing = [sys.executable, "-c", "pass"]
    yield Row("nothing at all", "python -c pass", best(nothing, 10 * options.rounds))
    for what, text in programs.items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "program.py"
            path.write_text(text)
            command = [OWN, "check", "--isolated", "--no-cache", "--exit-zero", str(path)]
            yield Row(what, "autograd-lint", best(command, 10 * options.rounds))
            for tool, peer in peers_of(options.peers, str(path)):
                yield Row(what, tool, best(peer, options.rounds))


def main() -> None:
    """Print the table."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folders", type=Path, nargs="*")
    arguments.add_argument("--peers", type=Path)
    arguments.add_argument("--limit", type=int, default=900)
    arguments.add_argument("--jobs", type=int, nargs="+", default=[1, 2])
    arguments.add_argument("--rounds", type=int, default=3)
    options = arguments.parse_args()
    # Byte code is written once and read ever after, as it is for users.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    subprocess.run([OWN, "rules"], stdout=subprocess.DEVNULL, check=True)
    print("| what | tool | CPU s | wall s | MB | exit |\n| --- | --- | --- | --- | --- | --- |")
    for row in starts(options):
        print(row, flush=True)
    for folder in options.folders:
        for row in packages(folder, options):
            print(row, flush=True)


if __name__ == "__main__":
    main()
