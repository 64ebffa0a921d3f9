"""Conditional expressions that take a number out of a value on one of their sides."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import rows

SUMMED = """
    total = 0.0
    for x, y in loader:
        loss = F.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += {added}
    print(total)
    """


@pytest.mark.parametrize(
    "added",
    [
        "loss.item() if task else loss",
        "loss if done else loss.item()",
        "loss.detach().cpu().item() if torch.is_tensor(loss) else loss",
    ],
)
def test_where_its_number_is_taken_on_one_side_a_value_is_a_number_on_the_other(added: str) -> None:
    text = f"    task, done = 0, 1\n{SUMMED.format(added=added)}"
    assert rows(text, Pitfall.GRAPH_KEPT) == []


def test_what_another_value_gives_says_nothing() -> None:
    text = f"    task = 0\n{SUMMED.format(added='y.sum().item() if task else loss')}"
    assert rows(text, Pitfall.GRAPH_KEPT) != []
