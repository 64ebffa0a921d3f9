"""What code that is not known returns while grad mode is off."""

import pytest

from autograd_lint.engine.faults import FaultKind
from autograd_lint.evidence.wording import worded
from tests.vm.running import faults

STEP = """
from elsewhere import compute
def train(model, x, y, optimizer):
    optimizer.zero_grad()
    with torch.{mode}():
        found = {inside}
    {outside}
    optimizer.step()
"""


def roots(inside: str, outside: str, mode: str = "no_grad") -> list[list[str]]:
    """The assumptions behind each root of backward that has no graph."""
    text = STEP.format(inside=inside, outside=outside, mode=mode)
    found = [fault for fault in faults(text) if fault.kind is FaultKind.NO_GRAD_ROOT]
    return [sorted(worded(assumption) for assumption in fault.assumptions) for fault in found]


@pytest.mark.parametrize(
    ("inside", "outside", "code"),
    [
        ("compute(model, x, y)", "found.backward()", "compute"),
        ("model(x)['loss']", "found.backward()", "model"),
        ("model(x).mean()", "found.backward()", "model"),
        ("compute(model, x, y)", "(found.mean() / 2).backward()", "compute"),
    ],
)
def test_it_is_a_root_without_a_graph(inside: str, outside: str, code: str) -> None:
    [because] = roots(inside, outside)
    assert f"`{code}` leaves grad mode unchanged" in because


@pytest.mark.parametrize(
    ("inside", "outside", "mode"),
    [
        ("compute(model, x, y)", "found.backward()", "enable_grad"),
        ("compute(model, x, y)", "(model(x) - found).mean().backward()", "no_grad"),
        ("compute(model, x, y)", "found.requires_grad_(); found.backward()", "no_grad"),
        ("x.mean()", "y.mean().backward()", "no_grad"),
    ],
)
def test_what_has_a_graph_may_be_computed_with_it(inside: str, outside: str, mode: str) -> None:
    assert roots(inside, outside, mode) == []


FUNCTION = """
class Rerun(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, run):
        with torch.no_grad():
            return run(x)
    @staticmethod
    def backward(ctx, grad):
        return grad, None
def train(x, run):
    Rerun.apply(x.requires_grad_(), run).backward()
"""


def test_results_of_a_custom_function_get_the_graph_that_it_makes() -> None:
    assert not any(fault.kind is FaultKind.NO_GRAD_ROOT for fault in faults(FUNCTION))


MASKED = """
class Agent:
    def __init__(self):
        self.value = None
    def update(self, buffer):
        with torch.no_grad():
            state, mask = buffer.sample()
        loss = (self.value(state) * mask).mean()
        loss.backward()
"""


def test_what_is_computed_from_it_and_from_something_else_may_have_a_graph() -> None:
    assert faults(MASKED) == []


BACK = """
def run(dataset, model, compiles):
    if compiles:
        model = torch.compile(model)
    data = dataset[0]
    model.to("cuda").reset_parameters()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    for epoch in range(3):
        train(model, optimizer, data)
        evaluate(model, data)
def train(model, optimizer, data):
    model.train()
    optimizer.zero_grad()
    out = model(data)
    loss = torch.nn.functional.nll_loss(out[data.mask], data.y[data.mask])
    loss.backward()
    optimizer.step()
@torch.no_grad()
def evaluate(model, data):
    model.eval()
    out = model(data)
    return float(torch.nn.functional.nll_loss(out[data.mask], data.y[data.mask]))
"""


def test_a_model_that_is_given_back_was_there_before() -> None:
    assert faults(BACK) == []
