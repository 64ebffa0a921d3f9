"""What a run leaves behind when it is over."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from autograd_lint.analysis.files import analysed
from autograd_lint.analysis.runs import Runs
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from autograd_lint.vm.machine import Interpreter

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
    runs: list[weakref.ref[Interpreter]] = []
    along = Runs.along

    def noted(self: Runs, *given: object) -> Interpreter:
        run = along(self, *given)  # type: ignore[arg-type]
        runs.append(weakref.ref(run))
        return run

    monkeypatch.setattr(Runs, "along", noted)
    analysed(Source("a.py", TRAINING), Project.alone())

    assert runs and not any(run() for run in runs)
