"""Modules that are trained past the wrapper that averages their gradients."""

import pytest

from tests.vm.running import kinds

TEXT = """
from torch.nn.parallel import DistributedDataParallel as DDP

def train(loader):
    net = {made}
    ddp = DDP(net)
    optimizer = torch.optim.SGD(ddp.parameters(), lr=0.1)
    for x in loader:
        optimizer.zero_grad()
        loss = {call}.square().mean()
        loss.backward()
        {average}
        optimizer.step()
"""


def text(call: str, average: str = "pass", made: str = "nn.Linear(4, 2)") -> str:
    """A program that trains a wrapped module."""
    return TEXT.format(made=made, call=call, average=average)


@pytest.mark.parametrize("call", ["ddp.module(x)", "net(x)", "(ddp.module(x) + net(x))"])
def test_a_wrapped_module_is_called_past_its_wrapper(call: str) -> None:
    assert kinds(text(call)) == ["replica-bypassed"]


def test_a_part_of_a_wrapped_module_is_called_past_its_wrapper() -> None:
    layers = "nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))"
    assert kinds(text("ddp.module[1](ddp.module[0](x))", made=layers)) == ["replica-bypassed"]


def test_a_call_of_the_wrapper_averages_what_comes_past_it_as_well() -> None:
    assert kinds(text("(ddp(x) + ddp.module(x))")) == []


@pytest.mark.parametrize(
    "average",
    [
        "[torch.distributed.all_reduce(p.grad) for p in ddp.parameters()]",
        "average_gradients(ddp)",
        "average_gradients(ddp.module)",
    ],
)
def test_a_program_may_average_gradients_by_itself(average: str) -> None:
    assert kinds("from elsewhere import average_gradients\n" + text("net(x)", average)) == []


def test_what_is_computed_with_grad_mode_off_needs_no_wrapper() -> None:
    begun = "        optimizer.zero_grad()\n"
    evaluated = f"{begun}        with torch.no_grad():\n            reference = net(x)\n"
    assert kinds(text("(ddp(x) * reference)").replace(begun, evaluated)) == []
