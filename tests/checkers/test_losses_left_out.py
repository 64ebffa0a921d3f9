"""Terms that a program adds to its loss, and that no backward gets to."""

import pytest

from tests.vm.running import kinds

PROGRAM = """
model = nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
out = model(torch.ones(4, 2))
fit, cost = out.pow(2).mean(), {cost}
total = {total}
{end}
optimizer.step()
"""
COST, TOTAL = "out.abs().mean()", "fit + 0.1 * cost"


def told(end: str, cost: str = COST, total: str = TOTAL) -> bool:
    return "loss-left-out" in kinds(PROGRAM.format(cost=cost, total=total, end=end))


@pytest.mark.parametrize("end", ["fit.backward()", "(fit / 2).backward()"])
def test_a_backward_of_one_term_of_a_sum_is_told(end: str) -> None:
    assert told(end)


@pytest.mark.parametrize(
    "end", ["total.backward()", "fit.backward(retain_graph=True)\ncost.backward()"]
)
def test_a_backward_of_all_terms_is_quiet(end: str) -> None:
    assert not told(end)


def test_a_term_without_a_graph_is_quiet() -> None:
    assert not told("fit.backward()", cost="out.detach().abs().mean()")


def test_a_sum_that_unknown_code_is_given_is_quiet() -> None:
    assert not told("import engine\nengine.run(total)\nfit.backward()")


def test_a_running_sum_of_losses_is_quiet() -> None:
    program = """
model = nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
total = 0.0
for x in torch.ones(3, 4, 2):
    loss = model(x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total = total + loss / 3
"""
    assert "loss-left-out" not in kinds(program)


def test_a_loss_that_is_added_behind_its_backward_is_reported() -> None:
    assert not told("", total="(fit.backward(), fit + 0.1 * cost)[1]")


def test_a_sum_that_another_call_differentiates_is_quiet() -> None:
    program = """
model = nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

def losses():
    out = model(torch.ones(4, 2))
    fit = out.pow(2).mean()
    return fit + 0.1 * out.abs().mean(), fit

losses()[1].backward()
{again}
optimizer.step()
"""
    assert "loss-left-out" not in kinds(program.format(again="losses()[0].backward()"))
    assert "loss-left-out" in kinds(program.format(again="losses()[1].backward()"))
