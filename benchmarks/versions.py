"""What the tracer sees on several versions of torch.

    python -m benchmarks.versions CASES PYTHON... [--each N]

Each PYTHON is an interpreter beside whose torch the programs of `CASES/engine` are traced (every
N-th of each kind): a line of the table for each, with the figures of `trace_cases`.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

_KINDS = ("errors", "ok", "silent")
_ROOT = Path(__file__).parents[1]
_SUM = re.compile(r"ALL (\w+) \((\d+)\): (.*)")


def chosen(cases: Path, folder: Path, each: int) -> None:
    """Copy every so many programs of each kind into a folder of the same shape."""
    for kind in _KINDS:
        target = folder / "engine" / kind
        target.mkdir(parents=True)
        for file in sorted((cases / "engine" / kind).glob("*.py"))[::each]:
            shutil.copy(file, target)


def line(python: str, folder: Path) -> str:
    """A row: the version of torch, and what of each kind was seen."""
    environment = {**os.environ, "PYTHONPATH": f"{_ROOT / 'src'}{os.pathsep}{_ROOT}"}
    version = _said([python, "-c", "import torch; print(torch.__version__)"], environment).strip()
    told = _said([python, str(_ROOT / "benchmarks/trace_cases.py"), str(folder)], environment)
    sums = [f"{kind}: {seen} of {count}" for kind, count, seen in _SUM.findall(told)]
    return f"| {version} | {' | '.join(sums) or told.strip()[-200:]} |"


def _said(command: list[str], environment: dict[str, str]) -> str:
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return ran.stdout or ran.stderr


def main() -> int:
    """Print the table."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("cases", type=Path)
    arguments.add_argument("pythons", nargs="+")
    arguments.add_argument("--each", type=int, default=1)
    options = arguments.parse_args()
    with TemporaryDirectory() as place:
        chosen(options.cases, Path(place), options.each)
        for python in options.pythons:
            print(line(python, Path(place)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
