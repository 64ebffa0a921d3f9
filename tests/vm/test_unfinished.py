"""Objects whose constructor was not followed to its end."""

import pytest

from tests.vm.running import kinds

LONG = "\n        ".join(["x = 1"] * 40_000)
NET = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rates = [float(nn.Linear(2, 1)(torch.ones(2)).sum())]
        {after}

    def known(self):
        return [rate.requires_grad for rate in self.rates]

Net().known()
"""
PARAMETER = "self.rates = nn.Parameter(torch.tensor(self.rates))"


@pytest.mark.parametrize(
    ("after", "found"),
    [("pass", ["other"]), (LONG, ["other"]), (f"{LONG}\n        {PARAMETER}", [])],
)
def test_what_a_constructor_would_have_set_anew_is_not_known(after: str, found: list[str]) -> None:
    assert kinds(NET.format(after=after)) == found
