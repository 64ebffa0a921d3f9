"""What the tracer sees on several versions of torch.

    python -m benchmarks.versions [--cases CASES [--each N]] [--calls N] [--programs N] PYTHON...

Each PYTHON is an interpreter with a torch, pytest and what autograd-lint needs. On each, a program
that fails is confirmed, traced as a test and diagnosed; the exit status is 1 where one of these
does not name its cause. With CASES the programs of `CASES/engine` are traced (every N-th of each
kind): a line of the table for each version, with the figures of `trace_cases`. With `--calls` so
many random calls of each operator are held against the table of each version
(`target_agreement`), with `--programs` so many random programs against the abstract engine with
that table (`agreement`; needs hypothesis).
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
_PROGRAM = """import torch
x = torch.ones(3, requires_grad=True)
h = x.exp()
h.add_(1)
h.sum().backward()
"""
_TEST = """import pytest

def test_it():
    with pytest.raises(RuntimeError):
        import program
"""
_LINT = ["-m", "autograd_lint"]
_TESTS = ["-m", "pytest", "-p", "autograd_lint.plugins.pytest_plugin", "-p", "no:cacheprovider"]
_USES = {
    "check --confirm": ([*_LINT, "check", "--no-cache", "--confirm", "program.py"], "1 confirmed"),
    "pytest --autograd-trace": ([*_TESTS, "--autograd-trace"], "program.py:4:1: AG103"),
    "diagnose": ([*_LINT, "diagnose", "--no-cache", "--error", "error"], "program.py:4:1"),
}
"""The ways to use it that need torch, or what torch prints: a command, and what it is to tell."""
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


def failing(python: str, folder: Path) -> list[str]:
    """The ways to use it that do not name the cause in a program of five lines."""
    (folder / "program.py").write_text(_PROGRAM)
    (folder / "test_program.py").write_text(_TEST)
    alone = {"PYTHONPATH": str(_ROOT / "src"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    environment = {**os.environ, **alone}
    (folder / "error").write_text(_said([python, "program.py"], environment, folder))
    said = {
        use: (_said([python, *command], environment, folder), told)
        for use, (command, told) in _USES.items()
    }
    return [
        f"{use}: {text.strip()[-500:]}" for use, (text, told) in said.items() if told not in text
    ]


def agreement(python: str, calls: int, programs: int) -> str:
    """What a version of torch does, and the table of its operators says."""
    environment = {**os.environ, "PYTHONPATH": f"{_ROOT / 'src'}{os.pathsep}{_ROOT}"}
    told = []
    if calls:
        command = [python, "-m", "benchmarks.target_agreement", str(calls)]
        told.append(_said(command, environment, _ROOT).strip())
    if programs:
        command = [python, "-m", "benchmarks.agreement", "--count", str(programs), "--shrink", "0"]
        told += _said(command, environment, _ROOT).strip().splitlines()[-2:-1]
    return "\n".join(told)


def _said(command: list[str], environment: dict[str, str], folder: Path | None = None) -> str:
    ran = subprocess.run(
        command, env=environment, cwd=folder, capture_output=True, text=True, check=False
    )
    return ran.stdout or ran.stderr


def main() -> int:
    """Print what fails, and the table."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("pythons", nargs="+")
    arguments.add_argument("--cases", type=Path)
    arguments.add_argument("--each", type=int, default=1)
    arguments.add_argument("--calls", type=int, default=0)
    arguments.add_argument("--programs", type=int, default=0)
    options = arguments.parse_args()
    failed = False
    for python in options.pythons:
        with TemporaryDirectory() as place:
            for one in failing(python, Path(place)):
                failed = True
                print(f"{python}: {one}", flush=True)
    if options.cases is not None:
        with TemporaryDirectory() as place:
            chosen(options.cases, Path(place), options.each)
            for python in options.pythons:
                print(line(python, Path(place)), flush=True)
    for python in options.pythons:
        if options.calls or options.programs:
            print(f"{python}:\n{agreement(python, options.calls, options.programs)}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
