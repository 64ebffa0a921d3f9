"""Steps of an inner loop whose gradients are constants: told, unless the first order is meant."""

import pytest

from tests.vm.running import kinds

TEXT = """
def adapt(net, x, steps=2):
    weights = list(net.parameters())
    for _ in range(steps):
        loss = (x @ weights[0].t() + weights[1]).pow(2).mean()
        slopes = torch.autograd.grad(loss, weights{options})
        weights = [one - 0.1 * slope for one, slope in zip(weights, slopes)]
    return weights

net = nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    weights = adapt(net, torch.randn(4, 2))
    loss = (torch.randn(4, 2) @ weights[0].t() + weights[1]).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize("options", ["", ", retain_graph=True"])
def test_steps_along_constants_are_told(options: str) -> None:
    assert kinds(TEXT.format(options=options)) == ["penalty-without-graph"]


@pytest.mark.parametrize("chosen", ["True", "False"])
def test_a_program_that_chooses_the_order_is_quiet(chosen: str) -> None:
    assert kinds(TEXT.format(options=f", create_graph={chosen}")) == []


def test_a_file_that_speaks_of_the_first_order_is_quiet() -> None:
    assert kinds("# FOMAML\n" + TEXT.format(options="")) == []


def test_steps_of_what_is_no_parameter_are_quiet() -> None:
    program = """
net = nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(4, 2, requires_grad=True)
(slope,) = torch.autograd.grad(net(x).sum(), x)
loss = net(x + 0.1 * slope).mean()
loss.backward()
optimizer.step()
"""
    assert kinds(program) == []


def test_a_gradient_that_the_program_sets_itself_is_quiet() -> None:
    program = """
decay = torch.zeros((), requires_grad=True)
optimizer = torch.optim.SGD([decay], lr=0.1)
w = torch.zeros(3, requires_grad=True)
(slope,) = torch.autograd.grad((w - 1).pow(2).sum() + decay.exp() * w.pow(2).sum(), w)
(w - 0.1 * slope).pow(2).sum().backward()
decay.grad = slope.sum()
optimizer.step()
"""
    assert kinds(program) == []


@pytest.mark.parametrize(
    ("said", "told"),
    [("second order", True), ("ignores second-order terms", False), ("second_order = True", False)],
)
def test_a_file_that_promises_the_second_order_is_told(said: str, told: bool) -> None:
    assert bool(kinds(f"# {said}\n" + TEXT.format(options=""))) is told
