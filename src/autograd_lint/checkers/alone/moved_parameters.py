"""Parameters that are moved to a device as they are assigned: the result is no parameter.

self.scale = nn.Parameter(torch.ones(d)).to(device)    # on a GPU a tensor with a graph

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.parameter.Parameter.html: only a
`Parameter` that is assigned as an attribute is registered
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.facts.body import body, method_of
from autograd_lint.facts.class_kinds import is_module
from autograd_lint.facts.imported_paths import path_in
from autograd_lint.project.source import Source

_PARAMETER = ("torch.nn.Parameter", "torch.nn.parameter.Parameter")


def judge(source: Source) -> Iterator[Fault]:
    """What the constructor of a module assigns to its attributes."""
    for cls in source.each(ast.ClassDef):
        making = method_of(cls, "__init__") if is_module(cls) else None
        for bound in body(making).assigned() if making is not None else ():
            own = bound.path.startswith("self.") and bound.is_whole
            if own and _is_moved(source, bound.value):
                place = source.place(bound.target)
                yield Fault(Pitfall.UNREGISTERED, place, tensor=bound.path, operator="tensor")


def _is_moved(source: Source, value: ast.expr) -> bool:
    """Whether a new parameter is moved to a GPU, or to a device that is not known."""
    called = value.func if isinstance(value, ast.Call) else None
    if not isinstance(value, ast.Call) or not isinstance(called, ast.Attribute):
        return False
    if not _is_made_elsewhere(source, called.value):
        return False
    if called.attr == "to" and len(value.args) == 1:
        return _speaks_of_device(value.args[0])
    return called.attr == "cuda"


def _is_made_elsewhere(source: Source, made: ast.expr) -> bool:
    """Whether it makes a parameter of what torch makes where tensors are made by default."""
    if not isinstance(made, ast.Call) or path_in(source, made.func) not in _PARAMETER:
        return False
    if any(one.arg == "requires_grad" for one in made.keywords):
        return False  # a constant, most likely: nothing is lost with it
    data = made.args[0] if made.args else None
    text = ast.unparse(data) if data is not None else ""
    return "torch." in text and ".to(" not in text and not _speaks_of_device(made)


def _speaks_of_device(code: ast.expr) -> bool:
    text = ast.unparse(code).lower()
    return any(word in text for word in ("device", "cuda", "gpu"))
