"""Training loops inside of one autocast region, which computes with weights of long ago.

with torch.autocast("cuda"):
    for batch in loader:
        loss_of(model, batch).backward()
        optimizer.step()               # the region keeps the casts of the weights before

Autocast casts a weight once, and keeps the result until the outermost region is left. Source:
`cache_enabled` in https://docs.pytorch.org/docs/stable/amp.html#torch.autocast
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.checkers.surroundings import Loop
from autograd_lint.engine.events import Modified
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.facts.body import body, path_of
from autograd_lint.facts.effects import effects_in
from autograd_lint.facts.imported_paths import path_in
from autograd_lint.project.query import query
from autograd_lint.project.source import Source

_PATHS = {"torch.autocast", *(f"torch.{one}amp.autocast" for one in ("", "cuda.", "cpu."))}
_FULL = {"float32", "float", "float64", "double"}  # what no weight has to be cast to
_CLEARED = "clear_autocast_cache"


def judge(source: Source) -> Iterator[Fault]:
    """Each `with` of autocast around a loop that trains."""
    if _CLEARED in source.text:
        return
    for region in source.each(ast.With):
        if any(_is_autocast(source, one.context_expr) for one in region.items):
            loops = (part for one in region.body for part in _loops(one))
            found = next((step for loop in loops if (step := _step(source, loop))), None)
            if found is not None:
                place = source.place(region.items[0].context_expr)
                moved = Modified(source.place(found), "step", None, 0, by_optimizer=True)
                yield Fault(Pitfall.STALE_CASTS, place, modified=moved)


def _loops(statement: ast.stmt) -> Iterator[Loop]:
    """The loops of a statement, those of functions that it defines left out."""
    if isinstance(statement, Loop):
        yield statement
    elif not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        for part in ast.iter_child_nodes(statement):
            if isinstance(part, ast.stmt):
                yield from _loops(part)


def _step(source: Source, loop: Loop) -> ast.AST | None:
    """The step of an optimizer in a loop that runs a backward, or the call of what does both."""
    if _trains(source, loop):
        return next((one.node for one in body(loop).calls if one.method == "step"), None)
    trained = _training_functions(source)
    return next((one.node for one in body(loop).calls if one.method in trained), None)


def _trains(source: Source, node: ast.AST) -> bool:
    found = effects_in(source, node)
    return found.differentiates and bool(found.stepped)


@query
def _training_functions(source: Source) -> frozenset[str]:
    """The functions and methods of a file that run a backward and step, each of its name alone."""
    named: dict[str, list[ast.FunctionDef]] = {}
    for function in source.each(ast.FunctionDef):
        named.setdefault(function.name, []).append(function)
    alone = {name: found[0] for name, found in named.items() if len(found) == 1}
    return frozenset(name for name, node in alone.items() if _trains(source, node))


def _is_autocast(source: Source, node: ast.expr, near: bool = True) -> bool:
    """Whether an expression makes a region that casts, by itself or by a name of the file."""
    if isinstance(node, ast.Call) and path_in(source, node.func) in _PATHS:
        return not any(_is_switched_off(one) for one in node.keywords)
    if not near:
        return False
    if isinstance(node, ast.Call):
        name = path_of(node.func).rpartition(".")[2]
        functions = [one for one in source.each(ast.FunctionDef) if one.name == name]
        results = (one for function in functions for one in body(function).results)
        return any(_is_autocast(source, one, near=False) for one in results)
    path = path_of(node)
    assigned = (one for one in source.each(ast.Assign) if path and path_of(one.targets[0]) == path)
    return any(_is_autocast(source, one.value, near=False) for one in assigned)


def _is_switched_off(given: ast.keyword) -> bool:
    """Whether an argument says that no weight is cast, or that no cast is kept."""
    value = given.value
    if given.arg in ("cache_enabled", "enabled"):
        return isinstance(value, ast.Constant) and value.value is False
    last = path_of(value).rpartition(".")[2]
    return given.arg == "dtype" and last in _FULL
