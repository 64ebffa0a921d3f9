"""Targets that are computed by moving averages."""

from tests.vm.running import kinds

TEXT = """
import torch.nn.functional as F
import copy
online = nn.Linear(4, 3)
average = copy.deepcopy(online)
optimizer = torch.optim.SGD(online.parameters(), lr=0.1)
for _ in range(3):
    x = torch.randn(5, 4)
    loss = {loss}
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for mine, its in zip(average.parameters(), online.parameters()):
            mine.mul_({kept}).add_(its, alpha=0.1)
"""


def test_an_average_in_a_product_is_told() -> None:
    program = TEXT.format(loss="(online(x) @ average(x).t()).softmax(1).mean()", kept="0.9")
    assert kinds(program) == ["target-learns"]


def test_a_comparison_is_told_once() -> None:
    program = TEXT.format(loss="F.mse_loss(online(x), average(x).relu())", kept="0.9")
    assert kinds(program) == ["target-learns"]


def test_a_detached_average_is_quiet() -> None:
    program = TEXT.format(loss="(online(x) @ average(x).detach().t()).mean()", kept="0.9")
    assert kinds(program) == []
