"""Updates of parameters of which only a name is left."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

LOOP = """
for _ in range(3):
    fit((net(x) - y).square().mean())
"""

WRONG = {
    "a bound on data": f"""{LOOP}
    for p in net.parameters():
        p = p.data.clamp(-0.01, 0.01)  # here
""",
    "a decay without grad mode": f"""{LOOP}
    with torch.no_grad():
        for name, p in net.named_parameters():
            p = 0.9 * p  # here
""",
    "by hand, with the gradient of the name cleared": f"""{LOOP}
    with torch.no_grad():
        for p in net.parameters():
            p = p - 0.1 * p.grad  # here
            p.grad = None
""",
    "an average with a graph": """
import copy
target = copy.deepcopy(net)
for _ in range(3):
    fit((net(x) - y).square().mean())
    for p, q in zip(net.parameters(), target.parameters()):
        q = 0.9 * q + 0.1 * p  # here
""",
    "an average of what a state holds": """
last = torch.nn.Linear(2, 1)
kept = list(last.state_dict().values())
for _ in range(3):
    fit((net(x) - y).square().mean())
    for p, q in zip(kept, net.parameters()):
        p = 0.9 * p + 0.1  # here
""",
}

RIGHT = {
    "written in place": f"""{LOOP}
    for p in net.parameters():
        p.data.clamp_(-0.01, 0.01)
""",
    "read behind": f"""{LOOP}
    sizes = []
    for p in net.parameters():
        p = p.detach().abs()
        sizes.append(p.mean().item())
""",
    "another name": f"""{LOOP}
    bounded = {{}}
    for name, p in net.named_parameters():
        bounded[name] = p.data.clamp(-0.01, 0.01)
""",
}


@pytest.mark.parametrize("name", WRONG)
def test_a_parameter_that_is_only_renamed_is_told(name: str, tmp_path: Path) -> None:
    assert told(WRONG[name], tmp_path) == here("parameter-rebound", WRONG[name])


@pytest.mark.parametrize("name", RIGHT)
def test_results_that_are_written_or_read_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []
