"""A function treats what must require grad as data.

Who overwrites an argument, or makes lists of numbers of what it computes with it, has no use for
its graph; who takes the parameters of a layer that it is given, and does not call it, looks at what
has been trained.

    def unpad(boxes, size):
        boxes.clamp_(0, size)       # written before it is computed with
        return boxes.exp().mul_(2)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.engine.faults import Fault
from autograd_lint.evidence.assumption_origin import given_parts
from autograd_lint.evidence.signals.base import Case, Signal
from autograd_lint.facts.callers import Owner
from autograd_lint.facts.class_kinds import Definition
from autograd_lint.facts.result_uses import is_listed
from autograd_lint.project.code import code_of
from autograd_lint.project.query import query
from autograd_lint.project.source import Source

_SETTERS = {"requires_grad_", "retain_grad_", "share_memory_", "detach_"}


def _speaks(case: Case) -> bool:
    if not case.needs_given:
        return False
    parts = given_parts(case.fault)
    return any(part and _is_treated_as_data(case.fault, case.owner, part) for part in parts)


def _is_treated_as_data(fault: Fault, owner: Owner, given: ast.expr) -> bool:
    """Whether a function that is no step of a module treats an argument as data, of which a fault
    takes `given` to require grad."""
    function = owner.function
    if function is None or function.name in ("forward", "__init__", "__call__"):
        return False
    if isinstance(given, ast.Name):
        return _is_overwritten(fault, function, given.id) or is_listed(given.id, function)
    return isinstance(given, ast.Attribute) and _is_of_layer(given, owner)


def _is_overwritten(fault: Fault, function: Definition, name: str) -> bool:
    """Whether the argument is written before what it is computed into is saved."""
    place = fault.saved.place if fault.saved is not None else None
    if place is None:
        return False
    bound = [
        node.lineno
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
    ]
    last = min([*bound, place.row])
    return any(row <= last for row in _written(function, name))


def _written(function: Definition, name: str) -> Iterator[int]:
    """The rows of the calls by which an argument itself is written."""
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            method = node.func.attr
            writes = method.endswith("_") and method[:1] != "_" and method not in _SETTERS
            if writes and code_of(node.func.value) == name:
                yield node.lineno


def _is_of_layer(given: ast.Attribute, owner: Owner) -> bool:
    """Whether the attribute is one of an argument that is annotated as a layer of PyTorch."""
    assert owner.function is not None
    arguments = owner.function.args
    kinds = [
        code_of(one.annotation)
        for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        if one.arg == code_of(given.value) and one.annotation is not None
    ]
    return any(kind.startswith(("nn.", "torch.nn.")) for kind in kinds) or not (
        _layers(owner.source).isdisjoint(kinds)
    )


@query
def _layers(source: Source) -> frozenset[str]:
    """What a file takes from `torch.nn` by name."""
    imports = [node for node in ast.walk(source.tree) if isinstance(node, ast.ImportFrom)]
    found = [node for node in imports if (node.module or "").startswith("torch.nn")]
    return frozenset(alias.asname or alias.name for node in found for alias in node.names)


SIGNAL = Signal("treated-as-data", _speaks, data=True)
