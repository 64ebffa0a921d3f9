"""What of the steps of a file goes to which definition."""

import pytest

from autograd_lint.analysis import analyse, budgets
from autograd_lint.engine.faults import FaultKind
from autograd_lint.project.source import Source

OPTIONS = 12
SWITCHED = "\n".join(f"    if o{i}:\n        h = h * 2\n        h += x" for i in range(OPTIONS))
LARGE = f"""
def large_{{number}}(x, {", ".join(f"o{i}" for i in range(OPTIONS))}):
    w = torch.ones(3, requires_grad=True)
    h = w * x
    for _ in range(30):
        h = h + x
{SWITCHED}
    h.sum().backward()
"""
LAST = """
def last(x):
    w = torch.ones(3, requires_grad=True)
    h = w.exp()
    h += 1
    h.sum().backward()
"""


def is_told(number: int) -> bool:
    """Whether the mistake of the definition that comes last is told."""
    text = "import torch\n" + "".join(LARGE.format(number=i) for i in range(number)) + LAST
    faults = analyse(Source("program.py", text))
    return any(one.kind is FaultKind.SAVED_TENSOR_MODIFIED for one in faults)


def test_other_paths_of_large_definitions_leave_steps_to_those_that_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(budgets, "of_file", lambda source, within: 1_500)
    assert is_told(4)
    monkeypatch.setattr(budgets, "kept_back", lambda of_file: 0)
    assert not is_told(4)
