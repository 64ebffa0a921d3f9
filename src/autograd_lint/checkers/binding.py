"""Where the attributes of modules and of contexts were bound."""

from __future__ import annotations

import ast

from autograd_lint.checkers.state import Bound
from autograd_lint.engine.graph import Node
from autograd_lint.places import Place
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance


def binds(interp: Interpreter, owner: Instance, name: str, node: ast.AST) -> None:
    """An attribute of an object is bound by `node`."""
    interp.watch.bound[id(owner), name] = Bound(interp.place(node), interp.engine.clock)


def bound_at(interp: Interpreter, owner: Instance, name: str) -> Place | None:
    """Where an attribute was bound last; None where that was not seen."""
    found = interp.watch.bound.get((id(owner), name))
    return found.place if found is not None else None


def kept_at(interp: Interpreter, owner: Instance, name: str, node: Node) -> Place | None:
    """Where an attribute came to hold what a graph node has computed: where it was bound to it, or
    where the node wrote to what it had been bound to."""
    found = interp.watch.bound.get((id(owner), name))
    return found.place if found is not None and found.moment >= node.sequence else node.place
