"""Functions that a function defines and hands to code which is not known.

`def step(engine, batch): ... loss.backward()` inside of a function that returns `step`, or gives it
to a framework: whoever has it calls it for batch after batch. What writes to tensors is called
once, as a function of the module that nobody calls is.
"""

from __future__ import annotations

import ast
from contextlib import suppress

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.machine import EngineError
from autograd_lint.facts.effects import effects_in
from autograd_lint.facts.relevance import definitions
from autograd_lint.facts.tensor_writes import writes
from autograd_lint.libraries.framework_hooks import is_hook
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.scenarios.infer_arguments import infer_arguments
from autograd_lint.scenarios.method_harnesses import finish
from autograd_lint.scenarios.unknown_calls import unknown_call
from autograd_lint.vm.calls import call_function, is_generator
from autograd_lint.vm.control import ProgramRaises
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Function

CALLS = 3


def run_closures(interp: Interpreter) -> None:
    """Call what was defined by now, and what that defines, where nothing has called it."""
    seen: set[ast.AST] = set()
    while waiting := [node for node in interp.record.closures if node not in seen]:
        seen.update(waiting)
        for node in waiting:
            function = interp.record.closures[node]
            if node not in interp.record.reached.entered and function.source is interp.world.source:
                with suppress(ProgramRaises, EngineError):
                    _run(interp, function)


def _run(interp: Interpreter, function: Function) -> None:
    if is_generator(function.node):
        return
    if effects_in(function.source, function.node).differentiates:
        _repeat(interp, function)
    elif function.query(writes) or _is_hook(function):
        interp.engine.told.clear()
        call = unknown_call(function.node, function, bound=False)
        infer_arguments(interp, call, function)
        with interp.engine.mode(grad=True):
            finish(interp, function, call_function(interp, function, call))


def _is_hook(function: Function) -> bool:
    """Whether it is named like a step of the class it stands in: to be one of its methods."""
    return function.owner is not None and is_hook(function.owner, function.name)


def _repeat(interp: Interpreter, function: Function) -> None:
    interp.engine.told.clear()
    times = (Kind.CALLED, Kind.CALLED_AGAIN_AND_AGAIN)
    for count in range(1 if _cleared_elsewhere(interp, function) else CALLS):
        call = unknown_call(function.node, function, bound=False)
        infer_arguments(interp, call, function)
        called = Assumption(times[min(count, 1)], function.name, weight=0)
        with interp.engine.supposing(called), interp.engine.mode(grad=True):
            call_function(interp, function, call)


def _cleared_elsewhere(interp: Interpreter, function: Function) -> bool:
    """Whether what stands around a step clears gradients, perhaps between two steps."""
    if effects_in(function.source, function.node).cleared:
        return False
    row = function.node.lineno
    around = [
        node
        for node in definitions(function.source.tree.body)
        if node.lineno <= row <= (node.end_lineno or row)
    ]
    clearing = interp.query(function.source, _clearing)
    return any(node.name in clearing for node in around)


@query
def _clearing(source: Source) -> frozenset[str]:
    """The definitions of a module in which gradients are cleared."""
    nodes = definitions(source.tree.body)
    return frozenset(node.name for node in nodes if effects_in(source, node).cleared)
