"""Two names for one memory: what was to be kept as it is, and is overwritten by the other name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from autograd_lint.checkers.noting import note
from autograd_lint.checkers.state import Alias
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Created, Modified, Needed
from autograd_lint.engine.operate import Operation
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Storage, Tensor
from autograd_lint.places import Place
from autograd_lint.vm.machine import Frame, Interpreter
from autograd_lint.vm.values import Items, Value

ARGUMENT = "argument"
MOST = 8  # aliases of one memory that are kept in mind
JOINING = {"cat", "concat", "concatenate", "stack", "hstack", "vstack"}  # make one of several
# What is zero where its input is negative, and what changes nothing but negative values.
RECTIFIED = {"relu", "relu_", "ReLU", "relu6", "ReLU6"}
RECTIFYING = {"relu", "ReLU", "leaky_relu", "LeakyReLU", "elu", "ELU", "celu", "CELU"}
WANTED = frozenset({Assumption(Kind.WANTED_BY_CALLER, weight=0)})


def _memory(storage: Storage) -> int:
    """What is the same for all storages that stand for one memory."""
    return id(storage.twins[0] if storage.twins else storage)


def taken(interp: Interpreter, source: Tensor, alias: Tensor, made: Created) -> None:
    """`alias` was taken from `source` without its graph (`detach()`, `.data`)."""
    node = source.node
    plain = node is not None and not (node.opaque and not node.edges)
    known = interp.watch.aliases.known.setdefault(_memory(alias.storage), [])
    known.append(Alias(alias, made, plain, source=source))
    del known[:-MOST]


def wrote(interp: Interpreter, tensor: Tensor, event: Modified) -> None:
    """The memory of `tensor` was written: what shares it is no longer what it was."""
    aliases = interp.watch.aliases
    known = aliases.known.get(_memory(tensor.storage)) or []
    part = next((alias.part for alias in known if alias.tensor is tensor), None)
    line = list(_line(known, tensor))
    for alias in known:
        own = any(one is alias.tensor for one in line)
        # Two parts of one memory need not overlap.
        apart = part is not None and alias.part is not None and part is not alias.part
        if own:
            aliases.stale.pop(id(alias.tensor), None)
        elif alias.overwritten is None and not apart:
            alias.overwritten = event
            aliases.stale[id(alias.tensor)] = alias


def _line(known: list[Alias], tensor: Tensor) -> Iterator[Tensor]:
    """A tensor, the base that it is a view of, what they were taken from, and so on."""
    stack: list[Tensor | None] = [tensor]
    while stack:
        one = stack.pop()
        if one is not None:
            yield one
            stack += [
                one.base,
                *(
                    alias.source
                    for alias in known
                    if alias.tensor is one and alias.source is not one
                ),
            ]


def wrote_all(interp: Interpreter, operation: Operation) -> None:
    """An operator has written in place."""
    # `out=` says as plainly what is written as the name of an operator does.
    plain = operation.operator.endswith("_") or bool(operation.at("out"))
    hidden = not plain and operation.operator != "setitem"
    for tensor in operation.at_all(operation.form.modifies):
        if not tensor.storage.writes:
            continue
        event = tensor.storage.writes[-1].event
        if interp.watch.aliases.known:
            wrote(interp, tensor, event)
        if hidden and tensor is operation.arguments.get("0") and interp.frame.function is not None:
            lend(interp, tensor)


def lend(interp: Interpreter, tensor: Tensor) -> None:
    """A function has written a tensor in a way that looks as if it made a new one."""
    if tensor.storage.writes:
        event = tensor.storage.writes[-1].event
        interp.watch.aliases.lent.append((tensor, event, interp.frame))


def returned(interp: Interpreter, frame: Frame, arguments: list[Value], result: Value) -> None:
    """A function is left in which tensors were written that it may have been given."""
    aliases = interp.watch.aliases
    own = [(tensor, event) for tensor, event, where in aliases.lent if where is frame]
    aliases.lent = [entry for entry in aliases.lent if entry[2] is not frame]
    if result is None:
        return  # It was called for what it writes.
    for tensor, event in own:
        if any(argument is tensor for argument in arguments) and not _is_meant(
            interp, frame, event
        ):
            overwritten(interp, tensor, event, result)


def _is_meant(interp: Interpreter, frame: Frame, event: Modified) -> bool:
    """Whether a caller has done the very same, by the same code: it is to be done to both."""
    code = _code(frame, event)
    others = interp.watch.aliases.lent
    return any(_code(where, other) == code for _, other, where in others if other != event)


def _code(frame: Frame, event: Modified) -> list[str]:
    """The lines of a function that write, without their indentation."""
    place, function = event.place, frame.function
    if place is None or function is None or place.filename != function.source.filename:
        return []
    _ = function.node  # its code is looked at
    rows = function.source.lines[place.row - 1 : place.end_row]
    return [row.strip() for row in rows]


def overwritten(interp: Interpreter, tensor: Tensor, event: Modified, result: Value) -> None:
    """What was called with `tensor` has written it and returns something else."""
    results = result.items if isinstance(result, Items) else [result]
    if any(value is tensor for value in results) or event.place is None:
        return
    made = Created(event.place, ARGUMENT)
    interp.watch.aliases.stale[id(tensor)] = Alias(tensor, made, True, event)


def named(interp: Interpreter, value: Value) -> None:
    """A name is given to a value: to the gradient that was just read?"""
    aliases = interp.watch.aliases
    last = value.items[-1] if isinstance(value, Items) and value.items else value
    gradient, aliases.gradient = aliases.gradient, None
    if last is not gradient or gradient is None:
        return
    for tensor in value.items if isinstance(value, Items) else [value]:
        if isinstance(tensor, Tensor) and tensor.made is not None:
            seen = len(tensor.storage.writes)
            aliases.stale[id(tensor)] = Alias(tensor, tensor.made, True, None, seen)


def gradient_read(interp: Interpreter, gradient: Tensor | None, place: Place) -> None:
    """`.grad` is read: whoever asks anew wants what is in it now."""
    aliases = interp.watch.aliases
    aliases.gradient = gradient
    if gradient is not None:
        aliases.stale.pop(id(gradient), None)
        gradient.made = Created(place, ".grad")


def used(interp: Interpreter, operation: Operation, results: list[Tensor]) -> None:
    """An operator was given something that was overwritten by another name."""
    stale = interp.watch.aliases.stale
    tensors = operation.tensors()
    for tensor in tensors:
        alias = stale.get(id(tensor))
        if alias is None or alias.tensor is not tensor:
            continue
        if any(tensor is target for target in operation.at("out")):
            del stale[id(tensor)]  # it is written without being read
            continue
        if alias.made.operator != ARGUMENT and tensor in operation.at_all(operation.form.modifies):
            del stale[id(tensor)]
            continue
        event = alias.overwritten or _accumulated(alias)
        if alias.made.operator == ARGUMENT and _is_all_the_same(alias, operation):
            if tensor in operation.at_all(operation.form.modifies):
                del stale[id(tensor)]
        elif alias.made.operator == ARGUMENT and operation.operator in JOINING:
            stale.update({id(result): replace(alias, tensor=result) for result in results})
        elif event is not None and (alias.plain or _compared(alias, tensors)):
            _note(interp, alias, event, operation.place)


def _is_all_the_same(alias: Alias, operation: Operation) -> bool:
    """Whether an operator makes the same of a tensor as of what it was before it was written."""
    written = alias.overwritten is not None and alias.overwritten.operator in RECTIFYING
    return written and operation.operator in RECTIFIED


def _accumulated(alias: Alias) -> Modified | None:
    """The backward that added to a gradient since it was given a name, if nothing cleared it."""
    writes = alias.tensor.storage.writes[alias.seen :]
    added = writes and all(write.event.operator == "backward" for write in writes)
    return writes[0].event if added else None


def _compared(alias: Alias, tensors: list[Tensor]) -> bool:
    """Whether an alias meets what it was taken from, as if the two could differ."""
    memory = _memory(alias.tensor.storage)
    others = [t for t in tensors if t is not alias.tensor and t.base is not alias.tensor]
    return any(_memory(other.storage) == memory for other in others)


def _note(interp: Interpreter, alias: Alias, event: Modified, place: Place | None) -> None:
    argument = alias.made.operator == ARGUMENT
    note(
        interp,
        Pitfall.ARGUMENT_OVERWRITTEN if argument else Pitfall.SNAPSHOT_OVERWRITTEN,
        event.place,
        tensor=alias.tensor.name,
        operator=event.operator if argument else alias.made.operator,
        built=None if argument else alias.made,
        modified=event,
        needed=Needed(place, "use"),
        assumptions=WANTED if argument else frozenset(),
    )
