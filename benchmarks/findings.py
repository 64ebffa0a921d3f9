"""Every finding over a set of code bases, written down once and compared with another state.

`python -m benchmarks.findings freeze FILE FOLDER... [--command COMMAND]` checks each folder with
the command line, at every certainty and with one process, and writes a JSON line for each finding
into FILE, and one for what each folder cost. Folders without a project file are best given an empty
`pyproject.toml` first, as a checkout has one.

`python -m benchmarks.findings compare BEFORE AFTER [--show N] [--certainty LEVEL]` prints how many
findings are gone, new, moved to another row, of another certainty, and reworded, with at most N of
each, and the CPU seconds of both states side by side. Exit code 1 where a finding is gone or new.
"""

import argparse
import json
import resource
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

LEVELS = ("certain", "likely", "possible")
OPTIONS = (
    "check",
    "--certainty=possible",
    "--output-format=json",
    "--no-cache",
    "--isolated",
    "--jobs=1",
    "--exit-zero",
)


@dataclass(frozen=True)
class Frozen:
    """One finding of a code base; `file` and the files of `places` are relative to its folder."""

    base: str
    file: str
    cell: int | None
    row: int
    column: int
    code: str
    certainty: str
    message: str
    assumptions: tuple[str, ...]
    places: tuple[tuple[str, str, int], ...]

    @property
    def spot(self) -> tuple[object, ...]:
        """What identifies a finding as long as its file stays as it is."""
        return (self.base, self.file, self.cell, self.row, self.column, self.code)

    @property
    def kin(self) -> tuple[object, ...]:
        """What a finding that was told at another row of its file has in common with it."""
        return (self.base, self.file, self.code, self.message)

    def __str__(self) -> str:
        cell = f" cell {self.cell}" if self.cell else ""
        return (
            f"{self.base}/{self.file}{cell}:{self.row} {self.code} {self.certainty}: {self.message}"
        )


@dataclass(frozen=True)
class State:
    """What one state of the linter says of all code bases, and the CPU seconds of each base."""

    findings: tuple[Frozen, ...]
    costs: dict[str, float]


def check(folder: Path, command: str) -> tuple[list[Frozen], float]:
    """The findings in a folder and the CPU seconds that they took; raises where the tool fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [command, *OPTIONS, str(folder)], capture_output=True, text=True, check=False
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if not done.stdout:
        raise SystemExit(f"{folder}: exit {done.returncode}: {done.stderr.strip()[-300:]}")
    cost = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return [frozen(folder, finding) for finding in json.loads(done.stdout)], cost


def frozen(folder: Path, finding: dict) -> Frozen:
    """A finding of the JSON output, without what differs from machine to machine."""
    root = folder.resolve()

    def relative(name: str) -> str:
        path = Path(name)
        return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name

    related = (
        (one["role"], relative(one["filename"] or finding["filename"]), one["location"]["row"])
        for one in finding["related"]
    )
    texts = (one if isinstance(one, str) else one["text"] for one in finding["assumptions"])
    return Frozen(
        base=folder.name,
        file=relative(finding["filename"]),
        cell=finding["cell"],
        row=finding["location"]["row"],
        column=finding["location"]["column"],
        code=finding["code"],
        certainty=finding["certainty"],
        message=finding["message"],
        assumptions=tuple(texts),
        places=tuple(sorted(related)),
    )


def freeze(target: Path, folders: Sequence[Path], command: str) -> None:
    """Write the findings of all folders; folder by folder, so that a break loses one at most."""
    with target.open("w", encoding="utf-8") as lines:
        for folder in folders:
            found, cost = check(folder.resolve(), command)
            for one in found:
                lines.write(json.dumps(asdict(one)) + "\n")
            lines.write(json.dumps({"base": folder.name, "cpu": round(cost, 2)}) + "\n")
            lines.flush()
            print(f"{folder.name:40s} {len(found):5d} findings {cost:8.1f} s of CPU", flush=True)


def read(path: Path) -> State:
    """What `freeze` wrote."""
    findings, costs = [], {}
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if "cpu" in record:
            costs[record["base"]] = record["cpu"]
            continue
        record["assumptions"] = tuple(record["assumptions"])
        record["places"] = tuple((role, file, row) for role, file, row in record["places"])
        findings.append(Frozen(**record))
    return State(tuple(findings), costs)


def compare(before: State, after: State) -> dict[str, list[str]]:
    """What differs between two states, by the sort of difference."""
    old = {one.spot: one for one in before.findings if one.base in after.costs}
    new = {one.spot: one for one in after.findings if one.base in before.costs}
    gone = [old[spot] for spot in old if spot not in new]
    come = [new[spot] for spot in new if spot not in old]
    moved = list(_moved(gone, come))
    shared = [(old[spot], new[spot]) for spot in old if spot in new]
    left = {id(one) for pair in moved for one in pair}
    return {
        "gone": [str(one) for one in gone if id(one) not in left],
        "new": [str(one) for one in come if id(one) not in left],
        "moved": [f"{a} -> row {b.row}" for a, b in moved],
        "certainty": [f"{a} -> {b.certainty}" for a, b in shared if a.certainty != b.certainty],
        "reworded": list(_changed(shared, lambda one: (one.message, one.assumptions))),
        "places": list(_changed(shared, lambda one: one.places)),
    }


def _moved(gone: list[Frozen], come: list[Frozen]) -> Iterator[tuple[Frozen, Frozen]]:
    """Pairs of findings that say the same of another row of the same file."""
    waiting: dict[object, list[Frozen]] = defaultdict(list)
    for one in come:
        waiting[one.kin].append(one)
    for one in gone:
        if waiting[one.kin]:
            yield one, waiting[one.kin].pop(0)


def _changed(
    pairs: list[tuple[Frozen, Frozen]], aspect: Callable[[Frozen], object]
) -> Iterator[str]:
    for a, b in pairs:
        if aspect(a) != aspect(b):
            yield f"{a}\n      was {aspect(a)}\n      now {aspect(b)}"


def levels(state: State, bases: set[str]) -> str:
    """How many findings of each certainty a state has over some code bases."""
    counts = Counter(one.certainty for one in state.findings if one.base in bases)
    return ", ".join(f"{counts[level]} {level}" for level in LEVELS)


def costs(before: State, after: State) -> str:
    """The CPU seconds of two states over the code bases that both have."""
    bases = before.costs.keys() & after.costs.keys()
    first, second = (sum(state.costs[base] for base in bases) for state in (before, after))
    ratio = second / first if first else 0.0
    return f"CPU over {len(bases)} code bases: {first:.1f} s, {second:.1f} s ({ratio:.2f})"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="action", required=True)
    freezing = commands.add_parser("freeze")
    freezing.add_argument("file", type=Path)
    freezing.add_argument("folders", type=Path, nargs="+")
    own = str(Path(sys.executable).parent / "autograd-lint")
    freezing.add_argument("--command", default=own, help="the autograd-lint to run")
    comparing = commands.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    comparing.add_argument("--show", type=int, default=20, help="how many of each sort to print")
    comparing.add_argument("--certainty", choices=LEVELS, help="compare these alone")
    options = parser.parse_args()
    if options.action == "freeze":
        freeze(options.file, options.folders, options.command)
        return 0
    before, after = (_at(read(path), options.certainty) for path in (options.before, options.after))
    return _print(before, after, options.show)


def _at(state: State, level: str | None) -> State:
    kept = (one for one in state.findings if level in (None, one.certainty))
    return State(tuple(kept), state.costs)


def _print(before: State, after: State, most: int) -> int:
    bases = before.costs.keys() & after.costs.keys()
    print(f"before: {levels(before, bases)}\nafter:  {levels(after, bases)}")
    differences = compare(before, after)
    for sort, lines in differences.items():
        print(f"{sort}: {len(lines)}")
        for line in lines[:most]:
            print(f"  {line}")
    print(costs(before, after))
    return int(bool(differences["gone"] or differences["new"]))


if __name__ == "__main__":
    raise SystemExit(main())
