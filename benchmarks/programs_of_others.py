"""How much is told of wrong programs that were written by people who had not seen the tool.

`python -m benchmarks.programs_of_others [FOLDER...] [--prove] [--list]`; the folders are
`fixtures/silent` (programs that train wrongly and raise nothing) and `fixtures/raising` (programs
that autograd stops). A program is told where a finding stands at the default settings, at its line
where one stands, or points, at a line of `case.json`. Corrected twins and clean programs are not to
be told. `--prove` runs each program's `prove.py` on torch: the harm shows, and not in the twin.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import autograd_lint
from autograd_lint.findings import Finding

FIXTURES = Path(__file__).parents[1] / "fixtures"
SILENT, RAISING = FIXTURES / "silent", FIXTURES / "raising"
LEFT_ALONE = {"AG504"}  # evaluations that build graphs: true of a program, whatever else it does


def cases(folder: Path) -> Iterator[Path]:
    """The folders of the programs, in order."""
    yield from sorted({one.parent for one in folder.rglob("good.py")})


def told(program: Path) -> list[Finding]:
    """What is told of a program beside the modules that it imports, in a project of its own."""
    with tempfile.TemporaryDirectory() as name:
        project = Path(name)
        (project / "pyproject.toml").touch()
        beside = (
            one for one in program.parent.glob("*.py") if one.stem not in {"bad", "good", "prove"}
        )
        for file in (*beside, program):
            shutil.copy(file, project)
        found = autograd_lint.check([project / program.name], isolated=True, cache=False)
    return [one for one in found if one.code not in LEFT_ALONE]


def accepted(case: Path) -> set[int]:
    """The rows of `bad.py` that an expert would change."""
    facts = json.loads((case / "case.json").read_text())
    return {facts["cause_line"], *facts["also_ok"]}


def at_line(found: list[Finding], rows: set[int]) -> bool:
    """Whether a finding stands, or points, at one of the rows."""
    places = [place for one in found for place in (one.place, *(r.place for r in one.related))]
    return any(not rows.isdisjoint(range(one.row, one.end_row + 1)) for one in places)


def judged(case: Path) -> Iterator[str]:
    """What became of a program, and that its twin is told."""
    is_wrong, alarm = (case / "bad.py").exists(), bool(told(case / "good.py"))
    if alarm:
        yield "correct programs told"
    if is_wrong:
        found = told(case / "bad.py")
        where = "at its line" if at_line(found, accepted(case)) else "elsewhere"
        yield f"told {where}" if found else "missed"
    elif not alarm:
        yield "clean, and quiet"


def main() -> None:
    """Print the figures of each folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="*", default=[SILENT, RAISING])
    parser.add_argument("--prove", action="store_true")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    for folder in options.folders:
        counted: Counter[str] = Counter()
        for case in cases(folder):
            if options.prove and (case / "prove.py").exists():
                done = subprocess.run([sys.executable, "prove.py"], cwd=case, capture_output=True)
                counted["proved" if done.returncode == 0 else "not proved"] += 1
            verdicts = list(judged(case))
            counted.update(verdicts)
            if options.list:
                print(case.relative_to(folder), ", ".join(verdicts), flush=True)
        figures = ", ".join(f"{verdict}: {number}" for verdict, number in counted.most_common())
        print(f"{folder.name}: {figures}")


if __name__ == "__main__":
    main()
