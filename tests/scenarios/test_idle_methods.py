"""Which methods of a module a harness calls: not those that only tell or set something."""

import pytest

from autograd_lint.analysis.files import analysed
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from autograd_lint.scenarios import harnesses
from autograd_lint.vm.values import Function

NET = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(2, 2)

    def forward(self, x):
        y = self.head(x).exp()
        y += 1
        return y

    def again(self, {parameters}):
        {line}
"""


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The names of the methods that harnesses have called for themselves."""
    found: set[str] = set()
    repeat = harnesses.repeat

    def noted(interp: object, instance: object, method: Function) -> None:
        found.add(method.name)
        repeat(interp, instance, method)  # type: ignore[arg-type]

    monkeypatch.setattr(harnesses, "repeat", noted)
    return found


def check(parameters: str, line: str) -> None:
    text = NET.format(parameters=parameters, line=line)
    analysed(Source("a.py", text), Project.alone())


@pytest.mark.parametrize(
    ("parameters", "line"),
    [("count: int", "self.head = nn.Linear(2, count)"), ("flag=True", "return self.head")],
)
def test_a_method_without_tensors_and_triggers_is_not_called(
    parameters: str, line: str, called: set[str]
) -> None:
    check(parameters, line)
    assert "again" not in called


@pytest.mark.parametrize(
    ("parameters", "line"),
    [("x", "return self.head(x)"), ("flag=True", "self.head.weight.data.zero_()")],
)
def test_a_method_that_is_given_a_tensor_or_writes_one_is_called(
    parameters: str, line: str, called: set[str]
) -> None:
    check(parameters, line)
    assert "again" in called
