"""Gradients that are cut: on the only way to a parameter, or in a term of the loss."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from autograd_lint.checkers import backward_paths, flat, terms
from autograd_lint.checkers.accumulating import is_loss
from autograd_lint.checkers.modes import is_inside_node
from autograd_lint.checkers.noting import note
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.events import Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.severing import Severed
from autograd_lint.engine.tensor import Tensor
from autograd_lint.engine.walk import leaves_of, walk_order
from autograd_lint.places import Place
from autograd_lint.vm.machine import Interpreter

ADDITIVE = {"add", "sub", "radd", "rsub", "add_", "sub_"}
SCALING = {"mul", "div", "neg", "rmul", "mul_", "div_", "mean", "sum"}
ARITHMETIC = ADDITIVE | SCALING | {"stack", "cat", "unsqueeze", "view", "reshape", "squeeze"}
TAKING_OUT = {"sub", "rsub", "sub_"}
EXPLICIT = {"detach"}  # says itself that no gradient is wanted


def passed(interp: Interpreter, walk: Pass) -> None:
    """A backward begins: which graphs ended on the way to its roots?

    What a custom Function differentiates for itself is handed on as it says.
    """
    if is_inside_node(interp):
        return
    for node in walk.order:
        for severed in node.severed:
            interp.watch.severed[id(severed)] = severed
        for severed in node.leaf.severed if node.leaf is not None else ():
            interp.watch.severed[id(severed)] = severed
            interp.watch.restarted.add(severed)
    flat.passed(interp, walk)
    if not walk.call.accumulate or not walk.starts:
        return
    if walk.call.place is None:
        _judge_returned(interp, walk)
        return
    _judge_frozen(interp, walk)
    if walk.call.inputs is not None:
        _judge_inputs(interp, walk)
    terms.passed(interp, walk, _sums(walk.starts))
    if not _judge_rebuilt(interp, walk):
        for node in _sums(walk.starts):
            _judge_terms(interp, node, walk)


def _judge_returned(interp: Interpreter, walk: Pass) -> None:
    """What a driver trains is a loss where one of torch's own losses is a term of it."""
    sums = list(_sums(walk.starts))
    if any(_is_loss(term) for node in sums for term in node.edges):
        for node in sums:
            _judge_terms(interp, node, walk)


def _is_loss(term: Node) -> bool:
    while term.operator in SCALING and len(term.edges) == 1:
        term = term.edges[0]
    return is_loss(term)


def _judge_frozen(interp: Interpreter, walk: Pass) -> None:
    """A leaf that required grad in the forward, but no longer does, gets nothing any more."""
    frozen = [leaf for leaf in walk.leaves() if leaf.requires_grad is None]
    passes = interp.engine.passes if frozen else []
    earlier = [other.leaves() for other in passes if other is not walk and other.call.accumulate]
    for leaf in frozen:
        if not any(leaf is one for leaves in earlier for one in leaves):
            note(
                interp,
                Pitfall.GRADIENT_CUT,
                leaf.detached.place if leaf.detached else interp.watch.flags.get(id(leaf)),
                tensor=leaf.name,
                operator=leaf.detached.operator if leaf.detached else "requires_grad_",
            )


def _judge_inputs(interp: Interpreter, walk: Pass) -> None:
    """`backward(inputs=...)` does nothing for a tensor that is not in the graph."""
    reached = walk_order(list(walk.starts), None)
    if any(node.opaque for node in reached):
        return
    known = {id(node) for node in reached}
    for tensor in walk.call.inputs or ():
        target = tensor.node or tensor.accumulator
        if tensor.requires_grad is not None and (target is None or id(target) not in known):
            note(
                interp,
                Pitfall.INPUT_UNUSED,
                walk.call.place,
                tensor=tensor.name,
                operator=walk.call.name,
                assumptions=tensor.requires_grad,
            )


def _judge_rebuilt(interp: Interpreter, walk: Pass) -> bool:
    """Whether the loss is only a copy of one: all that backward gets to is the copy itself.

    What is given a gradient to begin with is no loss, but a function of the copy.
    """
    if walk.call.gradient_given:
        return False
    leaves = walk.leaves()
    copies = [leaf for leaf in leaves if _copies_result(leaf)]
    inner = [node for node in walk.order if node.leaf is None]
    if not copies or len(copies) < len(leaves):
        return False
    if not all(node.operator.rpartition(".")[2] in ARITHMETIC for node in inner):
        return False
    if any(severed.source.walked_at for leaf in copies for severed in leaf.severed):
        return False  # the loss itself has been walked: what it is a copy for is another matter
    for leaf in copies:
        severed = leaf.severed[0]
        for other in leaf.severed:
            interp.watch.severed.pop(id(other), None)
        needed = Needed(walk.call.place, walk.call.name)
        interp.watch.rebuilt.append((leaf, severed, needed))
    return True


def _note_rebuilt(interp: Interpreter) -> None:
    """Tell of copies of losses; one whose own gradient the program asks for is what it is about."""
    for leaf, severed, needed in interp.watch.rebuilt:
        if id(leaf) not in interp.watch.asked:
            note(
                interp,
                Pitfall.LOSS_REBUILT,
                interp.watch.flags.get(id(leaf), severed.event.place),
                tensor=leaf.name,
                operator=severed.event.operator,
                built=severed.event,
                needed=needed,
                assumptions=severed.assumptions,
            )


def _copies_result(leaf: Tensor) -> bool:
    """Whether a leaf is a copy of what was computed: that of another leaf is one to be trained."""
    computed = any(one.source.leaf is None or one.switch is not None for one in leaf.severed)
    return computed and not leaf.parameter


def _sums(starts: Iterable[Node]) -> Iterator[Node]:
    """The nodes that add up the terms of a loss, from the loss down."""
    stack, seen = list(starts), set()
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if node.operator in ADDITIVE:
            yield node
            stack.extend(node.edges)
        elif node.operator in SCALING and len(node.edges) == 1:
            stack.extend(node.edges)


def _judge_terms(interp: Interpreter, node: Node, walk: Pass) -> None:
    meant = any(_deliberate(cut, node) or _is_drawn(cut, walk) for cut in node.severed)
    if node.severed and not meant:
        _note_term(interp, node.severed[0], walk)
    if len(node.edges) < 2:
        return
    for target in node.edges:
        barrier = flat.barrier(target)
        others = [other for other in node.edges if other is not target]
        if barrier is not None and not any(flat.makes_up(other, barrier) for other in others):
            flat.note_term(interp, barrier, walk)


def _deliberate(severed: Severed, term: Node | None = None) -> bool:
    """Whether a cut is meant: `surrogate - surrogate.item()` takes the value of a term out."""
    if term is not None and term.operator in TAKING_OUT and severed.source in term.edges:
        return True
    return severed.event.operator in EXPLICIT or severed.switch is not None


def _is_drawn(severed: Severed, walk: Pass) -> bool:
    """Whether a sample was drawn, and what it was drawn from is trained all the same."""
    if severed.event.operator != "sample":
        return False
    received = {id(leaf) for leaf in walk.leaves()}
    return all(id(leaf) in received for leaf in leaves_of([severed.source]))


def _note_term(interp: Interpreter, severed: Severed, walk: Pass) -> None:
    penalty = severed.event.operator == "grad"
    note(
        interp,
        Pitfall.PENALTY_WITHOUT_GRAPH if penalty else Pitfall.CONSTANT_TERM,
        severed.event.place,
        tensor=severed.source.name,
        operator=severed.event.operator,
        built=severed.source.created if severed.source.leaf is None else None,
        needed=Needed(walk.call.place, walk.call.name) if walk.call.place else None,
        assumptions=severed.assumptions | walk.call.assumptions,
    )


def finished(interp: Interpreter) -> None:
    """The run is over: leaves that were to be trained, whose gradient was cut off everywhere."""
    terms.finished(interp)
    _note_rebuilt(interp)
    watch = interp.watch
    if not watch.severed and not watch.withheld and not watch.flat:
        return
    interp.engine.reached.update(severed.event.place for severed in watch.severed.values())
    moved = {id(leaf) for leaf in _optimized(interp)}
    wanted = {id(leaf): leaf for leaf in (*_optimized(interp), *watch.leaves)}
    supposed = {id(leaf) for leaf in watch.trained} - wanted.keys()
    if watch.withheld:
        _judge_withheld(interp, wanted)
    if watch.flat:
        flat.finished(interp, wanted)
    walked = {id(leaf): leaf for walk in interp.engine.passes for leaf in walk.leaves()}
    received = walked.keys()
    _judge_idle(interp)
    for severed in watch.severed.values():
        if severed.switch is not None or severed.event.operator == "grad" or _is_copy(severed):
            continue
        meant = wanted.keys() if _deliberate(severed) else wanted.keys() | supposed
        if severed in watch.restarted and _deliberate(severed):
            meant = moved  # a new leaf was wanted, for its own gradient
        if severed.event.operator == "nn.Parameter":
            # Of what has no name of its own it only takes the values to begin with.
            taken = {leaf.name for leaf in walked.values() if severed in leaf.severed} | {None}
            meant = {
                k for k in meant if k not in wanted or wanted[k].name not in taken or k in moved
            }
        lost = [leaf for leaf in leaves_of([severed.source]) if id(leaf) in meant]
        lost = [leaf for leaf in lost if id(leaf) not in received and leaf.requires is not None]
        # What has no name was made for what is computed from it: nobody asks for its gradient.
        lost = [leaf for leaf in lost if leaf.parameter or leaf.name is not None]
        if severed.event.operator != "nn.Parameter":
            lost = [leaf for leaf in lost if leaf not in watch.unmoved]
        if lost:
            _note_cut(interp, severed, lost)


def _judge_idle(interp: Interpreter) -> None:
    """An optimizer steps, but all that it is to train is used without its graph."""
    from autograd_lint.libraries.torch.optimizers import optimized

    watch = interp.watch
    if interp.opaque_backward:
        return
    idle = {
        id(tensor)
        for stepping in watch.optimizers.values()
        if stepping.steps and not stepping.useful
        for tensor in optimized(stepping.optimizer)
    }
    for severed in watch.severed.values() if idle else ():
        lost = [leaf for leaf in leaves_of([severed.source]) if id(leaf) in idle]
        if lost and (severed.switch is not None or _is_copy(severed)):
            _note_cut(interp, severed, lost)


def _judge_withheld(interp: Interpreter, wanted: dict[int, Tensor]) -> None:
    """Leaves that only lie behind inputs for which a custom backward returns None."""
    withheld = interp.watch.withheld
    received = backward_paths.received(interp, [(node, target) for node, target, _ in withheld])
    for _, target, event in withheld:
        lost = backward_paths.behind(target, wanted.keys())
        if lost and not any(id(leaf) in received for leaf in lost):
            backward_paths.note_lost(interp, lost, event.place, event.operator)


def _is_copy(severed: Severed) -> bool:
    """Whether the values of a leaf itself were asked for, and nothing computed from it."""
    return severed.source.leaf is not None and severed.event.operator in (".data", "detach")


def _note_cut(interp: Interpreter, severed: Severed, lost: list[Tensor]) -> None:
    event = severed.switch or severed.event
    note(
        interp,
        Pitfall.GRADIENT_CUT,
        event.place,
        tensor=lost[0].name,
        operator=event.operator,
        built=severed.source.created if severed.source.leaf is None else None,
        assumptions=severed.assumptions | backward_paths.least(lost),
    )


def _optimized(interp: Interpreter) -> Iterator[Tensor]:
    from autograd_lint.libraries.torch.optimizers import optimized

    for stepping in interp.watch.optimizers.values():
        if stepping.steps:
            yield from optimized(stepping.optimizer)


def checkpointed(interp: Interpreter, results: list[Tensor], place: Place) -> None:
    """A reentrant checkpoint without an input that requires grad: what is inside gets none."""
    if not interp.engine.recording:
        return
    for severed in (severed for tensor in results for severed in tensor.severed):
        if severed.switch is not None and severed.switch.operator == "checkpoint":
            note(interp, Pitfall.CHECKPOINT_CUTS, place, assumptions=severed.assumptions)
            return
