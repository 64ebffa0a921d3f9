"""Gradients that are zero throughout: they go through functions without a slope."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

ENDS = """
first, last = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)
opt = torch.optim.SGD([*first.parameters(), *last.parameters()], lr=0.1)
with torch.no_grad():
    first.weight.mul_({scale})
    first.bias.copy_(torch.tensor([{bias}, 0.5 * {bias}, 0.9 * {bias}]))
for step in range(5):
    h = first(x).{function}  # here
    fit((last(h) - y).square().mean())
    {rest}
"""


def ends(function: str, scale: float, bias: float, rest: str = "pass") -> str:
    return ENDS.format(function=function, scale=scale, bias=bias, rest=rest)


WRONG = {
    "units that are all dead": ends("relu()", 1, -100),
    "a sigmoid of what is too large": ends("sigmoid()", 1, 1e4),
    "a tanh of what is too large": ends("tanh()", 1, 1e4),
    "a softmax that has decided": ends("softmax(dim=1)", 1, 1e5),
    "clamped outside of the bounds": """
scale = torch.nn.Parameter(torch.full((1,), -9.0))
opt.add_param_group({"params": [scale]})
for _ in range(4):
    spread = scale.clamp(-5, 2)  # here
    fit((net(x) * spread.exp() - y).square().mean())
""",
    "a softmax of one element": """
gate = torch.nn.Linear(2, 4)
opt.add_param_group({"params": gate.parameters()})
for _ in range(4):
    best = gate(x).topk(1, dim=1).values
    weight = torch.softmax(best, dim=1)  # here
    fit((net(x) * weight - y).square().mean())
""",
    "a straight-through choice that detaches nothing": """
gate = torch.nn.Linear(2, 2)
opt.add_param_group({"params": gate.parameters()})
for _ in range(4):
    soft = gate(x).softmax(1)
    hard = torch.zeros_like(soft).scatter_(1, soft.argmax(1, keepdim=True), 1.0)
    chosen = hard - soft + soft  # here
    fit((net(x) * chosen[:, :1] - y).square().mean())
""",
    "a target that holds what is compared with it": """
for _ in range(4):
    out = net(x)
    wanted = y + out
    loss = torch.nn.functional.mse_loss(out, wanted)  # here
    fit(loss)
""",
    "a term that takes away what it adds": """
for _ in range(4):
    h = net(x)
    near = h + (h.round() - h).detach()
    rest = h - near  # here
    fit((h - y).square().mean() + rest.square().mean())
""",
}

RIGHT = {
    "units that come to life": ends("relu()", 1, -100, "first.bias.data.fill_(1.0)"),
    "some units that are dead": ends("relu()", 1, -100).replace("0.5 * -100", "1.0"),
    "a sigmoid in its middle": ends("sigmoid()", 1, 1),
    "clamped within the bounds at times": """
scale = torch.nn.Parameter(torch.full((1,), 1.9))
opt.add_param_group({"params": [scale]})
for step in range(6):
    spread = scale.clamp(-5, 2)
    fit((net(x) * spread.exp() - y - 3).square().mean())
    if step == 2:
        scale.data.fill_(3.0)
""",
    "a margin that is kept": """
for _ in range(6):
    out = net(x)
    fit((1 - out * 5).clamp(min=0).mean())
""",
    "a layer that is to add little": """
layer = torch.nn.Linear(1, 1)
opt.add_param_group({"params": layer.parameters()})
for _ in range(4):
    h = net(x)
    fit((h - y).square().mean() + torch.nn.functional.mse_loss(h + layer(h), h))
""",
    "attention over one element": """
query, key = torch.nn.Linear(2, 3), torch.nn.Linear(2, 3)
opt.add_param_group({"params": [*query.parameters(), *key.parameters()]})
for _ in range(4):
    near = torch.bmm(query(x)[:, None], key(x)[:, None].transpose(1, 2)).softmax(-1)
    fit((net(x) * near[:, 0] - y).square().mean())
""",
    "a straight-through choice": """
gate = torch.nn.Linear(2, 2)
opt.add_param_group({"params": gate.parameters()})
for _ in range(4):
    soft = gate(x).softmax(1)
    hard = torch.zeros_like(soft).scatter_(1, soft.argmax(1, keepdim=True), 1.0)
    chosen = hard - soft.detach() + soft
    fit((net(x) * chosen[:, :1] - y).square().mean())
""",
    "what a layer has added is measured": """
layer = torch.nn.Linear(1, 1)
opt.add_param_group({"params": layer.parameters()})
for _ in range(4):
    h = net(x)
    out = h + layer(h)
    fit((out - y).square().mean() + (out - h).square().mean())
""",
    "an entropy of what has a gradient by another way": """
for _ in range(4):
    policy = torch.distributions.Normal(net(x), 0.5)
    action = policy.rsample()
    fit((policy.log_prob(action) + (action - y).square()).mean())
""",
}


@pytest.mark.parametrize("name", WRONG)
def test_what_never_gets_another_gradient_than_zero_is_told(name: str, tmp_path: Path) -> None:
    assert told(WRONG[name], tmp_path) == here("gradient-cut", WRONG[name])


@pytest.mark.parametrize("name", RIGHT)
def test_what_has_a_slope_somewhere_is_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []


def test_a_sample_that_moves_with_what_scores_it_is_told(tmp_path: Path) -> None:
    source = """
    for _ in range(4):
        policy = torch.distributions.Normal(net(x), 0.5)
        action = policy.rsample()
        score = policy.log_prob(action)  # here
        fit(-(score * y).mean())
    """
    assert told(source, tmp_path) == here("sample-scored", source)
