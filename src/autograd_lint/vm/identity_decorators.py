"""Decorators that give back the function that they are given: they register or document it.

What such a decorator makes is known without running it, and what it does besides, to texts and
tables, is nothing that autograd knows of.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from autograd_lint.project.query import query
from autograd_lint.vm.imports import settled
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.scope import Scope
from autograd_lint.vm.values import Function, Lazy

Def = ast.FunctionDef | ast.AsyncFunctionDef
_OWN = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def gives_back(interp: Interpreter, decorator: Function, above: tuple[Def, ...] = ()) -> bool:
    """Whether a decorator returns the very function it was given, whichever way it takes.

    With options in place of a function it may return a decorator that does. `above` are the
    functions that return what it returns.
    """
    if not isinstance(decorator.node, ast.FunctionDef):
        return False
    inner = _inner(decorator.node)
    return _Reader(interp, decorator.scope, inner).gives_back(decorator.node, above)


@dataclass
class _Reader:
    """Reads the returns of functions; `inner` are those that stand inside of the decorator."""

    interp: Interpreter
    scope: Scope
    inner: dict[str, Def]

    def gives_back(self, node: Def, above: tuple[Def, ...]) -> bool:
        """Whether a function returns its first argument."""
        arguments = [*node.args.posonlyargs, *node.args.args]
        if not arguments or node in above or isinstance(node, ast.AsyncFunctionDef):
            return False
        given, parts = arguments[0].arg, _parts(node)
        if not _ends(node.body) or any(_spoils(part, given) for part in parts):
            return False
        above = (*above, node)
        results = [part.value for part in parts if isinstance(part, ast.Return)]
        made = [own for one in results if (own := self._own(one)) is not None]
        others = [one for one in results if self._own(one) is None]
        # What returns nothing but a function of its own wraps what it is given.
        return (
            bool(others)
            and all(self._is_given(one, given, above) for one in others)
            and all(self.gives_back(own, above) for own in made)
        )

    def _own(self, result: ast.expr | None) -> Def | None:
        """The function inside of the decorator that a result names."""
        return self.inner.get(result.id) if isinstance(result, ast.Name) else None

    def _is_given(self, result: ast.expr | None, given: str, above: tuple[Def, ...]) -> bool:
        if isinstance(result, ast.Name):
            return result.id == given
        if not isinstance(result, ast.Call) or not isinstance(result.func, ast.Name):
            return False
        first = result.args[0] if result.args else None
        if not isinstance(first, ast.Name) or first.id != given:
            return False
        own = self._own(result.func)
        if own is not None:
            return self.gives_back(own, above)
        other = self._named(result.func.id)
        return other is not None and gives_back(self.interp, other, above)

    def _named(self, name: str) -> Function | None:
        scope = self.scope.binder(name)
        if scope is None:
            return None
        found = scope.names[name]
        value = settled(self.interp, scope, name) if type(found) is Lazy else found
        return value if isinstance(value, Function) else None


def _inner(node: Def) -> dict[str, Def]:
    return {one.name: one for one in _parts(node) if isinstance(one, ast.FunctionDef)}


def _ends(body: list[ast.stmt]) -> bool:
    """Whether a block ends by returning something or raising, on either side of a condition."""
    last = body[-1] if body else None
    if isinstance(last, ast.If):
        return _ends(last.body) and _ends(last.orelse)
    return isinstance(last, (ast.Return, ast.Raise))


@query
def _parts(node: Def) -> list[ast.AST]:
    """What is in a function, with the functions inside of it but not what is in them."""
    return list(_walk(node.body))


def _walk(body: list[ast.stmt]) -> Iterator[ast.AST]:
    stack: list[ast.AST] = list(body)
    while stack:
        part = stack.pop()
        yield part
        if not isinstance(part, _OWN):
            stack.extend(ast.iter_child_nodes(part))


def _spoils(part: ast.AST, given: str) -> bool:
    """Whether a part of a function makes it a generator, or binds that name to something else."""
    if isinstance(part, ast.Name):
        return part.id == given and not isinstance(part.ctx, ast.Load)
    return isinstance(part, (ast.Yield, ast.YieldFrom))
