"""What is cut out of a function around the rows of a finding."""

import ast
from textwrap import dedent

import pytest

from autograd_lint.live.confirm.slices import Slice, free_names, slice_of

FORWARD = """
def forward(self, x, mask):
    width = x.shape[-1]
    scale = width ** -0.5
    unrelated = print("not of interest")
    h = torch.sigmoid(x * scale)
    bias = self.bias
    log(h.shape)
    if mask is not None:
        h += bias
    else:
        h = h + 1
    return h.sum()
"""


def cut(source: str, *rows: int, generations: int = 0) -> Slice:
    found = slice_of(ast.parse(dedent(source).lstrip()), rows, generations)
    assert found is not None
    return found


def text(statements: list[ast.stmt]) -> str:
    return ast.unparse(ast.Module(statements, []))


def test_definitions_between_the_rows_belong_to_it() -> None:
    found = cut(FORWARD, 9, 5)
    assert text(found.again) == "h = torch.sigmoid(x * scale)\nbias = self.bias\nh += bias"
    assert (found.conditions, found.goals) == ([8], [5, 9])


def test_definitions_before_them_by_generation() -> None:
    assert 3 in cut(FORWARD, 9, 5, generations=1).rows
    assert 2 not in cut(FORWARD, 9, 5, generations=1).rows
    assert cut(FORWARD, 9, 5, generations=2).rows == [2, 3, 5, 6, 9]


def test_rows_stay_as_they_are() -> None:
    found = cut(FORWARD, 9, 5, generations=2)
    assert [node.lineno for node in found.again] == [2, 3, 5, 6, 9]


def test_what_is_returned_gets_a_name() -> None:
    assert text(cut(FORWARD, 12).again).endswith("_result = h.sum()")


def test_the_other_branch_does_not_belong_to_it() -> None:
    assert text(cut(FORWARD, 11).again) == "h = h + 1"


def test_grad_modes_are_kept_and_other_contexts_are_not() -> None:
    source = """
        def step(self, x):
            with self.timer():
                with torch.no_grad():
                    h = x.exp()
                    h.add_(1)
                y = h * 2
        """
    found = cut(source, 5, 4)
    assert text(found.again) == "with torch.no_grad():\n    h = x.exp()\n    h.add_(1)"
    assert text(cut(source, 6, 4).again).endswith("\ny = h * 2")


def test_what_is_before_the_loop_runs_once() -> None:
    source = """
        total = 0
        for batch in loader:
            loss = model(batch)
            total += loss
        """
    found = cut(source, 4, generations=2)
    assert text(found.once) == "total = 0"
    assert text(found.again) == ("batch = next(iter(loader))\nloss = model(batch)\ntotal += loss")
    assert found.looped


def test_the_innermost_function_counts() -> None:
    source = """
        def outer(y):
            h = y.exp()
            def inner(h):
                h.mul_(2)
                return h
            return inner(h)
        """
    assert text(cut(source, 4, 2).again) == "h.mul_(2)"


def test_statements_of_a_generator_are_left_out() -> None:
    source = """
        def batches(x):
            y = yield x
            y.mul_(2)
        """
    assert text(cut(source, 3, generations=1).again) == "y.mul_(2)"


def test_no_slice_without_a_statement() -> None:
    assert slice_of(ast.parse("\n\nx = 1\n"), (1,), 0) is None
    assert slice_of(ast.parse("x = 1\n"), (), 0) is None


@pytest.mark.parametrize(
    ("source", "free"),
    [
        ("y = x + 1\nz = y", ["x"]),
        ("x += 1", ["x"]),
        ("x[i] = 1", ["i", "x"]),
        ("y = [v for v in values]", ["values"]),
        ("f = lambda a: a + b", ["b"]),
        ("self.h = self.cell(x)", ["self", "x"]),
        ("with mode():\n    y = x\nz = y", ["mode", "x"]),
    ],
)
def test_free_names(source: str, free: list[str]) -> None:
    assert free_names(ast.parse(source).body) == free
