"""Whether calls of its objects are all that a module is trained by, as its class tells."""

from __future__ import annotations

import ast
import re

from autograd_lint.facts.body import (
    body,
    called_of,
    method_of,
    methods_of,
    parameters_of,
    path_of,
)
from autograd_lint.project.query import query

# Who loads the weights of its objects, or freezes them, uses what has been trained before.
_FINISHED = re.compile(
    r"^_*load|^eval$|pretrained|requires_grad|fr[eo]e?ze|teacher|^ema$|Ema\b|EMA", re.ASCII
)
_USING = re.compile(r"generate|sample|predict|infer|eval|trans(?:cribe|late)")
_PREPARING = re.compile(r"_*(?:init|reset|build|setup|create|make|extra_repr|load|save|get_|flops)")


@query
def is_trained_by_calls(cls: ast.ClassDef) -> bool:
    """Whether nothing in a class says that its objects are not to be trained, or by results of
    other methods than `forward`."""
    return not any(map(_FINISHED.search, _names(cls))) and not _computing_methods(cls)


def _names(cls: ast.ClassDef) -> set[str]:
    """The names in a class: its own, those of what it asks objects for and calls, and of what its
    constructor takes."""
    called = {path_of(one.node.func) for one in body(cls).calls}
    making = method_of(cls, "__init__")
    given = parameters_of(making) if making is not None else []
    return {cls.name, *body(cls).asked, *called, *given}


def _computing_methods(cls: ast.ClassDef) -> list[str]:
    """The methods that compute a result of what `forward` computes with, and are not called by
    it: those that use a trained module aside."""
    forward = method_of(cls, "forward")
    if forward is None:
        return []
    used, own = _called_parts(cls, forward), _helpers(cls, forward)
    others = [one for one in methods_of(cls) if one.name not in own and body(one).results]
    others = [one for one in others if not (_USING.match(one.name) or _PREPARING.match(one.name))]
    return [one.name for one in others if _called_parts(cls, one) & used]


def _helpers(cls: ast.ClassDef, method: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """The names of a method and of those that it calls, and they in turn."""
    names, waiting = {method.name}, [method]
    while waiting:
        called = called_of("self", waiting.pop()) - names
        found = [one for name in called if (one := method_of(cls, name)) is not None]
        names |= {one.name for one in found}
        waiting += found
    return names


def _called_parts(
    cls: ast.ClassDef, method: ast.FunctionDef | ast.AsyncFunctionDef
) -> frozenset[str]:
    """The attributes of its object that a method reads, itself or by what it calls."""
    helpers = (method_of(cls, name) for name in _helpers(cls, method))
    asked = (body(one).asked for one in helpers if one is not None)
    return frozenset().union(*asked) - {one.name for one in methods_of(cls)}
