"""Parts of a module that a program asks for by their paths."""

import pytest

from tests.vm.running import HEAD, certain, kinds

FROZEN = """
net = nn.Sequential(nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4)), nn.Linear(4, 4))
for p in net.parameters():
    p.requires_grad_(False)
{change}
net(torch.ones(2, 4)).sum().backward()
"""


@pytest.mark.parametrize(
    "change",
    [
        "net.get_submodule('0.1').requires_grad_(True)",
        "net.get_submodule('').requires_grad_(True)",
        "net.get_parameter('0.1.weight').requires_grad_(True)",
        "net.get_submodule('0').get_parameter('1.bias').requires_grad = True",
        "setattr(net.get_submodule('0'), '1', nn.Linear(4, 4))",
    ],
)
def test_a_path_leads_to_the_part_itself(change: str) -> None:
    exec(HEAD + FROZEN.format(change=change), {})
    assert kinds(FROZEN.format(change=change)) == []


def test_reading_a_part_unfreezes_nothing() -> None:
    assert certain(FROZEN.format(change="net.get_submodule('0.1')")) == ["no-grad-root"]


@pytest.mark.parametrize(
    "change",
    [
        "net.get_submodule(path).requires_grad_(True)",
        "net.get_parameter(path).requires_grad_(True)",
        "setattr(net.get_submodule(path), name, nn.Linear(4, 4))",
        "getattr(net, name).requires_grad_(True)",
    ],
)
def test_what_is_asked_for_by_an_unknown_path_may_be_unfrozen(change: str) -> None:
    text = FROZEN.format(change=f"path, name = input(), input()\n{change}")
    assert certain(text) == []


NAMED = """
net = nn.Sequential(nn.Linear(4, 4))
for name in options.names:
    net.get_{part}(f"0{{name}}").requires_grad = False
"""


@pytest.mark.parametrize(
    ("part", "found"), [("parameter", []), ("submodule", ["flag-without-effect"])]
)
def test_a_parameter_is_no_module_whatever_its_path_begins_with(
    part: str, found: list[str]
) -> None:
    assert kinds(NAMED.format(part=part)) == found


UNKNOWN = """
from package import build

class Task(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = build()

    def freeze(self):
        for name in self.state_dict():
            self.get_parameter(name).requires_grad = False

task = Task()
print(*task.model.parameters())
task.freeze()
"""


def test_one_parameter_stands_for_all_of_a_module_of_an_unknown_class() -> None:
    assert kinds(UNKNOWN) == []
