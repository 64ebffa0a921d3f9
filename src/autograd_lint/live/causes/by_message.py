"""Errors that name what they are about: a node, an operator, a checkpoint, a line."""

import re
from collections.abc import Iterator
from dataclasses import replace
from types import FunctionType

from autograd_lint.engine.events import Noted, noted_at
from autograd_lint.engine.faults import Fault
from autograd_lint.live import graph
from autograd_lint.live.bindings import changes_of
from autograd_lint.live.definitions import definition, result
from autograd_lint.live.failure import Failure, created
from autograd_lint.live.private import custom_operator
from autograd_lint.live.reading import attributes, is_a
from autograd_lint.live.record import Record
from autograd_lint.live.source import line
from autograd_lint.live.surroundings import captured, functions_in

_NODE = re.compile(r"Function '(\w+)' returned nan")
_OPERATOR = re.compile(r"backward through (\w+)\.(\w+)\.")
_COMPILED = re.compile(
    r'from user code:\s+File "([^"]+)", line (\d+)(?:.*File "([^"]+)", line (\d+))?', re.S
)
_RECOMPUTED = "torch.utils.checkpoint:"
_REENTRANT = "When use_reentrant=True"
_CHECKPOINT = "CheckpointFunctionBackward"


def of_node(failure: Failure, record: Record) -> Fault | None:
    """The operator whose node the message speaks of: NaNs in backward, a checkpoint."""
    named = _NODE.search(failure.message)
    name = named[1] if named else _CHECKPOINT
    if named is None and _REENTRANT not in failure.message:
        return None
    nodes = [node for node in failure.nodes() if graph.name_of(node).endswith(name)]
    node = max(nodes, key=lambda node: graph.sequence_of(node) or -1, default=None)
    return replace(failure.fault, built=created(node, record)) if node is not None else None


def of_reentrant(failure: Failure, record: Record) -> Fault | None:
    """Parameters that several reentrant checkpoints share: each of those checkpoints."""
    if "marked as ready twice" not in failure.message:
        return None
    # The call of backward inside of a checkpoint raises, where that is at hand as a context.
    held = [value for _, value in failure.around.values() if graph.runs_program(value)]
    nodes = [node for node in graph.nodes_below(held) if graph.name_of(node).endswith(_CHECKPOINT)]
    nodes.sort(key=lambda node: graph.sequence_of(node) or -1)
    made = (created(node, record) for node in nodes)
    places = dict.fromkeys(one.place for one in made if one is not None and one.place)
    return replace(failure.fault, noted=tuple(Noted(place, "checkpointed") for place in places))


def of_operator(failure: Failure, record: Record) -> Fault | None:
    """A custom operator: where the program defines it."""
    named = _OPERATOR.search(failure.message)
    if named is not None:
        place = definition(custom_operator(f"{named[1]}::{named[2]}"))
    elif "custom operator" in failure.message:
        place = next((result(one) for one in _operators(failure)), None)
    else:
        return None
    return replace(failure.fault, noted=noted_at(place, "the operator is defined here"))


def _operators(failure: Failure) -> list[FunctionType]:
    held = [attributes(value).get("_init_fn") for _, value in failure.around.values()]
    functions = [one for one in held if is_a(one, FunctionType)]
    return functions or list(failure.around.callables())


def of_recomputation(failure: Failure, record: Record) -> Fault | None:
    """A checkpoint whose second run differs: what the function reads and the program changes."""
    if _RECOMPUTED not in failure.message:
        return None
    found = []
    for function in _recomputed(failure):
        code, filename = function.__code__, function.__code__.co_filename
        held = [f"{one}.{name}" for one in code.co_varnames[:1] for name in code.co_names]
        for name in (*code.co_names, *code.co_freevars, *held):
            found += [Noted(place, f"`{name}` changes") for place in changes_of(name, filename)]
    return replace(failure.fault, noted=tuple(dict.fromkeys(found)))


def _recomputed(failure: Failure) -> Iterator[FunctionType]:
    """The checkpointed function: a variable of what torch's frames recompute with."""
    for _, value in failure.around.values():
        recompute = attributes(value).get("recompute_fn")
        if is_a(recompute, FunctionType):
            found = (function for one in captured(recompute) for function in functions_in(one))
            yield from (function for function in found if failure.around.is_user(function))


def user_code(failure: Failure) -> Noted | None:
    """The line of a compiled function that the compiler's message names, the innermost one."""
    found = _COMPILED.search(failure.message)
    if found is None:
        return None
    filename, row = (found[3], found[4]) if found[3] else (found[1], found[2])
    return Noted(line(filename, int(row)), "in the compiled function")
