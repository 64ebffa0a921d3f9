"""What annotations say of arguments that nothing else is known of."""

import ast

import pytest

from autograd_lint.engine.tensor import Tensor
from autograd_lint.vm.hints import settle
from autograd_lint.vm.values import Unknown
from tests.vm.running import kinds

PARTS = """
class Head(nn.Module):
    def __init__(self, part{annotation}):
        super().__init__()
        self.layer, self.part = nn.Linear(3, 3), part

    def forward(self, x):
        y = self.layer(x)
        y[:, self.part] = y[:, self.part].sin()
        return y
"""


def bound(annotation: str, value: Unknown) -> str:
    """What a value must be once it is bound to an argument with that annotation."""
    function = ast.parse(f"def f(x: {annotation}): ...").body[0]
    assert isinstance(function, ast.FunctionDef)
    settle(function.args.args[0], value)
    return value.hint


@pytest.mark.parametrize(
    ("annotation", "hint"),
    [("float", "number"), ("List[int]", "list"), ("Tensor", ""), ("float | None", "")],
)
def test_an_unknown_value_is_what_it_is_annotated_as(annotation: str, hint: str) -> None:
    assert bound(annotation, Unknown("x")) == hint


def test_what_was_used_as_a_tensor_stays_one() -> None:
    assert bound("float", Unknown("x", tensor=Tensor())) == ""
    assert bound("float", Unknown("x", "array")) == "array"


@pytest.mark.parametrize(
    ("annotation", "found"),
    [("", ["saved-tensor-modified"]), (": int", ["saved-tensor-modified"]), (": list[int]", [])],
)
def test_a_list_among_the_parts_of_an_index_makes_a_copy(annotation: str, found: list[str]) -> None:
    assert kinds(PARTS.format(annotation=annotation)) == found


CODES = """
class Codes(nn.Module):
    def __init__(self):
        super().__init__()
        self.codes = nn.Parameter(torch.ones(4, 3))

    def decode(self, closest{annotation}, offset):
        found = self.codes[closest]
        found += offset
        return found
"""


@pytest.mark.parametrize(
    ("annotation", "found"),
    [("", []), (": torch.Tensor", []), (": int", ["leaf-view-modified"])],
)
def test_an_index_that_stands_alone_is_rather_a_tensor(annotation: str, found: list[str]) -> None:
    assert kinds(CODES.format(annotation=annotation)) == found
