"""Modules that are the default of an argument."""

import pytest

from tests.vm.running import kinds

TEXT = """
class Block(nn.Module):
    def __init__(self, width, {argument}):
        super().__init__()
        self.linear, self.act = nn.Linear(width, width), {kept}
    def forward(self, x):
        return self.act(self.linear(x))
net = nn.Sequential({blocks})
"""


def told(
    argument: str = "act=nn.PReLU()", kept: str = "act", blocks: str = "Block(2), Block(2)"
) -> bool:
    return kinds(TEXT.format(argument=argument, kept=kept, blocks=blocks)) == ["layer-multiplied"]


@pytest.mark.parametrize("argument", ["act=nn.PReLU()", "*, act=nn.PReLU()"])
def test_a_default_with_parameters_that_two_modules_keep_is_told(argument: str) -> None:
    assert told(argument)


def test_a_default_without_parameters_may_be_shared() -> None:
    assert not told("act=nn.ReLU()")


def test_one_module_does_not_share_its_default() -> None:
    assert not told(blocks="Block(2)")


def test_a_module_that_is_given_another_one_does_not_share_it() -> None:
    assert not told(blocks="Block(2), Block(2, act=nn.PReLU())")


def test_a_copy_of_the_default_is_not_shared() -> None:
    assert not told(kept="__import__('copy').deepcopy(act)")


def test_a_module_that_only_a_harness_makes_is_not_counted() -> None:
    block = TEXT.partition("net =")[0].format(argument="act=nn.PReLU()", kept="act")
    result = "self.act(self.linear(x))"
    kept = block.replace(f"return {result}", f"self.out = {result}\n        return self.out")
    assert kinds(f"{kept}    def grown(self):\n        return self.out.add_(1)\n") == []
