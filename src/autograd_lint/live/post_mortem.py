"""What went wrong, read from the graph that is still alive when the engine has raised."""

import re
from dataclasses import dataclass
from typing import Any

from autograd_lint.engine.events import Created, Freed, Modified, Needed, Saved
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.live import graph
from autograd_lint.live.naming import name_at
from autograd_lint.live.private import storage_id
from autograd_lint.live.record import Birth, Call, Origin, Record, Write
from autograd_lint.live.sites import Site, last_return
from autograd_lint.places import Place

_VERSIONS = re.compile(r"is at version (\d+); expected version (\d+)")
_SHAPE = re.compile(r"\[\w+(?:\.\w+)* \[([\d, ]*)\]\]")


@dataclass(frozen=True, slots=True)
class Failure:
    """An exception of the engine: `raised` is the innermost line of the user's, `call` the call."""

    kind: FaultKind
    message: str
    name: str
    raised: Site | None
    call: Site | None
    outputs: Any

    @property
    def place(self) -> Place | None:
        return place_of(self.raised)

    @property
    def needed(self) -> Needed:
        return Needed(place_of(self.call), self.name)


def explain(failure: Failure, record: Record) -> Fault:
    """The fault behind a failure of the engine, with every event that is known."""
    if failure.kind is FaultKind.SAVED_TENSOR_MODIFIED:
        return _modified(failure, record)
    if failure.kind is FaultKind.GRAPH_FREED:
        return _freed(failure, record)
    if failure.kind is FaultKind.NO_GRAD_ROOT:
        return _without_grad(failure, record)
    if failure.kind is FaultKind.CUSTOM_FUNCTION:
        return _broken_function(failure)
    return Fault(failure.kind, failure.place, detail=failure.message, needed=failure.needed)


def place_of(site: Site | None) -> Place | None:
    """The place of a site that may be unknown."""
    return None if site is None else site.place


def birth_of(node: Any, record: Record) -> Birth | None:
    """The operator that made a node: that of its dispatch, or the one before if only that fits."""
    number = graph.sequence_of(node)
    pair = None if number is None else record.births.get(number)
    if pair is None:
        return None
    birth, previous = pair
    operator = graph.operator_of(node)
    if previous is not None and not _fits(birth, operator) and _fits(previous, operator):
        return previous
    return birth


def _fits(birth: Birth, operator: str) -> bool:
    plain = birth.operator.strip("_").removeprefix("native_").removeprefix("convolution_")
    return plain.startswith(operator) or operator.startswith(plain)


# -- a saved tensor was modified --------------------------------------------------------------


def _modified(failure: Failure, record: Record) -> Fault:
    versions = _VERSIONS.search(failure.message)
    now, expected = (int(versions[1]), int(versions[2])) if versions else (0, 0)
    detached = "detached in-place" in failure.message
    found = _detached(failure, record) if detached else _complaining(failure)
    if found is None:
        return _modified_unseen(failure, record, expected)
    node, attribute = found
    birth = birth_of(node, record)
    number = graph.sequence_of(node) or 0
    tensor = _slot_tensor(node, attribute)
    writes = writes_after(number, tensor, record)
    if detached:
        writes = [write for write in writes if write.operator == "detach_"]
    write = _culprit(writes, expected)
    name = name_at(write.site if write else None)
    saved = Saved(
        place_of(birth.site if birth else None),
        graph.operator_of(node),
        name,
        "result" if attribute.startswith(("result", "output")) else "input",
        expected,
    )
    modified = modified_by(write, now) if write else _by_backward(number, now, record)
    return Fault(
        failure.kind,
        failure.place,
        tensor=name,
        operator=graph.operator_of(node),
        detail=failure.message,
        saved=saved,
        modified=modified,
        needed=failure.needed,
    )


def _complaining(failure: Failure) -> tuple[Any, str] | None:
    """The youngest node whose check raises the failure's message: the engine runs it first."""
    nodes = graph.nodes_below(graph.roots_of(failure.outputs))
    for node in sorted(nodes, key=lambda node: graph.sequence_of(node) or -1, reverse=True):
        for attribute, message in graph.complaints(node):
            if graph.same_message(message, failure.message):
                return node, attribute
    return None


def _detached(failure: Failure, record: Record) -> tuple[Any, str] | None:
    """The node that saved what `detach_` was called on; reading a saved tensor does not tell."""
    for node in graph.nodes_below(graph.roots_of(failure.outputs)):
        number = graph.sequence_of(node)
        for slot in graph.slots_of(node) if number is not None else ():
            writes = writes_after(number or 0, slot.tensor, record)
            if any(write.operator == "detach_" for write in writes):
                return node, slot.attribute
    return None


def _slot_tensor(node: Any, attribute: str) -> Any:
    candidates = [slot.tensor for slot in graph.slots_of(node) if slot.attribute == attribute]
    return next((tensor for tensor in candidates if tensor is not None), None)


def writes_after(number: int, tensor: Any, record: Record) -> list[Write]:
    """The writes to a tensor's elements, or its storage's, since the node `number` was made."""
    if tensor is None:
        return []
    storage = storage_id(tensor)
    known = record.writes.get(storage, ()) if storage is not None else ()
    return [write for write in known if write.sequence > number and write.own != number]


def _culprit(writes: list[Write], expected: int) -> Write | None:
    """The first write that the version check sees."""
    counted = [write for write in writes if write.bumped]
    exact = [write for write in counted if write.version == expected]
    return next(iter([*exact, *counted, *writes]), None)


def modified_by(write: Write, now: int) -> Modified:
    """The event of a write; `now` is the version where the write's own is not known."""
    before = write.version
    after = now if before is None else before + 1 if write.bumped else before
    optimizer = write.site.optimizer if write.site else None
    return Modified(
        place_of(write.site),
        optimizer or write.operator,
        name_at(write.site),
        after,
        by_optimizer=optimizer is not None,
        bumped=write.bumped,
    )


def _by_backward(number: int, now: int, record: Record) -> Modified | None:
    """Writes inside of backward are not observed: it adds to `.grad` in place."""
    later = [call for call in record.backwards if call.sequence > number]
    return Modified(place_of(later[0].site), later[0].name, None, now) if later else None


def _modified_unseen(failure: Failure, record: Record, expected: int) -> Fault:
    """The node is out of reach, below a write to a view: shape and version tell the write."""
    write = None
    shape = _SHAPE.search(failure.message)
    if shape is not None:
        wanted = tuple(int(size) for size in shape[1].split(",") if size.strip())
        write = _by_shape(record, wanted, expected)
    return Fault(
        failure.kind,
        failure.place,
        tensor=name_at(write.site) if write else None,
        detail=failure.message,
        modified=modified_by(write, expected + 1) if write else None,
        needed=failure.needed,
    )


def _by_shape(record: Record, shape: tuple[int, ...], expected: int) -> Write | None:
    fitting = [
        write
        for writes in record.writes.values()
        if any(write.shape == shape for write in writes)
        for write in writes
        if write.bumped and write.version is not None and write.version >= expected
    ]
    exact = [write for write in fitting if write.version == expected]
    return max(exact or fitting, key=lambda write: write.sequence, default=None)


# -- the graph was freed ----------------------------------------------------------------------


def _freed(failure: Failure, record: Record) -> Fault:
    nodes = graph.nodes_below(graph.roots_of(failure.outputs))
    gone = [node for node in nodes if any(graph.says_freed(m) for _, m in graph.complaints(node))]
    earlier = [(node, call) for node in gone if (call := _freeing_call(node, record)) is not None]
    node, call = max(
        earlier, key=lambda pair: graph.sequence_of(pair[0]) or -1, default=(None, None)
    )
    birth = birth_of(node, record) if node is not None else None
    joining = _joining(nodes, gone, record)
    return Fault(
        failure.kind,
        failure.place,
        tensor=None,
        operator=graph.operator_of(node) if node is not None else "",
        detail=failure.message,
        built=_created(birth, node),
        freed=Freed(place_of(call.site), call.name) if call else None,
        needed=failure.needed,
        carried=joining is not None,
    )


def _created(birth: Birth | None, node: Any) -> Created | None:
    if node is None:
        return None
    return Created(place_of(birth.site if birth else None), graph.operator_of(node))


def _freeing_call(node: Any, record: Record) -> Call | None:
    number = graph.sequence_of(node)
    return next((call for call in reversed(record.calls) if number in call.nodes), None)


def _joining(nodes: list[Any], gone: list[Any], record: Record) -> Birth | None:
    """The operator of the new graph whose node leads into a freed one."""
    lost = set(gone)
    for node in sorted(nodes, key=lambda node: graph.sequence_of(node) or -1):
        if node in lost or _freeing_call(node, record) is not None:
            continue
        if any(edge[0] in lost or _freeing_call(edge[0], record) for edge in _edges(node)):
            return birth_of(node, record)
    return None


def _edges(node: Any) -> list[Any]:
    return [edge for edge in node.next_functions if edge[0] is not None]


# -- a root without a graph -------------------------------------------------------------------


def _without_grad(failure: Failure, record: Record) -> Fault:
    origin = _origin(failure, record)
    cut = origin.cut if origin and origin.cut else origin
    return Fault(
        failure.kind,
        failure.place,
        tensor=name_at(failure.call),
        operator=cut.operator if cut else "",
        detail=_why(cut),
        built=Created(place_of(cut.site), cut.operator) if cut else None,
        needed=failure.needed,
    )


def _origin(failure: Failure, record: Record) -> Origin | None:
    outputs = failure.outputs if isinstance(failure.outputs, (list, tuple)) else (failure.outputs,)
    for output in outputs:
        if getattr(output, "requires_grad", True):
            continue
        storage = storage_id(output)
        known = record.origins.get(storage) if storage is not None else None
        if known is not None and (known.cut or not record.numbers):
            return known
        return record.numbers[-1] if record.numbers else known
    return None


def _why(cut: Origin | None) -> str:
    if cut is None or not cut.requires:
        return ""
    if not cut.grad_enabled:
        return "grad mode was off"
    return f"`{cut.operator}` leaves the graph"


# -- a custom Function ------------------------------------------------------------------------


def _broken_function(failure: Failure) -> Fault:
    """The Function that the message names, else the youngest; its `backward` is at fault."""
    nodes = graph.nodes_below(graph.roots_of(failure.outputs))
    own = [node for node in nodes if hasattr(node, "_forward_cls")]
    named = [node for node in own if node.name() in failure.message]
    node = max(named or own, key=lambda node: graph.sequence_of(node) or -1, default=None)
    if node is None:
        return Fault(failure.kind, failure.place, detail=failure.message, needed=failure.needed)
    function = node._forward_cls
    return Fault(
        failure.kind,
        failure.place,
        operator=function.__name__,
        detail=failure.message,
        built=Created(place_of(last_return(function.backward)), function.__name__),
        needed=failure.needed,
    )
