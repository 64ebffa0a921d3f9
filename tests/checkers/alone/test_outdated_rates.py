"""Names that have given an optimizer its rate, and are changed for nobody."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import noted

TEXT = """
def train(model, lr):
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    for epoch in range(9):
        lr *= 0.5
        {code}
"""


@pytest.mark.parametrize("code", ["pass", "print(lr)", "log.info(f'{lr}')"])
def test_a_rate_that_is_only_shown_is_told(code: str) -> None:
    assert Pitfall.RATE_WITHOUT_EFFECT in noted(TEXT.format(code=code))


@pytest.mark.parametrize(
    "code",
    [
        "optimizer.param_groups[0]['lr'] = lr",
        "optimizer = torch.optim.Adam(model.parameters(), lr)",
        "adjust(optimizer, lr)",
        "if lr < 1e-5: break",
    ],
)
def test_a_rate_that_something_reads_is_quiet(code: str) -> None:
    assert Pitfall.RATE_WITHOUT_EFFECT not in noted(TEXT.format(code=code))
