"""Sums that add and subtract the same tensor: told where nothing else trains what is behind it."""

import pytest

from tests.vm.running import kinds

TEXT = """
net, head = nn.Linear(2, 3), nn.Linear(3, 1)
optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)
soft = net(torch.randn(4, 2)).softmax(-1)
hard = torch.ones(4, 3)
loss = head({}).mean()
loss.backward()
optimizer.step()
"""


@pytest.mark.parametrize(
    "written",
    [
        "(hard - soft) + soft",
        "hard + soft - soft",
        "soft + (hard - soft)",
        "soft - soft + soft.round()",
    ],
)
def test_a_term_that_cancels_out_is_told(written: str) -> None:
    assert kinds(TEXT.format(written)) == ["gradient-cut"]


@pytest.mark.parametrize(
    "written",
    [
        "(hard - soft).detach() + soft",
        "hard - soft.detach() + soft",
        "soft - soft.detach() + soft.round()",
        "hard - soft + 2 * soft",
        "hard - (soft + soft) + soft",
    ],
)
def test_a_term_that_is_left_is_quiet(written: str) -> None:
    assert kinds(TEXT.format(written)) == []


def test_two_results_of_one_operator_are_two_terms() -> None:
    program = """
net = nn.Linear(2, 4)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
first, second = net(torch.randn(4, 2)).chunk(2, -1)
(first - second).pow(2).mean().backward()
optimizer.step()
"""
    assert kinds(program) == []


def test_a_difference_that_is_used_elsewhere_trains_what_is_behind_it() -> None:
    program = """
net = nn.Linear(2, 4)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
y, target = net(torch.randn(4, 2)), torch.ones(4, 4)
gap = target - y
loss = gap.pow(2).mean() + (gap + y).mean()
loss.backward()
optimizer.step()
"""
    assert kinds(program) == []


def test_a_sum_of_which_nothing_is_left_is_told_where_a_loss_is_computed_of_it() -> None:
    program = """
net, head = nn.Linear(2, 3), nn.Linear(3, 1)
z = net(torch.randn(4, 2))
through = z + (z.round() - z).detach()
rest = z - through
loss = head(through).mean() + nn.functional.mse_loss(rest, torch.zeros(4, 3))
loss.backward()
"""
    assert kinds(program) == ["gradient-cut"]
    assert kinds(program.replace("z - through", "z - through.detach()")) == []


VALUES = """
import torch.nn.functional as F
net, head = nn.Linear(2, 3), nn.Linear(2, 1)
optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)
x = torch.randn(4, 2)
values = head(x)
with torch.no_grad():
    advantages = torch.randn(4, 1) - values
loss = net(x).mean() + {}
loss.backward()
optimizer.step()
"""


@pytest.mark.parametrize(
    ("loss", "told"),
    [
        ("F.mse_loss(values, advantages + values)", True),
        ("F.smooth_l1_loss(advantages + values, values)", True),
        ("nn.MSELoss()(values, values + advantages)", True),
        ("F.mse_loss(values, advantages + values.detach())", False),
        ("F.mse_loss(values, advantages + 2 * values)", False),
        ("F.mse_loss(values, advantages)", False),
        ("F.mse_loss(values, values.detach())", False),
    ],
)
def test_a_value_that_is_compared_with_itself_learns_nothing(loss: str, told: bool) -> None:
    assert kinds(VALUES.format(loss)) == ["gradient-cut"] * told


ANCHORED = """
net = nn.Linear(2, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
first, second = net.parameters()
anchor = {anchor}
loss = net(torch.randn(4, 2)).mean() + ({now} - anchor).pow(2).sum()
loss.backward()
"""


@pytest.mark.parametrize(
    ("now", "anchor"),
    [
        ("net.weight", "net.weight.clone()"),
        ("net.weight.view(-1)", "net.weight.clone().flatten()"),
        (
            "torch.cat([first.view(-1), second])",
            "torch.cat([p.reshape(-1) for p in net.parameters()])",
        ),
    ],
)
def test_a_distance_to_a_copy_that_was_not_detached_is_told(now: str, anchor: str) -> None:
    assert kinds(ANCHORED.format(now=now, anchor=anchor)) == ["gradient-cut"]
    assert kinds(ANCHORED.format(now=now, anchor=f"{anchor}.detach()")) == []


@pytest.mark.parametrize(
    ("now", "anchor"),
    [
        ("torch.cat([second, torch.zeros(1)])", "torch.cat([torch.zeros(1), second])"),
        ("net.weight[0].clone()", "net.weight[1].clone()"),
        ("net.weight.chunk(2, 1)[0].clone()", "net.weight.chunk(2, 1)[1].clone()"),
        ("torch.stack([first[0], second[:2]])", "torch.stack([second[:2], first[0]])"),
        ("second.unsqueeze(0)", "second.unsqueeze(1)"),
        ("second.view(1, 3)", "second.view(3, 1)"),
    ],
)
def test_a_distance_between_other_elements_is_quiet(now: str, anchor: str) -> None:
    assert kinds(ANCHORED.format(now=now, anchor=anchor)) == []


def test_two_parts_of_what_unknown_code_returns_are_two_terms() -> None:
    program = """
from somewhere import critic
net = nn.Linear(2, 4)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
first, second = critic(net(torch.randn(4, 2)))
loss = (first + second) / 2 + (first - second).abs() / 2
loss.mean().backward()
optimizer.step()
"""
    assert kinds(program) == []


LAYER = """
class Quantized(nn.Linear):
    def forward(self, x):
        weight = self.weight + {}
        return nn.functional.linear(x, weight, self.bias)

net = Quantized(2, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
net(torch.randn(4, 2)).sum().backward()
optimizer.step()
"""


@pytest.mark.parametrize(
    ("added", "found"),
    [
        ("(self.weight.sign() - self.weight)", ["gradient-cut"]),
        ("(self.weight.sign() - self.weight).detach()", []),
        ("(self.weight.tanh() - self.weight)", []),
    ],
)
def test_a_parameter_itself_may_cancel_out(added: str, found: list[str]) -> None:
    assert kinds(LAYER.format(added)) == found
