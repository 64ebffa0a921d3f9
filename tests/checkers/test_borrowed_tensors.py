"""Writes to what is the function's own tensor under a condition, and else the caller's."""

import pytest

from tests.vm.running import faults, kinds

TOLD = ["argument-taken-for-own"]
TEXT = """
class Layer(nn.Module):
    def __init__(self, width, project=True):
        super().__init__()
        self.project = project
        self.inner = nn.Linear(width, width)

    def forward(self, query):
        scaled = self.inner(query) if self.project else {other}
        {write}
        return {result}
"""


def layer(write: str = "scaled *= 0.5", other: str = "query", result: str = "scaled.sum()") -> str:
    """A layer that projects what it is given, or not."""
    return TEXT.format(write=write, other=other, result=result)


@pytest.mark.parametrize("write", ["scaled *= 0.5", "scaled.mul_(0.5)", "scaled[:, 0] = 0"])
def test_a_write_to_what_may_be_the_argument_is_told(write: str) -> None:
    assert kinds(layer(write)) == TOLD


def test_it_says_which_condition_it_hangs_on() -> None:
    (fault,) = faults(layer())
    conditions = [one.condition for one in fault.assumptions if one.condition is not None]
    assert [(one.code, one.holds) for one in conditions] == [("self.project", False)]


@pytest.mark.parametrize(
    ("write", "other", "result"),
    [
        ("scaled = scaled * 0.5", "query", "scaled.sum()"),
        ("scaled *= 0.5", "query.clone()", "scaled.sum()"),
        ("scaled *= 0.5", "query", "scaled"),
    ],
)
def test_a_copy_and_a_result_are_quiet(write: str, other: str, result: str) -> None:
    assert kinds(layer(write, other, result)) == []


CALLED = """
def dilate(image, heights=None):
    if heights is None:
        own = torch.zeros(3)
    else:
        own = heights
    own[0] = 1.0
    return (image + own).max()

heights = torch.zeros(3)
image = torch.ones(3, requires_grad=True)
dilate(image, {given}).backward()
{after}
"""


def test_a_caller_that_reads_its_tensor_again_is_told() -> None:
    assert kinds(CALLED.format(given="heights", after="print(heights)")) == TOLD


@pytest.mark.parametrize(
    ("given", "after"), [("heights", "pass"), ("heights.clone()", "print(heights)")]
)
def test_a_caller_that_does_not_is_quiet(given: str, after: str) -> None:
    assert kinds(CALLED.format(given=given, after=after)) == []


def test_what_runs_without_gradients_is_quiet() -> None:
    text = CALLED.format(given="heights", after="print(heights)")
    assert (
        kinds(text.replace("def dilate", "@torch.no_grad()\ndef dilate").replace(".backward()", ""))
        == []
    )


def test_a_condition_in_a_loop_that_computes_the_value_anew_decides_nothing() -> None:
    program = """
class Layers(nn.Module):
    def __init__(self, width, depth=3):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))
        self.last = nn.Linear(width, width)

    def forward(self, x):
        z = x
        for layer in self.layers:
            z = layer(z)
            if self.training:
                z = z + 1
        z += self.last(x)
        return z * 2
"""
    assert kinds(program) == []
