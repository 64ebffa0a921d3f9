"""Methods without parentheses: where they stand alone, are computed with, or are kept."""

import pytest

from autograd_lint.analysis import analyse
from autograd_lint.engine.assumptions import Kind
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.project.source import Source
from tests.checkers.noting import HEAD, rows

STEPS = """
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
total, losses, best = 0.0, [], 1.0
for x, y in loader:
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    {used}
"""


@pytest.mark.parametrize(
    "used",
    [
        "total += loss.item",
        "average = loss.item / 4",
        "if loss.item < best: print(x)",
        "print(loss.item)",
        'print(f"loss {loss.item}")',
        "losses.append(loss.item)",
        "mean = (x - y).pow(2).mean; mean.sqrt()",
        "shown = loss.detach().numpy.shape",
        "for p in model.parameters: print(p.grad)",
        "again = torch.optim.Adam(model.parameters)",
    ],
)
def test_a_method_stands_where_its_result_is_meant(used: str) -> None:
    assert rows(STEPS.format(used=used), Pitfall.METHOD_AS_VALUE) == [9]


@pytest.mark.parametrize("used", ["scheduler.step", "model.eval", "optimizer.zero_grad"])
def test_a_method_that_is_a_statement_does_nothing(used: str) -> None:
    assert rows(STEPS.format(used=used), Pitfall.NOT_CALLED) == [9]


@pytest.mark.parametrize(
    "used",
    [
        "total += loss.item()",
        "read = loss.item; print(read())",
        "same = loss.item is None",
        "print(loss.item.__name__)",
        "handlers = [optimizer.step, scheduler.step]",
        "x.register_hook(torch.Tensor.detach)",
        "print(loss.shape)",
        "print(model.parameters)",
        'print(f"{model.parameters}")',
    ],
)
def test_a_method_is_called_or_meant(used: str) -> None:
    assert rows(STEPS.format(used=used), Pitfall.METHOD_AS_VALUE) == []


def test_who_keeps_a_method_may_call_it_later() -> None:
    source = Source("program.py", HEAD + STEPS.format(used="losses.append(loss.item)"))
    (found,) = [fault for fault in analyse(source) if fault.kind is Pitfall.METHOD_AS_VALUE]
    assert {one.kind for one in found.assumptions} == {Kind.NEVER_CALLED}


def test_after_a_missing_call_the_run_goes_on_with_its_result() -> None:
    text = STEPS.format(
        used="scheduler.step(); total = total + (loss * 2).detach; total.backward()"
    )
    assert rows(text, Pitfall.METHOD_AS_VALUE) == [9]
    assert [
        fault.kind.value
        for fault in analyse(Source("program.py", HEAD + text))
        if fault.place is not None and fault.kind is not Pitfall.METHOD_AS_VALUE
    ] == ["no-grad-root"]


OWN = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.start
    {decorated}
    def start(self):
        return None
    def forward(self, x):
        return x
Net()
"""


@pytest.mark.parametrize(("decorated", "found"), [("", [5]), ("@property", [])])
def test_a_module_does_not_call_its_own_method(decorated: str, found: list[int]) -> None:
    assert rows(OWN.format(decorated=decorated), Pitfall.NOT_CALLED) == found


SCATTER = """import torch

class Group:
    pass

def scatter(x, group{annotation}):
    {first}
    if group.{name} == 1:
        return x
    (x * 2).sum().backward()
"""


@pytest.mark.parametrize(
    ("first", "annotation", "name", "told"),
    [
        ("group = torch.ones(2)", "", "size", True),
        ("torch.add(x, group)", "", "size", False),  # it may be whatever the operator takes
        ("torch.add(x, group)", "", "item", True),
        ("torch.add(x, group)", ": Group", "item", False),
    ],
)
def test_what_is_only_taken_for_a_tensor_has_other_attributes(
    first: str, annotation: str, name: str, told: bool
) -> None:
    text = SCATTER.format(first=first, annotation=annotation, name=name)
    found = [one.kind for one in analyse(Source("a.py", text))]
    assert (Pitfall.METHOD_AS_VALUE in found) is told


def test_the_mean_of_what_may_be_a_distribution_is_a_property() -> None:
    used = "out = x - y; out.mean.sqrt()"
    assert rows(STEPS.format(used=used), Pitfall.METHOD_AS_VALUE) == [9]
    assert rows(STEPS.format(used=f"print(y.stddev); {used}"), Pitfall.METHOD_AS_VALUE) == []
