"""Programs of others that autograd stops do stop with the error that is on file, and their
corrected twins run to the end."""

import json
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from benchmarks.programs_of_others import RAISING, cases

CASES = list(cases(RAISING))
TELLING = 60  # characters of a message; what comes behind may be sizes


@pytest.fixture(autouse=True)
def alone() -> Iterator[None]:
    """Modules beside a program, modes and seeds are its own."""
    threads = torch.get_num_threads()
    with torch.set_grad_enabled(True), torch.random.fork_rng():
        yield
    torch.set_num_threads(threads)
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None)).startswith(str(RAISING)):
            del sys.modules[name]


def run(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a program as Python does that is given nothing else."""
    monkeypatch.syspath_prepend(str(program.parent))
    monkeypatch.setattr(sys, "argv", [str(program)])
    runpy.run_path(str(program), run_name="__main__")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_a_wrong_program_raises_what_is_on_file(
    case: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = json.loads((case / "case.json").read_text(encoding="utf-8"))["error"]
    with pytest.raises(Exception) as raised:
        run(case / "bad.py", monkeypatch)
    kind, _, message = error.partition(": ")
    assert kind.endswith(type(raised.value).__name__)
    assert str(raised.value).startswith(message[:TELLING])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_its_twin_runs_to_the_end(case: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(case / "good.py", monkeypatch)
