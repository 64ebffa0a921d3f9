"""Walks over syntax trees give what `ast.walk` gives, but for the contexts of names."""

import ast
from pathlib import Path

import pytest

import autograd_lint
from autograd_lint.project.nodes import children, statements, walk
from autograd_lint.project.source import Source

FILES = sorted(Path(autograd_lint.__file__).parent.glob("vm/*.py"))
EVERYTHING = """
import a.b as c
from . import d
async def f(x: int, *y, z=1, **w) -> None:
    async with x as u, y:
        await u
    async for i in x:
        yield i
    try:
        raise E from e
    except (A, B) as e:
        del x[1:2, ...]
    else:
        global g
    finally:
        assert x, f"{x!r:>{y}}"
    match x:
        case [1, *rest] | {"a": A(b=2), **more} if rest:
            return lambda q: (q if q else not q) @ -1
while (n := {1: 2, **k}) and {*s} < [t for t in u if t]: x: int = 0
"""


@pytest.mark.parametrize("text", [EVERYTHING, *(one.read_text("utf-8") for one in FILES[:5])])
def test_a_walk_leaves_out_nothing_but_contexts(text: str) -> None:
    tree = ast.parse(text)
    wanted = [node for node in ast.walk(tree) if not isinstance(node, ast.expr_context)]
    assert [id(node) for node in walk(tree)] == [id(node) for node in wanted]


def test_the_children_of_a_node_are_those_directly_below_it_in_order() -> None:
    for node in ast.walk(ast.parse(EVERYTHING)):
        below = ast.iter_child_nodes(node)
        assert children(node) == [one for one in below if not isinstance(one, ast.expr_context)]


@pytest.mark.parametrize("text", [EVERYTHING, *(one.read_text("utf-8") for one in FILES[:5])])
def test_statements_are_found_wherever_they_stand(text: str) -> None:
    tree = ast.parse(text)
    wanted = {node for node in ast.walk(tree) if isinstance(node, ast.stmt)}
    assert set(statements(tree)) == wanted


def test_a_file_knows_its_nodes_by_their_class() -> None:
    source = Source("a.py", EVERYTHING)
    assert [one.name for one in source.each(ast.AsyncFunctionDef)] == ["f"]
    assert source.each(ast.ClassDef) == []
    assert {type(one) for one in source.imports} == {ast.Import, ast.ImportFrom}
