"""Parameters that two optimizers step with one gradient."""

import pytest

from tests.vm.running import kinds

TEXT = """
one, other = nn.Linear(2, 2), nn.Linear(2, 1)
first = torch.optim.SGD(one.parameters(), lr=0.1)
second = torch.optim.SGD({given}, lr=0.1)
for epoch in range(3):
    first.zero_grad()
    second.zero_grad()
    other(one(torch.ones(1, 2))).sum().backward()
    first.step()
    {between}
    second.step()
"""
BOTH = "[*one.parameters(), *other.parameters()]"


def test_a_gradient_that_two_optimizers_use_is_told() -> None:
    assert kinds(TEXT.format(given=BOTH, between="pass")) == ["stepped-twice"]


@pytest.mark.parametrize(
    ("given", "between"),
    [
        ("other.parameters()", "pass"),
        (BOTH, "one.zero_grad()"),
        (BOTH, "second.zero_grad(); other(one(torch.ones(1, 2))).sum().backward()"),
    ],
)
def test_gradients_of_their_own_are_quiet(given: str, between: str) -> None:
    assert "stepped-twice" not in kinds(TEXT.format(given=given, between=between))


def test_the_sum_of_two_losses_may_be_for_both_optimizers() -> None:
    text = TEXT.format(given=BOTH, between="pass")
    twice = text.replace(
        "    first.step()", "    one(torch.ones(1, 2)).sum().backward()\n    first.step()"
    )
    assert "stepped-twice" not in kinds(twice)
