"""Modules that are replaced by others after an optimizer was given their parameters.

optimizer = torch.optim.Adam(model.parameters())
model = torch.load(path)                     # the optimizer has the parameters of the one before
for x, y in loader:
    loss = criterion(model(x), y)
    ...
    optimizer.step()

Source: https://docs.pytorch.org/docs/stable/optim.html (constructing it)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.engine.events import Created
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import WHOLE_MODEL, Pitfall
from autograd_lint.facts.body import Bound, body, path_of
from autograd_lint.facts.imported_paths import path_in
from autograd_lint.immutable import immutable
from autograd_lint.project.nodes import walk
from autograd_lint.project.source import Source

_MAKING = ("build", "make", "create")  # functions that give another module, by their names
_COPIES = frozenset({"copy.deepcopy", "torch.load"})


@immutable
class Optimized:
    """An optimizer that was made of the parameters of a module, both by their names."""

    name: str
    module: str
    made: ast.Call


def judge(source: Source) -> Iterator[Fault]:
    """In each function, and outside of them."""
    for scope in (source.tree, *source.each(ast.FunctionDef)):
        found = _optimized(source, scope)
        for one in found:
            replaced = next(_replacements(source, scope, one, found), None)
            if replaced is not None:
                yield Fault(
                    Pitfall.NOT_OPTIMIZED,
                    source.place(replaced.statement),
                    tensor=one.module,
                    detail=WHOLE_MODEL,
                    built=Created(source.place(one.made), "optimizer"),
                )


def _optimized(source: Source, scope: ast.AST) -> list[Optimized]:
    """The optimizers of torch that a function makes of all parameters of a module."""
    found = []
    for bound in _own(scope):
        made = bound.value
        if isinstance(made, ast.Call) and path_in(source, made.func).startswith("torch.optim."):
            given = made.args[0] if made.args else None
            asked = given.func if isinstance(given, ast.Call) else None
            if isinstance(asked, ast.Attribute) and asked.attr == "parameters":
                found.append(Optimized(bound.path, path_of(asked.value), made))
    return found


def _own(scope: ast.AST) -> Iterator[Bound]:
    """The assignments to names in a function that are not those of an inner one."""
    inner = {
        id(part)
        for one in walk(scope)
        if one is not scope and isinstance(one, (ast.FunctionDef, ast.ClassDef))
        for part in walk(one)
    }
    for bound in body(scope).assigned():
        if id(bound.statement) not in inner and isinstance(bound.target, ast.Name):
            yield bound


def _replacements(
    source: Source, scope: ast.AST, one: Optimized, known: list[Optimized]
) -> Iterator[Bound]:
    """The assignments of another module to the same name, which is trained afterwards by the old
    optimizer."""
    for bound in _own(scope):
        if bound.path != one.module or _begin(bound.statement) <= _begin(one.made):
            continue
        again = [made for made in known if _begin(made.made) > _begin(bound.statement)]
        if again or not _is_another(source, bound.value, one.module):
            continue
        if _is_trained(scope, one, _begin(bound.statement)):
            yield bound


def _is_another(source: Source, value: ast.expr, name: str) -> bool:
    """Whether a call makes another module: a copy, or one that is not made of the first."""
    if not isinstance(value, ast.Call):
        return False
    if path_in(source, value.func) in _COPIES:
        return True
    called = path_of(value.func).rpartition(".")[2]
    is_made = called[:1].isupper() or called.startswith(_MAKING)
    return is_made and not any(_is_name(part, name) for part in walk(value))


def _is_name(part: ast.AST, name: str) -> bool:
    return isinstance(part, ast.Name) and part.id == name


def _is_trained(scope: ast.AST, one: Optimized, since: tuple[int, int]) -> bool:
    """Whether behind a place the module is called, backward runs, and the optimizer steps; or both
    are returned together, to whoever trains."""
    if any(_gives_both(part, one) for part in walk(scope) if _begin(part) > since):
        return True
    later = [call for call in body(scope).calls if _begin(call.node) > since]
    stepped = any(call.owner == one.name and call.method == "step" for call in later)
    called = any(call.path == one.module for call in later)
    return stepped and called and any(call.method == "backward" for call in later)


def _gives_both(part: ast.AST, one: Optimized) -> bool:
    """Whether a statement returns a module and its optimizer."""
    if not isinstance(part, ast.Return) or not isinstance(part.value, ast.Tuple):
        return False
    names = {path_of(given) for given in part.value.elts}
    return {one.module, one.name} <= names


def _begin(node: ast.AST) -> tuple[int, int]:
    """Where a node begins."""
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
