"""The calls and bindings that stand in a piece of code."""

import ast

import pytest

from autograd_lint.facts.body import body, called_of, called_on_self, method_of, parameters_of
from autograd_lint.project.source import Source


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("x = y", [("x", "y", None)]),
        ("a, b = c, d", [("a", "c", None), ("b", "d", None)]),
        ("a, b = f(x)", [("a", "f(x)", 0), ("b", "f(x)", 1)]),
        ("a, (b, c) = f(x)", [("a", "f(x)", 0), ("b", "f(x)", None), ("c", "f(x)", None)]),
        ("self.x = y = z", [("self.x", "z", None), ("y", "z", None)]),
        ("x['key'] = y", [("x", "y", None)]),
        ("x += y", [("x", "y", None)]),
        ("x: int = y", [("x", "y", None)]),
        ("for i, x in xs: pass", [("i", "xs", 0), ("x", "xs", 1)]),
        ("with open(p) as f: pass", [("f", "open(p)", None)]),
        ("f(x := y)", [("x", "y", None)]),
        ("make().x = y", [("", "y", None)]),
    ],
)
def test_what_is_bound_to_what(text: str, bound: list[tuple[str, str, int | None]]) -> None:
    found = body(ast.parse(text)).bindings
    assert [(one.path, ast.unparse(one.value), one.position) for one in found] == bound


def test_inner_calls_come_first() -> None:
    calls = body(ast.parse("f(self.g(x).h())")).calls
    assert [(one.path, one.owner, one.method) for one in calls] == [
        ("self.g", "self", "g"),
        ("", "", "h"),
        ("f", "", "f"),
    ]


def test_calls_that_stand_alone_are_dropped() -> None:
    found = body(ast.parse("f(g(x))\ny = h(x)"))
    assert [one.path for one in found.dropped] == ["f"]


def test_the_methods_that_are_called_of_a_name() -> None:
    node = ast.parse("model.train()\ny = model(x)\nself.close()")
    assert called_of("model", node) == {"train", ""}
    assert called_on_self(Source("a.py", ""), node) == {"close"}
    assert called_of("other", node) == frozenset()


def test_the_attributes_that_are_set() -> None:
    found = body(ast.parse("self.x, self.y = a\nself.x = b\nother.z = c\nself.w[0] = d"))
    assert sorted(found.stored()) == ["x", "x", "y"]


def test_methods_and_parameters() -> None:
    cls = ast.parse("class C:\n    def f(self, x, /, y, *args, z): pass\n    f.x = 1").body[0]
    method = method_of(cls, "f")
    assert method is not None
    assert parameters_of(method) == ["self", "x", "y", "z"]
    assert method_of(cls, "g") is None
    assert method_of(None, "f") is None
