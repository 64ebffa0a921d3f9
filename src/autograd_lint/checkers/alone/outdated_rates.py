"""A name that has given an optimizer its learning rate, and is changed for nobody.

optimizer = torch.optim.SGD(model.parameters(), lr=lr)
for epoch in range(epochs):
    if epoch % 10 == 9:
        lr *= 0.1                 # a number: the optimizer has the old one

Source: https://docs.pytorch.org/docs/stable/optim.html (how to adjust the learning rate)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.engine.events import Created
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import OUTDATED_RATE, Pitfall
from autograd_lint.facts.body import body, path_of
from autograd_lint.facts.imported_paths import path_in
from autograd_lint.project.code import code_of
from autograd_lint.project.nodes import walk
from autograd_lint.project.source import Source

# What only shows a value.
_SHOWING = ("print", "format", "write", "log", "info", "add_scalar", "set_postfix", "append")


def judge(source: Source) -> Iterator[Fault]:
    """In each function and class: who reads a rate that is computed anew?"""
    for scope in (source.tree, *source.each(ast.FunctionDef), *source.each(ast.ClassDef)):
        prefix = "self." if isinstance(scope, ast.ClassDef) else ""
        for path, made in _given(source, scope, prefix):
            changed = list(_changes(scope, path, made))
            if changed and not _is_read(scope, path, [made, *changed]):
                yield Fault(
                    Pitfall.RATE_WITHOUT_EFFECT,
                    source.place(changed[0]),
                    tensor=path,
                    detail=OUTDATED_RATE,
                    built=Created(source.place(made), "optimizer"),
                )


def _given(source: Source, scope: ast.AST, prefix: str) -> Iterator[tuple[str, ast.Call]]:
    """The names that give an optimizer of torch its rate, each with the call."""
    for call in body(scope).calls:
        path = path_in(source, call.node.func)
        if path.startswith("torch.optim.") and "lr_scheduler" not in path:
            for keyword in call.node.keywords:
                name = path_of(keyword.value) if keyword.arg == "lr" else ""
                if name and name.startswith(prefix) and "." not in name[len(prefix) :]:
                    yield name, call.node


def _changes(scope: ast.AST, path: str, made: ast.Call) -> Iterator[ast.AST]:
    """The statements behind the making of the optimizer that compute the rate from itself."""
    for one in body(scope).bindings:
        statement = one.statement
        itself = isinstance(statement, ast.AugAssign) or any(
            path_of(part) == path for part in walk(one.value)
        )
        if one.path == path and itself and statement.lineno > made.lineno:  # type: ignore[attr-defined]
            yield statement


def _is_read(scope: ast.AST, path: str, known: list[ast.AST]) -> bool:
    """Whether anything else reads the rate, other than to show it."""
    shown = [one.node for one in body(scope).calls if _shows(one.method)]
    shown_texts = (part for part in walk(scope) if isinstance(part, ast.JoinedStr))
    passed_over = {id(part) for one in (*known, *shown, *shown_texts) for part in walk(one)}
    return any(
        path_of(part) == path and id(part) not in passed_over and _is_load(part)
        for part in walk(scope)
        if isinstance(part, (ast.Name, ast.Attribute))
    )


def _shows(method: str) -> bool:
    return any(name in method for name in _SHOWING)


def _is_load(part: ast.Name | ast.Attribute) -> bool:
    return isinstance(part.ctx, ast.Load) and code_of(part) != ""
