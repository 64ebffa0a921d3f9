"""Traces programs of known truth: does the tracer name the recorded line, is it silent otherwise?

    python -m benchmarks.trace_cases CASES [--list] [--cuda]

CASES is a folder of programs (`seed_*/`, `open/`: a `case.json` beside them; `engine/errors`,
`engine/ok`, `engine/silent`: a header; folders with a `good.py`, and a `bad.py` where it has a
twin; `variants/*.md`: two programs below each heading). Each runs in a forked child; `--list` names
the missed. With `--cuda` they make their tensors on a GPU. A program that is not known to raise and
raises all the same (one that reads tensors with NumPy, on a GPU) `fails here`, and is not judged.
"""

from __future__ import annotations

import gc
import json
import os
import re
import signal
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

LIMIT_SECONDS = 120


@dataclass(frozen=True)
class Program:
    """One program: `rows` are the lines that may be named, empty where nothing is to be found;
    `title` is what it is called, if not by its file."""

    file: Path
    category: str
    outcome: str
    rows: frozenset[int]
    title: str = ""

    @property
    def name(self) -> str:
        """What it is called in a list."""
        return self.title or str(self.file)


@dataclass(frozen=True)
class Ran:
    """What became of a traced program: the rows that findings name, and whether it has failed."""

    rows: list[int]
    failed: bool


def main() -> None:
    """Trace everything and print the figures by category."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    root, listing = Path(sys.argv[1]).resolve(), "--list" in sys.argv
    import torch
    import torch._dynamo  # what the first optimizer of a program imports, for seconds

    import autograd_lint.live.findings
    import autograd_lint.live.tracing
    import autograd_lint.rules.reading  # noqa: F401

    torch.set_num_threads(1)
    gc.freeze()  # what is there already is not gone through again in every child
    named: dict[str, Counter[str]] = defaultdict(Counter)
    with tempfile.TemporaryDirectory() as folder:
        for program in chain(programs(root), of_variants(root / "variants", Path(folder))):
            ran = traced(program.file, "cuda" if "--cuda" in sys.argv else "cpu")
            verdict = judged(program, ran)
            named[f"{program.outcome:7} {program.category}"][verdict] += 1
            if listing and verdict not in ("named", "quiet"):
                rows = ran.rows if ran else None
                print(f"  {verdict}: {program.name} wanted {sorted(program.rows)[:9]} got {rows}")
    show(named)


def judged(program: Program, ran: Ran | None) -> str:
    """`named`, `other line` or `missed` for a program at fault; `quiet` or `false report` else."""
    if ran is None:
        return "died"
    if program.rows & set(ran.rows):
        return "named"
    if program.outcome not in ("raises", "wrong") and ran.failed:
        return "fails here"
    if program.outcome == "clean":
        return "false report" if ran.rows else "quiet"
    return "other line" if ran.rows else "missed"


def show(named: dict[str, Counter[str]]) -> None:
    """Print one line per category and a sum per outcome."""
    sums: dict[str, Counter[str]] = defaultdict(Counter)
    for category, verdicts in sorted(named.items()):
        print(f"{category:42} " + ", ".join(f"{n} {v}" for v, n in sorted(verdicts.items())))
        sums[category.split()[0]].update(verdicts)
    for outcome, verdicts in sums.items():
        total = sum(verdicts.values())
        print(f"ALL {outcome} ({total}): " + ", ".join(f"{n} {v}" for v, n in verdicts.items()))


def programs(root: Path) -> Iterator[Program]:
    """Every program below `root` with what is recorded of it."""
    for case in sorted([*root.glob("seed_*/case.json"), *root.glob("open/*/case.json")]):
        yield from of_case(case)
    for file in sorted(root.glob("engine/errors/*.py")):
        head = header(file)
        rows = {int(head[key]) for key in ("cause_line", "raise_line") if key in head}
        cause = {int(head["cause_line"])} if "cause_line" in head else rows
        yield Program(file, f"engine {head.get('class', '?')}", "raises", frozenset(cause))
    for file in sorted(root.glob("engine/silent/*.py")):
        head = header(file)
        cause = frozenset({int(head["cause_line"])}) if "cause_line" in head else frozenset()
        yield Program(file, f"engine {head.get('class', '?')}", "silent", cause)
    for file in sorted(root.glob("engine/ok/*.py")):
        yield Program(file, "engine", "clean", frozenset())
    for file in sorted(root.glob("silent_families/*/*.py")):
        every = frozenset(range(1, 200)) if file.parent.name == "bad" else frozenset()
        outcome = "silent" if every else "clean"
        yield Program(file, f"families {file.parent.name}", outcome, every)
    for good in sorted(root.rglob("*/good.py")):
        yield from of_twins(good, good.relative_to(root).parts[0])


def of_twins(good: Path, of: str) -> Iterator[Program]:
    """A correct program, and the wrong one beside it."""
    yield Program(good, of, "clean", frozenset())
    bad, case = good.with_name("bad.py"), good.with_name("case.json")
    if bad.exists():
        facts = json.loads(case.read_text())
        rows = frozenset([facts["cause_line"], *facts["also_ok"]])
        yield Program(bad, of, "raises" if facts.get("raises") else "silent", rows)


def of_variants(pages: Path, folder: Path) -> Iterator[Program]:
    """The programs of pages of variants, each written to a file of its own in a folder."""
    from benchmarks.variants import variants

    for number, one in enumerate(variants(pages) if pages.is_dir() else ()):
        bad, good = folder / f"bad_{number}.py", folder / f"good_{number}.py"
        good.write_text(one.good)
        bad.write_text(one.bad)
        yield Program(good, "variants", "clean", frozenset(), str(one))
        yield Program(bad, "variants", "wrong", frozenset(one.causes), str(one))


def of_case(case: Path) -> Iterator[Program]:
    """The programs beside one `case.json`."""
    facts = json.loads(case.read_text())
    if facts["outcome"] == "clean":
        yield Program(case.parent / "clean.py", "clean", "clean", frozenset())
        return
    rows = frozenset([*facts["cause_lines"], *facts["also_ok_lines"]])
    yield Program(case.parent / "buggy.py", facts["category"], facts["outcome"], rows)
    yield Program(case.parent / "fixed.py", "fixed", "clean", frozenset())


def header(file: Path) -> dict[str, str]:
    """The `# key: value` lines at the top of a program."""
    return dict(re.findall(r"(?m)^# (\w+): (.*)$", file.read_text()))


def traced(file: Path, device: str) -> Ran | None:
    """What became of a program; None where the child died."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "rows"
        child = os.fork()
        if child == 0:
            run_child(file, result, folder, device)
        os.waitpid(child, 0)
        return Ran(**json.loads(result.read_text())) if result.exists() else None


def run_child(file: Path, result: Path, folder: str, device: str) -> None:
    """Trace `file` in this process, write the rows, and end it."""
    import torch

    from autograd_lint.live.attention import WHOLE_RUN
    from autograd_lint.live.findings import findings_of
    from autograd_lint.live.program import run_script
    from autograd_lint.live.tracing import Tracer

    if device != "cpu":
        torch.set_default_device(device)
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    os.chdir(folder)
    signal.alarm(LIMIT_SECONDS)
    try:
        tracer = Tracer(WHOLE_RUN, str(file))
        with tracer:
            status = run_script(str(file), [], tracer.note_error)
            if status == 0:
                tracer.ended()
        rows = []
        for finding in findings_of(tracer.faults):
            places = [finding.place, *(other.place for other in finding.related)]
            rows += [place.row for place in places if place.filename == str(file)]
        result.write_text(json.dumps({"rows": rows, "failed": status != 0}))
    finally:
        os._exit(0)


if __name__ == "__main__":
    main()
