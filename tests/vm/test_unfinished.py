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


WRAPPED = """
import inspect

def filled(function):
    def decorate(*args, **options):
        given = dict(options)
        for one, value in zip(inspect.signature(function).parameters, args):
            given[one] = value
        return function(**given)
    return decorate

class Net(nn.Module):
    {decorator}
    def __init__(self, size):
        super().__init__()

net = Net(3)
optimizer = torch.optim.Adam(net.parameters())
"""


@pytest.mark.parametrize(("decorator", "found"), [("@filled", []), ("", ["other"])])
def test_a_decorator_may_run_a_constructor_in_a_way_that_is_not_followed(
    decorator: str, found: list[str]
) -> None:
    assert kinds(WRAPPED.format(decorator=decorator)) == found
