"""The linter on real packages: time beside its peers, and every finding to be read.

`python -m benchmarks.packages FOLDER... [--peers VENV] [--findings FILE] [--slow SECONDS]`; each
FOLDER is an unpacked package. With `--peers`, `ruff` and `torch-preflight` of that virtual
environment run on the same folders.
"""

import argparse
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from autograd_lint.checking.pipeline import Checker
from autograd_lint.configuration.settings import Settings
from autograd_lint.findings import Certainty, Finding
from autograd_lint.project.modules import Project


@dataclass(frozen=True)
class Cost:
    """What a command cost: seconds of CPU (all its processes), of wall clock, megabytes at most."""

    cpu: float
    wall: float
    peak: float
    code: int


def measured(command: list[str]) -> Cost:
    """Runs a command with its output thrown away."""
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - start
    code = child.returncode = os.waitstatus_to_exitcode(status)
    return Cost(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024, code)


def commands(folder: Path, peers: Path | None) -> dict[str, list[str]]:
    """The command of every tool."""
    own = str(Path(sys.executable).parent / "autograd-lint")
    options = ["--no-cache", "--jobs", "1", "--isolated", "--exit-zero"]
    tools = {"autograd-lint": [own, "check", *options, str(folder)]}
    if peers:
        ruff, preflight = str(peers / "bin" / "ruff"), str(peers / "bin" / "torch-preflight")
        tools["ruff"] = [ruff, "check", "--no-cache", "--isolated", "--exit-zero", str(folder)]
        tools["torch-preflight"] = [preflight, "check", str(folder)]
    return tools


def race(folders: list[Path], peers: Path | None) -> None:
    """Prints what every tool costs on every package."""
    print(f"{'package':20s}{'lines':>9s}  tool               CPU s   wall s   MB   exit")
    for folder in folders:
        lines = sum(path.read_bytes().count(b"\n") for path in folder.rglob("*.py"))
        for tool, command in commands(folder, peers).items():
            cost = measured(command)
            print(
                f"{folder.name:20s}{lines:9d}  {tool:16s}{cost.cpu:8.2f}{cost.wall:9.2f}"
                f"{cost.peak:6.0f}{cost.code:6d}",
                flush=True,
            )


def reading(folder: Path, slow: float) -> Iterator[Finding]:
    """The findings of a package, file by file in this process; tells slow files and crashes."""
    checker = Checker(Settings(), Project([folder]))
    for path in sorted(folder.rglob("*.py")):
        start = time.process_time()
        checked = checker.file(path)
        spent = time.process_time() - start
        if spent > slow:
            print(f"slow: {spent:.2f} s {path}", flush=True)
        if checked.trouble:
            print(f"trouble: {checked.trouble}", flush=True)
        yield from checked.findings


def excerpt(finding: Finding) -> str:
    """A finding with the lines around its places."""
    head = f"{finding.place} {finding.code} {finding.certainty.value}: {finding.message}"
    parts = [head, *(f"  assuming {text}" for text in finding.assumptions)]
    places = [("here", finding.place), *((r.role, r.place) for r in finding.related)]
    for role, place in places:
        lines = Path(place.filename).read_text(errors="replace").splitlines()
        first, last = max(0, place.row - 4), place.row + 3
        parts.append(f"  {role} {place.filename}:{place.row}")
        shown = enumerate(lines[first:last], first + 1)
        parts += [f"  {'>' if row == place.row else ' '}{row:5d} {line}" for row, line in shown]
    return "\n".join(parts) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--peers", type=Path)
    parser.add_argument("--findings", type=Path, help="where excerpts of all findings are written")
    parser.add_argument("--slow", type=float, default=1.0)
    parser.add_argument("--no-race", action="store_true")
    options = parser.parse_args()
    if not options.no_race:
        race(options.folders, options.peers)
    found = [f for folder in options.folders for f in reading(folder, options.slow)]
    counts = Counter((f.certainty.value, f.code, f.name) for f in found)
    for (certainty, code, name), number in counts.most_common():
        print(f"{number:6d} {certainty:8s} {code} {name}")
    if options.findings:
        order = list(Certainty)
        found.sort(key=lambda f: (order.index(f.certainty), f.code, f.place))
        options.findings.write_text("\n".join(excerpt(finding) for finding in found))


if __name__ == "__main__":
    main()
