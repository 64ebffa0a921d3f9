"""What a loss was put together of is known to have a graph once backward begins at it."""

import pytest

from autograd_lint.engine.assumptions import Kind
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.vm.terms import remember_operands, terms_of
from autograd_lint.vm.values import Unknown
from tests.checkers.noting import rows
from tests.vm.running import faults

HEAD = "import torch\n"
TRAINING = """
def train(net, loader, optimizer, weights):
    kept = {begun}
    for batch in loader:
        losses = net.losses(batch)
        total = {total}
        optimizer.zero_grad()
        total.backward()
        optimizer.step()
        {keep}
"""
SUM = 'kept["a"] = kept["a"] + losses["a"]'


def told(total: str, keep: str, begun: str = "{}") -> bool:
    """Whether it is told that `keep` keeps graphs."""
    text = TRAINING.format(total=total, keep=keep, begun=begun)
    return rows(text, Pitfall.GRAPH_KEPT, HEAD) == [10]


@pytest.mark.parametrize(
    "total",
    [
        'losses["a"] + losses["b"]',
        '0.1 * losses["a"] + losses["b"] / 2',
        "sum(losses.values())",
        "sum(weights[name] * loss for name, loss in losses.items())",
    ],
)
def test_a_sum_of_what_backward_began_at_keeps_its_graphs(total: str) -> None:
    assert told(total, SUM, '{"a": 0}')


@pytest.mark.parametrize(
    "keep",
    [
        "for name, loss in losses.items(): kept[name] = kept.get(name, 0) + loss",
        "kept += sum(losses.values())",
    ],
)
def test_the_other_values_of_its_dictionary_have_one_as_well(keep: str) -> None:
    begun = "0" if "+=" in keep else "{}"
    assert told('losses["a"] + losses["b"]', keep, begun)


def test_what_a_loss_is_divided_by_is_no_term_of_it() -> None:
    loss, count, mean = Unknown("loss"), Unknown("count"), Unknown("loss / count")
    remember_operands(mean, "truediv", [loss, count])
    assert list(terms_of(mean)) == [loss]


def test_numbers_of_it_keep_nothing() -> None:
    assert not told("sum(losses.values())", SUM.replace('losses["a"]', 'losses["a"].item()'))


def test_what_no_backward_began_at_may_be_anything() -> None:
    text = TRAINING.format(total='losses["a"] + losses["b"]', keep=SUM, begun='{"a": 0}')
    found = {one.kind for one in faults(text.replace("        total.backward()\n", ""))}
    assert Pitfall.GRAPH_KEPT not in found


KEPT = """
def train(net, loader, optimizer):
    kept = []
    for batch in loader:
        losses = net(batch)
        optimizer.zero_grad()
        {total}.backward()
        optimizer.step()
        kept.append({kept})
"""


def test_a_dictionary_whose_values_were_summed_up_is_no_number() -> None:
    text = KEPT.format(total="sum(losses.values())", kept="losses")
    (fault,) = faults(text)
    assert fault.kind is Pitfall.GRAPH_KEPT
    assert not fault.premises


@pytest.mark.parametrize(("name", "doubted"), [("loss", False), ("count", True)])
def test_what_is_named_as_a_loss_is_one(name: str, doubted: bool) -> None:
    text = """
def train(net, loader, optimizer):
    kept = 0
    for batch in loader:
        out, NAME = net(batch)
        optimizer.zero_grad()
        (out + NAME).backward()
        optimizer.step()
        kept = kept + NAME
"""
    (fault,) = [one for one in faults(text.replace("NAME", name)) if one.place is not None]
    assert (Kind.REQUIRES_GRAD in {why.kind for why in fault.premises}) is doubted
