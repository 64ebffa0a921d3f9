"""Names that mean a new tensor on one side of a condition, and an argument on the other."""

import ast

import pytest

from autograd_lint.facts.borrowed_names import borrowed_names, read_behind
from autograd_lint.project.source import Source

PROGRAM = """
def f(x, a, layer):
    {branch}
    {between}
    {write}
    return layer(x)
"""


def borrowed(branch: str, write: str = "y[a] = 0", between: str = "pass") -> list[tuple[str, bool]]:
    """The arguments that a write may reach, each with the outcome of the condition."""
    text = PROGRAM.format(branch=branch, write=write, between=between)
    source = Source("a.py", text)
    return [(one.argument, one.where) for one in borrowed_names(source, source.tree.body[0])]


@pytest.mark.parametrize("write", ["y[a] = 0", "y += a", "y.mul_(a)", "y.detach_()"])
def test_an_argument_on_one_side_and_a_new_tensor_on_the_other(write: str) -> None:
    assert borrowed("y = layer(x) if a is None else x", write) == [("x", False)]


@pytest.mark.parametrize(
    ("branch", "argument", "holds"),
    [
        ("y = x if a else layer(x)", "x", True),
        ("y = x\n    if a: y = y * 2", "x", False),
        ("if a: y = x\n    else: y = layer(a)", "x", True),
        ("if a: y = layer(a)\n    elif x: y = layer(x)\n    else: y = x", "x", False),
    ],
)
def test_the_forms_of_a_condition(branch: str, argument: str, holds: bool) -> None:
    assert borrowed(branch) == [(argument, holds)]


def test_an_argument_that_keeps_its_name() -> None:
    assert borrowed("if a: x = layer(x)", "x += a") == [("x", False)]


def test_a_write_on_the_side_of_the_argument_itself() -> None:
    branch = "if a: y = layer(x); y[0] = 1\n    else:\n        y = x\n        y[0] = 1"
    assert borrowed(branch, "pass") == [("x", False)]


@pytest.mark.parametrize(
    "branch",
    [
        "y = x if a else x.clone()",
        "y = x if a else x.view(-1)",
        "y = x if a else a",
        "y = layer(x) if a else layer(a)",
        "y = x",
        "if a: return layer(x)\n    y = x",
    ],
)
def test_copies_views_and_one_meaning_are_no_such_thing(branch: str) -> None:
    assert borrowed(branch) == []


def test_a_name_that_is_bound_anew_in_between_is_not_the_argument() -> None:
    assert borrowed("if a: x = layer(x)", "x += a", between="x = layer(x)") == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("f(x)\nprint(x)", {"print", "x"}),
        ("x = f(x)\nprint(x)", {"print"}),
        ("print(x)\nf(x)", set()),
    ],
)
def test_what_is_read_behind_a_call(text: str, names: set[str]) -> None:
    tree = ast.parse(text)
    calls = [one for one in ast.walk(tree) if isinstance(one, ast.Call)]
    call = next(one for one in calls if isinstance(one.func, ast.Name) and one.func.id == "f")
    assert read_behind(tree, call) == names


@pytest.mark.parametrize(
    ("argument", "test"),
    [("out", "out is None"), ("kv_cache", "kv_cache is None"), ("x", "not self.inplace")],
)
def test_what_is_named_after_being_written_is_meant_to_be(argument: str, test: str) -> None:
    text = f"def f(self, {argument}):\n    y = g() if {test} else {argument}\n    y[0] = 1\n"
    source = Source("a.py", text)
    assert borrowed_names(source, source.tree.body[0]) == ()
