"""Assertions that users make in their own tests."""

import pytest
import torch

from autograd_lint.testing import (
    assert_all_parameters_get_gradients,
    assert_backward_succeeds,
    assert_no_graph_kept,
)


class Net(torch.nn.Module):
    def __init__(self, *, cut: bool = False) -> None:
        super().__init__()
        self.body, self.head = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)
        self.cut = cut

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.body(x).tanh()
        return self.head(h.detach() if self.cut else h)


def test_parameters_without_a_gradient_are_named() -> None:
    net, x = Net(cut=True), torch.ones(4, 2)
    with pytest.raises(AssertionError, match=r"no gradient gets to `body.weight`, `body.bias`"):
        assert_all_parameters_get_gradients(net, lambda: net(x).sum().backward())
    assert_all_parameters_get_gradients(net, lambda: net(x).sum(), but=["body.weight", "body.bias"])


def test_gradients_of_zero_count_as_none_and_those_before_are_put_back() -> None:
    net, x = Net(), torch.ones(4, 2)
    with pytest.raises(AssertionError, match=r"the gradient is zero of `body.weight`"):
        assert_all_parameters_get_gradients(net, lambda: (net(x) * 0).sum())
    before = net.body.weight.grad = torch.ones(3, 2)
    assert_all_parameters_get_gradients(net, lambda: net(x).sum())
    assert net.body.weight.grad is before


def test_graphs_that_pile_up_are_told() -> None:
    net, x = Net(), torch.ones(4, 2)
    total: list[torch.Tensor] = []

    def step() -> None:
        loss = net(x).sum()
        loss.backward()
        total.append(loss)

    with pytest.raises(AssertionError, match="graphs pile up, step by step"):
        assert_no_graph_kept(step)
    latest: list[torch.Tensor] = [torch.ones(())]

    def fixed() -> None:
        latest[0] = net(x).sum()
        latest[0].backward()

    assert_no_graph_kept(fixed)


def test_an_error_of_autograd_is_told_with_its_cause() -> None:
    def step() -> None:
        h = torch.ones(3, requires_grad=True).sigmoid()
        h.mul_(2)
        h.sum().backward()

    with pytest.raises(AssertionError, match="AG103") as told:
        assert_backward_succeeds(step)
    assert isinstance(told.value.__cause__, RuntimeError)
    assert assert_backward_succeeds(lambda: 7) == 7
    with pytest.raises(KeyError):
        assert_backward_succeeds(lambda: {}["not of autograd"])
