"""Copies that are none: writes through a conversion, of what is somebody else's."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.evidence.wording import worded
from tests.vm.running import faults, kinds

OBJECT = """
class Matching:
    def __init__(self, logits):
        self.logits = logits

    def cost(self):
        {statement}
        return cost
"""
TAKEN = Pitfall.ALIAS_FOR_COPY.value


@pytest.mark.parametrize(
    "statement",
    [
        "cost = self.logits.cpu().neg_()",
        "cost = self.logits.detach().clamp_(0, 1).mul_(2)",
        "kept = self.logits.detach(); cost = kept.neg_() + 1",
    ],
)
def test_what_belongs_to_the_object_is_written(statement: str) -> None:
    assert TAKEN in kinds(OBJECT.format(statement=statement))


@pytest.mark.parametrize(
    "statement",
    [
        "cost = -self.logits.cpu()",
        "cost = self.logits.cpu().clone().neg_()",
        "cost = self.logits.neg_()",  # no conversion: it is written openly
        "self.logits.detach().neg_(); cost = 1",  # for what it writes
        "self.logits = self.logits.detach().neg_(); cost = 1",
        "cost = (self.logits + 1).cpu().neg_()",
    ],
)
def test_what_is_written_openly_or_is_new_may_be(statement: str) -> None:
    assert TAKEN not in kinds(OBJECT.format(statement=statement))


FUNCTION = """
def fixed(z, value):
    {name} = z.{conversion}()
    return {name}.fill_(value)

def features(x, value):
    return torch.cat([x[:, :1], {call}])
"""


def test_an_argument_is_written() -> None:
    text = FUNCTION.format(name="detached", conversion="detach", call="fixed(x[:, 1:], value)")
    (fault,) = faults(text)
    assert fault.kind is Pitfall.ALIAS_FOR_COPY
    assert (fault.tensor, fault.operator) == ("z", "detach")
    assert any("caller" in worded(assumption) for assumption in fault.assumptions)


def test_what_was_made_for_the_call_may_be_written() -> None:
    text = FUNCTION.format(name="detached", conversion="detach", call="fixed(x[:, 1:] + 1, value)")
    assert kinds(text) == []


def test_an_argument_may_come_from_another_device() -> None:
    text = FUNCTION.format(name="moved", conversion="cpu", call="fixed(x[:, 1:], value)")
    assert kinds(text) == []


def test_an_argument_that_is_bound_anew_is_given_up() -> None:
    assert kinds("def f(z):\n    z = z.detach()\n    return z.mul_(2)\n") == []


def test_parts_of_one_memory_need_not_overlap() -> None:
    text = (
        "x = torch.rand(3, 2, requires_grad=True) * 2\n"
        "parts = [x[:, i].detach() for i in range(2)]\n"
        "parts[0].mul_(2)\n"
        "y = parts[1] + x.sum()\n"
    )
    assert kinds(text) == []
    text = text.replace("parts[1]", "before").replace("parts[0].", "before = x.detach()\nparts[0].")
    assert kinds(text) == [Pitfall.SNAPSHOT_OVERWRITTEN.value]
