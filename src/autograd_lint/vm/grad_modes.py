"""What Python's own constructs do to grad mode, and what is computed while it is off."""

from __future__ import annotations

import ast
from contextlib import AbstractContextManager, nullcontext

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Created
from autograd_lint.engine.graph import Node
from autograd_lint.engine.graph_breaks import GraphBreak, GraphBreaks
from autograd_lint.project.code import code_of
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Items, Unknown, Value


def note_unrecorded(interp: Interpreter, result: Unknown, node: ast.Call) -> None:
    """Unknown code has returned `result` while grad mode was off: it has no graph as a rule."""
    if interp.engine.switch is None or result.graph_breaks or result.source is not None:
        return
    name = interp.text(node).partition("(")[0]
    source = Node(name, interp.place(node), interp.engine.clock, frozenset(), opaque=True)
    result.graph_breaks = unrecorded(interp, source)


def unrecorded(interp: Interpreter, source: Node) -> GraphBreaks:
    """The graph that unknown code would have built, had grad mode been on; none in a custom
    Function, whose results get another one."""
    switch = interp.engine.switch
    if switch is None or in_custom_function(interp):
        return ()
    because = source.requires | {Assumption(Kind.GRAD_MODE_KEPT, source.operator, weight=0)}
    event = Created(source.place, source.operator)
    return (GraphBreak(event, source, because, switch, supposed=True),)


def in_custom_function(interp: Interpreter) -> bool:
    """Whether a custom Function runs, whose results get the graph that it makes itself."""
    owners = [frame.function.owner for frame in interp.frames if frame.function is not None]
    return any(owner and "torch.autograd.Function" in owner.external_bases() for owner in owners)


def suspended_mode(interp: Interpreter, node: ast.AST) -> Created | None:
    """Where a generator hands out its grad mode, if it does so by a `with` around a `yield`."""
    frame = interp.frame
    if frame.switched is None or frame.function is None or interp.engine.grad_enabled:
        return None
    decorators = getattr(frame.function.node, "decorator_list", [])
    if any("context" in code_of(d) or "fixture" in code_of(d) for d in decorators):
        return None
    return Created(interp.place(node), frame.switched.operator)


def handed_out(interp: Interpreter, sequence: Value, node: ast.AST) -> AbstractContextManager[None]:
    """The grad mode in which a loop over a generator runs: that in which it is suspended.

    A loop that trains is run as if that had been mended: it is told of the loop itself.
    """
    leak = sequence.leaks if isinstance(sequence, Items) else None
    if leak is None or not interp.engine.grad_enabled:
        return nullcontext()
    if interp.world.relevance.trains_in(interp.source, node):
        return nullcontext()
    return interp.engine.mode(grad=False, switch=leak)
