"""In-place writes to tensors of a graph: of those that are observed, and without a derivative."""

from __future__ import annotations

from autograd_lint.checkers import aliases, targets
from autograd_lint.checkers.noting import note
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.events import Created, Needed
from autograd_lint.engine.operate import UNCHECKED, Operation
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.places import Place
from autograd_lint.vm.machine import Interpreter

# In-place forms that give a gradient of zero, or leave the old history as if nothing had happened.
FLAT = {"gt_", "ge_", "lt_", "le_", "eq_", "ne_", "greater_", "less_", "not_equal_", *UNCHECKED}


def observed(interp: Interpreter, tensor: Tensor, operator: str, place: Place) -> None:
    """A hook is put on a tensor that some operator made, or it is to keep its gradient."""
    if tensor.node is not None and not tensor.node.opaque:
        interp.watch.observed[id(tensor)] = (tensor, Created(place, operator))


# Writes that change the derivative of what comes after them; additions and fills do not.
BENDING = {"clamp_", "clip_", "clamp_min_", "clamp_max_", "mul_", "div_", "pow_", "neg_", "abs_"}
BENDING |= {"relu_", "exp_", "log_", "sqrt_", "square_", "sigmoid_", "tanh_", "reciprocal_"}


def ran(interp: Interpreter, operation: Operation) -> None:
    """An operator has written some of its arguments in place."""
    aliases.wrote_all(interp, operation)
    if operation.operator == "copy_":
        copy, original = operation.arguments.get("0"), operation.arguments.get("1")
        if isinstance(copy, Tensor) and isinstance(original, Tensor) and not in_step(interp):
            targets.filled(interp, copy, original)
    if interp.watch.observed and interp.engine.recording:
        _judge_observed(interp, operation)
    if operation.operator in BENDING:
        _remember_unrecorded(interp, operation)
    if operation.operator in FLAT and interp.engine.recording:
        for tensor in operation.at_all(operation.form.modifies):
            if tensor.node is not None and tensor.storage.writes:
                event = tensor.storage.writes[-1].event
                interp.watch.underived.append((tensor.node, tensor, event))


def in_step(interp: Interpreter) -> bool:
    """Whether an optimizer of the program is at work: it writes back what it has computed."""
    from autograd_lint.libraries.torch.optimizers import is_optimizer

    return any(is_optimizer(frame.receiver) for frame in interp.frames)


def in_forward(interp: Interpreter) -> bool:
    """Whether the `forward` of some module is at work."""
    functions = (frame.function for frame in interp.frames)
    return any(one is not None and one.name == "forward" for one in functions)


def _remember_unrecorded(interp: Interpreter, operation: Operation) -> None:
    """A value in the middle of a graph is changed where autograd does not record it."""
    tensor = operation.arguments.get("0")
    if not isinstance(tensor, Tensor):
        return
    quiet = interp.engine.switch and not interp.engine.recording
    # Only what `.data` gives itself, and views of it, is on the memory of the value.
    hidden = [one.source for one in tensor.severed if one.event.operator == ".data"]
    behind = hidden if tensor.storage.twins else []
    sources = [tensor.node] if quiet and tensor.node is not None else behind
    source = next((node for node in sources if node.leaf is None and not node.opaque), None)
    if source is None:
        return
    write = tensor.storage.writes[-1] if tensor.storage.writes else None
    if write is not None and write.event.place is not None:
        interp.watch.unrecorded.append((source, interp.engine.tick(), write))


def _judge_unrecorded(interp: Interpreter, walk: Pass) -> None:
    for source, clock, write in interp.watch.unrecorded:
        if any(node.sequence > clock and source in node.edges for node in walk.order):
            interp.watch.bent.append((source, write))


def finished(interp: Interpreter) -> None:
    """The run is over: which changes that were not recorded were not told otherwise?"""
    told = {fault.modified.place for fault in interp.engine.faults if fault.modified is not None}
    for source, write in interp.watch.bent:
        event = write.event
        if event.place not in told:
            note(
                interp,
                Pitfall.UNRECORDED_CHANGE,
                event.place,
                tensor=event.tensor,
                operator=event.operator,
                built=source.created,
                assumptions=source.requires | write.changing,
            )


def _judge_observed(interp: Interpreter, operation: Operation) -> None:
    for tensor in operation.at_all(operation.form.modifies):
        seen = interp.watch.observed.pop(id(tensor), None)
        if seen is not None and seen[0] is tensor and tensor.requires_grad is not None:
            note(
                interp,
                Pitfall.OBSERVED_MODIFIED,
                operation.place,
                tensor=operation.label or tensor.name,
                operator=seen[1].operator,
                built=seen[1],
                assumptions=tensor.requires_grad,
            )


def passed(interp: Interpreter, walk: Pass) -> None:
    """A backward begins: does it go through values that were overwritten without a derivative?"""
    if interp.watch.unrecorded:
        _judge_unrecorded(interp, walk)
    if not interp.watch.underived or walk.call.place is None:
        return
    walked = {id(node) for node in walk.order}
    for node, tensor, event in interp.watch.underived:
        if id(node) in walked:
            note(
                interp,
                Pitfall.WRITE_WITHOUT_DERIVATIVE,
                event.place,
                tensor=event.tensor or tensor.name,
                operator=event.operator,
                needed=Needed(walk.call.place, walk.call.name),
                assumptions=node.requires,
            )
