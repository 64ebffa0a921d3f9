"""Walks over syntax trees: a tree has many more nodes than anybody looks at."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all below it, the outer ones first.

    As `ast.walk` gives them, in less than half the time: without the contexts of names (`Load`),
    and without looking for nodes where there are none.
    """
    found = [node]
    for one in found:
        yield one
        for name in _PARTS[type(one)]:
            part = getattr(one, name, None)
            if type(part) is list:
                found += filter(None, part) if name in _WITH_GAPS else part
            elif part is not None:
                found.append(part)


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes directly below one, in order, without the contexts of names."""
    found: list[ast.AST] = []
    for name in _PARTS[type(node)]:
        part = getattr(node, name, None)
        if type(part) is list:
            found += filter(None, part) if name in _WITH_GAPS else part
        elif part is not None:
            found.append(part)
    return found


def statements(node: ast.AST) -> Iterator[ast.stmt]:
    """A statement and all that stand in it, or those of a module; inner functions included."""
    found = [node]
    for one in found:
        if isinstance(one, ast.stmt):
            yield one
        for name in _BLOCKS:
            found += getattr(one, name, ())


def calls_in(node: ast.AST) -> list[ast.Call]:
    """The calls in a piece of code, in the order of the text."""
    found = [one for one in walk(node) if isinstance(one, ast.Call)]
    return sorted(found, key=lambda call: (call.lineno, call.col_offset))


def binds(node: ast.AST, name: str) -> bool:
    """Whether a node is a name where it is bound: the target of an assignment, a loop, a `with`."""
    return isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)


# The fields of a statement that hold others.
_BLOCKS = ("body", "orelse", "handlers", "finalbody", "cases")
# Fields that hold names, numbers and contexts, classes whose fields all do, and lists of which not
# every element is a node.
_NAMES = ("arg", "asname", "attr", "id", "kwd_attrs", "module", "name", "rest", "str")
_PLAIN = (*_NAMES, "conversion", "ctx", "is_async", "kind", "level", "simple", "type_comment")
_LEAVES = (ast.Constant, ast.Global, ast.MatchSingleton, ast.Nonlocal, ast.TypeIgnore)
_WITH_GAPS = frozenset({"keys", "kw_defaults"})
# The fields of each class of nodes that may hold others.
_PARTS = {
    kind: tuple(name for name in kind._fields if name not in _PLAIN and kind not in _LEAVES)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}


def raises(node: ast.stmt | None) -> bool:
    """Whether a statement raises whatever the values are: `raise`, or `assert False`."""
    if isinstance(node, ast.Assert):
        return isinstance(node.test, ast.Constant) and not node.test.value
    return isinstance(node, ast.Raise)
