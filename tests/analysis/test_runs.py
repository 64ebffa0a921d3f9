"""What a run leaves behind when it is over."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from autograd_lint.analysis.files import analyse, analysed
from autograd_lint.analysis.runs import LONG, Runs
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.paths import Path

TRAINING = """
import torch

def step(weight, data):
    kept = (weight * data).exp()
    loss = kept.sum()
    loss.backward()
    return loss

step(torch.ones(3, requires_grad=True), torch.ones(3))
"""


@pytest.fixture
def by_hand() -> Iterator[None]:
    """The garbage collector does not come by itself."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("by_hand")
def test_a_run_is_gone_with_its_results_without_the_garbage_collector(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before, made = _alive(), 0
    along = Runs.along

    def noted(self: Runs, *given: object) -> Interpreter:
        nonlocal made
        run = along(self, *given)  # type: ignore[arg-type]
        made += 1
        assert _alive() > before
        return run

    monkeypatch.setattr(Runs, "along", noted)
    analysed(Source("a.py", TRAINING), Project.alone())

    assert made and _alive() == before


def _alive() -> int:
    """How many runs are held by anything; compiled ones can have no weak references."""
    return sum(type(one) is Interpreter for one in gc.get_objects())


HARMLESS = "    if fast:\n        y += 1\n"
WRONG = "    if fast:\n        z += 1\n"
SECOND = "    if slow:\n        y -= 1\n"


@pytest.mark.parametrize(
    ("lines", "flipped"),
    [
        (HARMLESS, 0),  # it would be the negated path again
        (HARMLESS + SECOND, 2),
        (WRONG, 1),  # on which condition does it hang?
        (HARMLESS + "    if stop:\n        y = x\n", 1),  # the negated path decides that as well
    ],
)
def test_a_decision_is_flipped_by_itself_where_two_runs_do_not_tell_all(
    lines: str, flipped: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "import torch\n\ndef f(x, fast, slow, stop):\n    y, z = x * 2, x.exp()\n"
    assert flips(f"{text}{lines}    return y + z\n", monkeypatch) == flipped


SCRIPT = """
import sys
import torch

fast, slow = len(sys.argv) > 1, len(sys.argv) > 2
y = torch.ones(3, requires_grad=True) * 2
{more}
if fast:
    y += 1
if slow:
    y -= 1
"""


@pytest.mark.parametrize(("more", "flipped"), [(0, 2), (LONG, 0)])
def test_in_a_long_run_no_decision_is_flipped_whose_other_side_was_run(
    more: int, flipped: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert flips(SCRIPT.format(more="n = 1\n" * more), monkeypatch) == flipped


def flips(text: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many runs over a program flip a decision of the first one."""
    paths: list[Path] = []
    along = Runs.along

    def noted(self: Runs, path: Path, *given: object) -> Interpreter:
        paths.append(path)
        return along(self, path, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(Runs, "along", noted)
    analysed(Source("a.py", text), Project.alone())
    return sum(bool(one.decision_prefix and not one.turned) for one in paths)


PLAIN = "    if fast:\n        y = y.mean()\n"
NUMPY = "    if fast:\n        y = y.detach().numpy()\n"
CHOSEN = "    y = y.detach().numpy() if fast else y\n"
LAYER = "    y = torch.nn.Dropout(p=fast)(y)\n"  # which is the identity at a rate of zero
REFUSED = "    if fast:\n        raise ValueError(y.numpy())\n"


@pytest.mark.parametrize(
    ("lines", "negated"),
    [
        (PLAIN, False),
        (NUMPY, True),
        (CHOSEN, True),
        (REFUSED, False),
        (PLAIN + WRONG, True),
        (LAYER, True),
    ],
)
def test_the_other_sides_are_run_where_something_may_hang_on_them(
    lines: str, negated: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths: list[Path] = []
    along = Runs.along

    def noted(self: Runs, path: Path, *given: object) -> Interpreter:
        paths.append(path)
        return along(self, path, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(Runs, "along", noted)
    text = "import torch\n\ndef f(x, fast):\n    y, z = x * 2, x.exp()\n    x.mul_(2)\n"
    analysed(Source("a.py", f"{text}{lines}    return y + z\n"), Project.alone())

    assert any(one.negated for one in paths) is negated


def test_what_a_layer_does_by_its_rate_is_run_both_ways() -> None:
    text = """
import torch
from torch import nn

class Receiver(nn.Module):
    def __init__(self, width: int, rate: float):
        super().__init__()
        self.mix, self.noise = nn.Linear(width, width), nn.Dropout(p=rate)

    def forward(self, signal):
        kept = self.noise(torch.sigmoid(self.mix(signal)))
        kept *= signal
        return kept
"""
    assert [one.kind.value for one in analyse(Source("a.py", text))] == ["saved-tensor-modified"]
