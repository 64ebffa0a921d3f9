"""What frameworks call: a fit of Lightning and a loop of Accelerate are watched.

The packages are stood in for by the few names that are asked of them, and a trainer that calls the
hooks in Lightning's order.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes import write_tree

PAGE = Path(__file__).parents[2] / "docs" / "live.md"
LIGHTNING = """
class Callback:
    pass

class LightningModule:
    pass

class Trainer:
    def __init__(self, callbacks):
        self.callbacks = callbacks

    def _call(self, hook, *given):
        for one in self.callbacks:
            getattr(one, hook)(self, *given)

    def fit(self, step, data=None):
        self._call("on_fit_start", step)
        try:
            step()
        except BaseException as error:
            self._call("on_exception", step, error)
            raise
        self._call("on_fit_end", step)
"""
ACCELERATE = """
class GeneralTracker:
    def __init__(self):
        for name in ("name", "requires_logging_directory", "tracker"):
            assert name in dir(self), name
"""
AROUND_LIGHTNING = """
from lightning.pytorch import Trainer
model = data = step
"""
AROUND_ACCELERATE = """
class Accelerator:
    def __init__(self, log_with):
        self.log_with = log_with

    def init_trackers(self, name):
        self.log_with.start()
"""
STEP = """
import torch
def step():
    h = torch.ones(3, requires_grad=True).sigmoid()
    h.{written}(2)
    h.sum().backward()
"""
FITTED = """
from {package} import Trainer
from autograd_lint.callbacks.lightning import AutogradTrace
trace = AutogradTrace(html="report.html")
try:
    Trainer(callbacks=[trace]).fit(step)
except RuntimeError:
    print("raised")
print([one.code for one in trace.report.findings])
"""
LOOPED = """
from autograd_lint.callbacks.accelerate import AutogradTracker
tracker = AutogradTracker(html="report.html")
tracker.start()
step()
{end}
print([one.code for one in tracker.tracker.findings])
"""


@pytest.fixture
def here(tmp_path: Path) -> Path:
    packages = {"lightning/pytorch.py": LIGHTNING, "pytorch_lightning.py": LIGHTNING,
                "accelerate/tracking.py": ACCELERATE}  # fmt: skip
    write_tree(tmp_path, packages)
    return tmp_path


def run(here: Path, program: str) -> subprocess.CompletedProcess[str]:
    (here / "program.py").write_text(program)
    command = [sys.executable, "program.py"]
    return subprocess.run(command, cwd=here, capture_output=True, text=True, check=False)


def test_a_fit_is_watched_to_its_end(here: Path) -> None:
    step, fitted = STEP.format(written="data.mul_"), FITTED.format(package="lightning.pytorch")
    done = run(here, step + fitted)
    assert done.stdout == "['AG106']\n", done.stderr
    assert "h.data` is overwritten" in done.stderr
    assert "AG106" in (here / "report.html").read_text(encoding="utf-8")


def test_an_error_that_ends_a_fit_passes_and_is_explained(here: Path) -> None:
    step, fitted = STEP.format(written="mul_"), FITTED.format(package="lightning.pytorch")
    done = run(here, step + fitted)
    assert done.stdout == "raised\n['AG103']\n", done.stderr


def test_the_older_package_of_lightning_will_do(here: Path) -> None:
    (here / "lightning/pytorch.py").unlink()
    (here / "lightning").rmdir()
    step, fitted = STEP.format(written="data.mul_"), FITTED.format(package="pytorch_lightning")
    done = run(here, step + fitted)
    assert done.stdout == "['AG106']\n", done.stderr


def test_a_loop_of_accelerate_is_watched_to_its_end(here: Path) -> None:
    done = run(here, STEP.format(written="data.mul_") + LOOPED.format(end="tracker.finish()"))
    assert done.stdout == "['AG106']\n", done.stderr


def test_a_loop_that_is_never_ended_is_told_of_when_the_program_ends(here: Path) -> None:
    done = run(here, STEP.format(written="data.mul_") + LOOPED.format(end=""))
    assert done.stdout == "[]\n", done.stderr
    assert "h.data` is overwritten" in done.stderr


def test_what_is_right_is_told_nothing_of(here: Path) -> None:
    step, fitted = STEP.format(written="mul"), FITTED.format(package="lightning.pytorch")
    done = run(here, step + fitted)
    assert (done.stdout, done.stderr) == ("[]\n", "")


@pytest.mark.parametrize(
    ("around", "after", "reporting"),
    [
        (AROUND_LIGHTNING, "", "trace"),
        (AROUND_ACCELERATE, "step()\naccelerator.log_with.finish()", "accelerator.log_with"),
    ],
)
def test_the_documented_programs_trace(here: Path, around: str, after: str, reporting: str) -> None:
    documented = re.findall(r"```py\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (program,) = (one for one in documented if ("Trainer" in one) == ("Trainer" in around))
    told = f"\n{after}\nprint([one.code for one in {reporting}.report.findings])\n"
    done = run(here, STEP.format(written="data.mul_") + around + program + told)
    assert done.stdout == "['AG106']\n", done.stderr
    assert "AG106" in (here / "report.html").read_text(encoding="utf-8")
