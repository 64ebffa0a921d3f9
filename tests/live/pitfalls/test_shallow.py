"""Second modules that share the parameters of the first one."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

WRONG = {
    "it loads what the first one has": """
    import copy
    target = copy.copy(net)  # here
    for _ in range(3):
        with torch.no_grad():
            goal = target(x)
        fit((net(x) - goal - 1).square().mean())
        target.load_state_dict(net.state_dict())
    """,
    "its parameters are averaged": """
    import copy
    target = copy.copy(net)  # here
    for p in target.parameters():
        assert p.requires_grad
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(3):
        fit((net(x) - y).square().mean())
    """,
}

RIGHT = {
    "a deep copy": """
    import copy
    target = copy.deepcopy(net)
    for _ in range(3):
        with torch.no_grad():
            goal = target(x)
        fit((net(x) - goal - 1).square().mean())
        target.load_state_dict(net.state_dict())
    """,
    "a second name for what is evaluated": """
    import copy
    shown = copy.copy(net)
    for _ in range(3):
        fit((net(x) - y).square().mean())
        with torch.no_grad():
            print(shown(x).sum())
    """,
}


@pytest.mark.parametrize("name", WRONG)
def test_a_shallow_copy_that_serves_as_a_second_module_is_told(name: str, tmp_path: Path) -> None:
    assert told(WRONG[name], tmp_path) == here("own-state-loaded", WRONG[name])


@pytest.mark.parametrize("name", RIGHT)
def test_copies_of_their_own_and_other_views_of_a_module_are_quiet(
    name: str, tmp_path: Path
) -> None:
    assert told(RIGHT[name], tmp_path) == []
