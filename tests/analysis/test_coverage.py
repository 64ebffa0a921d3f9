"""Which suspect statements the runs come by, and why they miss the others."""

import pytest

from autograd_lint.analysis.files import analysed
from autograd_lint.coverage import Coverage, Missed
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.vm.running import HEAD


def coverage(text: str) -> Coverage:
    source = Source("a.py", HEAD + text)
    return analysed(source, Project.alone(), coverage=True).coverage(source)


def whys(text: str) -> list[tuple[int, str]]:
    """The rows below the head of what was missed, each with the reason."""
    return [(one.row - 2, one.why) for one in coverage(text).missed]


def test_a_known_tensor_that_is_handed_to_numpy_is_reached() -> None:
    found = coverage("w = torch.ones(3, requires_grad=True)\na = w.detach().numpy()\nw.numpy()\n")
    assert (found.suspects, found.missed) == (2, ())


REACHED = """\
def train(model: nn.Module, x):
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    loss = model(x).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def test_what_a_harness_runs_is_reached() -> None:
    found = coverage(REACHED)
    assert (found.suspects, found.missed) == (1, ())


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("def f(x):\n    x.thing.other_()\n", [(2, "unknown-operands")]),
        (
            "def f(x: torch.Tensor):\n    if False:\n        x.add_(1)\n",
            [(3, "condition-never-taken")],
        ),
        (
            "def f(x: torch.Tensor):\n    raise ValueError\n    x.add_(1)\n",
            [(3, "runs-end-before")],
        ),
        ("@staticmethod\ndef _f(x):\n    x.add_(1)\n", []),
    ],
)
def test_why_a_statement_is_missed(text: str, found: list[tuple[int, str]]) -> None:
    assert whys(text) == found


def test_the_condition_that_hides_a_statement_is_named() -> None:
    text = "class A:\n    def f(self, x: torch.Tensor):\n        if False:\n            x.add_(1)\n"
    assert coverage(text).missed == (Missed(6, 6, "A.f", "condition-never-taken", 5),)


def test_numbers_that_are_added_up_are_known() -> None:
    assert whys("total = 0.0\nfor x in range(3):\n    total += float(x)\n") == []


LONG = "".join(
    f"def f{i}(x: torch.Tensor):\n    for _ in x:\n        x.add_(1)\n" for i in range(300)
)


def test_what_the_budget_leaves_out_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograd_lint.analysis.budgets._FILE", 100)
    monkeypatch.setattr("autograd_lint.analysis.budgets._LINE", 0)
    source = Source("a.py", HEAD + LONG)
    found = analysed(source, Project.alone(), coverage=True)
    assert found.left_out[-1] == "f299"
    assert found.coverage(source).missed[-1].why == "budget"


def test_nothing_is_left_out_of_a_short_file() -> None:
    assert analysed(Source("a.py", HEAD + REACHED), Project.alone()).left_out == ()
