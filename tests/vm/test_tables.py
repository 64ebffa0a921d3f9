"""Tables of classes, of which it is not known which one is meant."""

import pytest

from autograd_lint.engine.assumptions import Kind
from autograd_lint.evidence.wording import worded
from tests.vm.running import certain, faults, kinds

TABLE = """
import copy

class Plain(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.linear = nn.Linear(size, size)

    def forward(self, x):
        return self.linear(x)

class Greedy(Plain):
    def forward(self, x, best=False):
        return self.linear(x).argmax(-1) if best else self.linear(x)

TABLE = {"plain": Plain, "greedy": Greedy}

def chosen(name, x):
    model = TABLE[name](3)
    found = torch.stack([model(CALL)])
    return copy.deepcopy(found)
"""


def test_what_a_module_of_a_table_gives_rests_on_which_one_it_is() -> None:
    (found,) = faults(TABLE.replace("CALL", "x"))
    assert [worded(why) for why in found.assumptions] == ["`TABLE[name]` is `Plain`"]


def test_a_module_of_a_table_that_does_not_take_the_call_is_not_the_one_that_is_meant() -> None:
    assert kinds(TABLE.replace("CALL", "x, best=True")) == []


def test_a_module_that_is_made_by_name_is_what_it_is() -> None:
    text = TABLE.replace("CALL", "x").replace(
        "TABLE[name](3)", "TABLE[name](3)\n    model = Plain(3)"
    )
    assert certain(text) == ["other"]


CHOSEN = """
import sys

class Bad(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        y = self.layer(x).sigmoid()
        z = y * y
        y += 1
        return z

class Good(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        return self.layer(x)

MODELS = {models}
model = MODELS[{key}]()
model(torch.randn(2, 4)).sum().backward()
"""
BOTH = "{'bad': Bad, 'good': Good}"


@pytest.mark.parametrize(
    ("models", "key", "rests"),
    [
        (BOTH, "sys.argv[1]", [Kind.IS_ENTRY]),
        (BOTH, "'bad'", []),
        ("{'bad': Bad}", "sys.argv[1]", []),
    ],
)
def test_what_one_of_several_entries_does_rests_on_its_being_asked_for(
    models: str, key: str, rests: list[Kind]
) -> None:
    (found,) = faults(CHOSEN.format(models=models, key=key))
    assert [one.kind for one in found.premises] == rests
