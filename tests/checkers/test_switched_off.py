"""Parameters of an optimizer that are only computed with while grad mode is off."""

from tests.vm.running import kinds

PACKAGED = """
from zoo import load
body, head = load("large"), nn.Linear(4, 1)
steps = torch.optim.SGD({parameters}, 0.1)
{mode}
for x in torch.ones(9, 3, 4):
    with torch.no_grad():
        states = body(x)
    steps.zero_grad()
    head(states).sum().backward()
    steps.step()
"""
BOTH = "[*body.parameters(), *head.parameters()]"


def test_a_network_of_a_package_that_an_optimizer_was_given_by_itself_is_to_be_trained() -> None:
    assert kinds(PACKAGED.format(parameters=BOTH, mode="pass")) == ["gradient-cut"]
    assert not kinds(PACKAGED.format(parameters="head.parameters()", mode="pass"))
    assert not kinds(PACKAGED.format(parameters=BOTH, mode="body.eval()"))
