"""The training step: in which order gradients are computed, clipped, used and cleared."""

from __future__ import annotations

import re
from collections.abc import Iterable

from autograd_lint.checkers import terms
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.state import Gradient, Share, Stepping
from autograd_lint.engine.assumptions import Assumption
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.events import Created, Modified, Needed
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.places import Place
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance, Value, tensors_in

CLEARING = re.compile(r"([\w.]+)\.zero_grad\(")
ROUNDS = 3  # of a loop, after which something is meant to happen again and again
DIVIDING = {"div", "mul", "div_", "mul_", "truediv"}
ADDING = {"backward", "clip_grad_norm_"}  # writes that leave a gradient what it is


def made(interp: Interpreter, optimizer: Instance, place: Place, operator: str) -> None:
    """An optimizer was made."""
    interp.watch.optimizers[id(optimizer)] = Stepping(optimizer, Created(place, operator))


def passed(interp: Interpreter, walk: Pass) -> None:
    """A backward is about to put gradients into leaves."""
    interp.watch.pass_steps.append(len(interp.watch.step_log))
    if not walk.call.accumulate or walk.call.place is None:
        return
    watch = interp.watch
    share = Share(walk, watch.steps)
    scaled = any(node in watch.scaled_nodes for node in walk.starts)
    for leaf in walk.leaves():
        gradient = watch.gradients.get(id(leaf))
        if gradient is None:
            gradient = watch.gradients[id(leaf)] = Gradient(leaf)
        _refresh(gradient)
        if gradient.used is not None and gradient.mixed is None:
            gradient.mixed = share
        gradient.fresh.append(share)
        gradient.during = gradient.during or interp.driven
        gradient.held = None
        gradient.scaled = walk.call.place if scaled else gradient.scaled


def _refresh(gradient: Gradient) -> Gradient:
    """Notice what the program itself did to a gradient."""
    grad = gradient.leaf.grad
    if gradient.held is not None and (grad is not gradient.held or _written(grad, gradient.mark)):
        _clear(gradient, None)
    if grad is None and gradient.fresh:
        _clear(gradient, None)
    if grad is not None and gradient.held is None:
        gradient.held = grad
        gradient.mark = len(grad.storage.writes) + len(grad.storage.hidden)
    return gradient


def _written(grad: Tensor | None, mark: int) -> bool:
    if grad is None:
        return True
    later = [*grad.storage.writes, *grad.storage.hidden]
    names = [write.event.operator for write in later]
    return len(later) > mark and any(name not in ADDING for name in names)


def _clear(gradient: Gradient, place: Place | None) -> None:
    if gradient.fresh:
        gradient.wasted = place
    gradient.fresh, gradient.used, gradient.mixed = [], None, None
    gradient.held, gradient.scaled = None, None


def zeroed(interp: Interpreter, tensors: Iterable[Tensor], place: Place) -> None:
    """`zero_grad` clears the gradients of these tensors."""
    now = interp.engine.tick()
    for tensor in tensors:
        interp.watch.cleared[tensor] = now
        gradient = interp.watch.gradients.get(id(tensor))
        if gradient is not None and gradient.fresh:
            interp.watch.wasted.setdefault(place, []).append(id(tensor))
        if gradient is not None:
            _clear(gradient, place)


def clearing(interp: Interpreter, optimizer: Instance, tensors: list[Tensor], place: Place) -> None:
    """`optimizer.zero_grad()`: are there any gradients to clear?"""
    if tensors and not any(id(tensor) in interp.watch.gradients for tensor in tensors):
        interp.watch.idle_clears.setdefault(id(optimizer), []).append(place)


def cleared_in_part(value: Value) -> None:
    """A loop over parameters was cut short: if it drops gradients, it drops them all."""
    tensors = list(tensors_in(value))
    if tensors and tensors[0].grad is None:
        for tensor in tensors:
            tensor.grad = None


def _of(interp: Interpreter, tensors: Iterable[Tensor]) -> list[Gradient]:
    known = (interp.watch.gradients.get(id(t)) for t in tensors if 0 not in (t.shape or ()))
    return [_refresh(gradient) for gradient in known if gradient is not None]


def stepped(
    interp: Interpreter, optimizer: Instance, tensors: list[Tensor], place: Place, name: str
) -> None:
    """An optimizer is about to use the gradients of its parameters."""
    # Of one that the module has made before, this run sees only these steps.
    known = interp.watch.optimizers.get(id(optimizer))
    stepping = known or Stepping(optimizer, Created(place, name))
    stepping.steps += 1
    gradients = _of(interp, tensors)
    if stepping.scheduled is not None and stepping.steps == 1:
        stepping.scheduled = place
    fresh = [gradient for gradient in gradients if gradient.fresh]
    if fresh:
        stepping.useful += 1
        _judge_step(interp, fresh, tensors, place, name)
    elif not any(tensor.grad is not None or _may_have(interp, tensor) for tensor in tensors):
        wasted = next((g.wasted for g in gradients if g.wasted), None)
        stepping.during = stepping.during or interp.driven
        stepping.idle.append((place, wasted))
    interp.watch.steps += 1
    interp.watch.step_log.append({id(tensor) for tensor in tensors})
    for gradient in fresh:
        terms.used(interp, gradient.leaf, gradient.fresh)
        _use(gradient, place)


def updated(interp: Interpreter, leaf: Tensor, place: Place, name: str) -> None:
    """The program itself has written a leaf with its gradient: a step without optimizer."""
    for gradient in _of(interp, [leaf]):
        if gradient.fresh:
            _judge_mixed(interp, gradient, name)
            _use(gradient, place)


def leftovers(interp: Interpreter, *, added: bool) -> bool:
    """Whether gradients are there that a step has used; `added`: and backward has added to."""
    if added:
        return any(key[0] == "mixed" for key in interp.watch.said)
    return any(gradient.used is not None for gradient in interp.watch.gradients.values())


def _use(gradient: Gradient, place: Place) -> None:
    gradient.fresh, gradient.used, gradient.mixed = [], place, None
    gradient.wasted = None


def _may_have(interp: Interpreter, tensor: Tensor) -> bool:
    """Whether a backward that led nobody knows where has come since the gradient was cleared."""
    return interp.watch.astray > interp.watch.cleared.get(tensor, 0)


def _judge_step(
    interp: Interpreter, fresh: list[Gradient], tensors: list[Tensor], place: Place, name: str
) -> None:
    for gradient in fresh:
        leaf = gradient.leaf
        _judge_mixed(interp, gradient, name)
        if gradient.scaled is not None:
            note(
                interp,
                Pitfall.SCALED_GRADIENTS,
                place,
                tensor=leaf.name,
                operator=f"{name}.step",
                needed=Needed(gradient.scaled, "backward"),
                assumptions=leaf.requires or frozenset(),
            )
    _judge_foreign(interp, fresh, tensors, name)
    _judge_unscaled(interp, fresh[0])


def _judge_mixed(interp: Interpreter, gradient: Gradient, name: str) -> None:
    """Backward has added to what an earlier step has used."""
    leaf = gradient.leaf
    if gradient.mixed is not None and gradient.used is not None and again(interp, gradient):
        note(
            interp,
            Pitfall.MISSING_ZERO_GRAD,
            gradient.mixed.walk.call.place,
            tensor=leaf.name,
            operator=name,
            modified=Modified(gradient.used, name, leaf.name, 0, by_optimizer=True),
            assumptions=(leaf.requires or frozenset()) | _led_by(gradient.mixed.walk, leaf),
        )


def _led_by(walk: Pass, leaf: Tensor) -> frozenset[Assumption]:
    """What must hold for a backward to get to a leaf, where only unknown code leads there."""
    users = [node for node in walk.order if any(edge.leaf is leaf for edge in node.edges)]
    return users[0].requires if users and all(node.opaque for node in users) else frozenset()


def _judge_unscaled(interp: Interpreter, gradient: Gradient) -> None:
    """A step uses the sum over several batches, none of which was divided by their number."""
    places = {share.walk.call.place for share in gradient.fresh}
    operators = {node.operator for share in gradient.fresh for node in share.walk.starts}
    if len(gradient.fresh) > 1 and len(places) == 1 and not operators & DIVIDING:
        share = gradient.fresh[0]
        needed = Needed(share.walk.call.place, "backward")
        note(interp, Pitfall.ACCUMULATION_UNSCALED, share.walk.call.place, needed=needed)


def again(interp: Interpreter, gradient: Gradient) -> bool:
    """Whether a gradient is mixed a second time: two rounds may be meant, three are a loop."""
    key, said = ("mixed", gradient), interp.watch.said
    known = key in said and ("piles up", gradient.leaf) not in said
    said.add(key)
    return known


def _judge_foreign(
    interp: Interpreter, fresh: list[Gradient], tensors: list[Tensor], name: str
) -> None:
    """A loss of another optimizer's step has put its gradient in here, too."""
    own = {id(tensor) for tensor in tensors}
    for gradient in fresh:
        first, last = gradient.fresh[0], gradient.fresh[-1]
        between = interp.watch.step_log[first.steps : last.steps]
        reached = {id(leaf) for leaf in last.walk.leaves()}
        early = {id(leaf) for leaf in first.walk.leaves()}
        if _overlap(first, last):
            continue
        if any(not (other & own) and other & early & reached for other in between):
            note(
                interp,
                Pitfall.FOREIGN_GRADIENT,
                first.walk.call.place,
                tensor=gradient.leaf.name,
                operator=name,
                needed=Needed(last.walk.call.place, "backward"),
            )


def _overlap(first: Share, last: Share) -> bool:
    """Whether two backwards walk one graph, so that their sum is meant."""
    walked = {id(node) for node in first.walk.order if node.leaf is None}
    return any(id(node) in walked for node in last.walk.order)


def clipped(
    interp: Interpreter, tensors: list[Tensor], place: Place, name: str, *, matters: bool = True
) -> None:
    """Gradients are clipped."""
    gradients = _of(interp, tensors)
    interp.engine.reached.add(place)
    for gradient in gradients:
        if gradient.scaled is not None:
            interp.watch.useful_clips.add(place)
            note(
                interp,
                Pitfall.SCALED_GRADIENTS,
                place,
                tensor=gradient.leaf.name,
                operator=name,
                needed=Needed(gradient.scaled, "backward"),
                assumptions=gradient.leaf.requires or frozenset(),
            )
            return
    if any(gradient.fresh for gradient in gradients):
        interp.watch.useful_clips.add(place)
    elif any(gradient.used for gradient in gradients) and matters:
        used = next(gradient.used for gradient in gradients if gradient.used)
        step = Modified(used, "step", None, 0, by_optimizer=True)
        note(interp, Pitfall.CLIP_IN_VAIN, place, operator=name, modified=step)
    elif tensors:
        interp.watch.idle_clips.setdefault(place, tensors)


def unscaled(interp: Interpreter, tensors: Iterable[Tensor]) -> None:
    """A gradient scaler has divided the gradients of these tensors by its scale."""
    for gradient in _of(interp, tensors):
        gradient.scaled = None


def all_unscaled(interp: Interpreter) -> None:
    """A gradient scaler has divided the gradients of an optimizer that is not known."""
    for gradient in interp.watch.gradients.values():
        gradient.scaled = None


def all_cleared(interp: Interpreter) -> None:
    """Something unknown clears gradients: which, is not known."""
    for gradient in interp.watch.gradients.values():
        _clear(gradient, None)


def scheduled(interp: Interpreter, optimizer: object, place: Place) -> None:
    """A learning-rate scheduler steps: in a training loop never before its optimizer."""
    stepping = interp.watch.optimizers.get(id(optimizer))
    if stepping is None:
        return
    if stepping.steps == 0:
        stepping.scheduled = place
        interp.watch.said.add(("scheduled first", place))
    elif ("scheduled first", place) in interp.watch.said:
        step = Modified(stepping.scheduled, "step", None, 0, by_optimizer=True)
        note(interp, Pitfall.SCHEDULER_FIRST, place, modified=step)


def finished(interp: Interpreter) -> None:
    """The run is over: what never had any effect."""
    watch = interp.watch
    if interp.whole and not interp.opaque_backward:
        _judge_idle_clears(interp)
        _judge_never_stepped(interp)
    for stepping in watch.optimizers.values():
        if stepping.steps == len(stepping.idle) > 0:
            _judge_idle(interp, stepping)
    if interp.opaque_backward:
        return
    for place, tensors in watch.idle_clips.items():
        later = [g for t in tensors if (g := watch.gradients.get(id(t))) is not None]
        if place not in watch.useful_clips and later:
            share = later[0].fresh[0] if later[0].fresh else None
            needed = Needed(share.walk.call.place, "backward") if share else None
            note(interp, Pitfall.CLIP_IN_VAIN, place, operator="clip_grad_norm_", needed=needed)


def _judge_never_stepped(interp: Interpreter) -> None:
    """An optimizer clears its gradients again and again and never steps, while another one does."""
    from autograd_lint.libraries.torch.optimizers import optimized

    watch = interp.watch
    if interp.gave_up or not any(one.steps for one in watch.optimizers.values()):
        return
    for stepping in watch.optimizers.values():
        own = {id(tensor) for tensor in optimized(stepping.optimizer)}
        used = stepping.steps or any(one is stepping.optimizer for one in watch.given_away)
        if used or own & watch.asked.keys():
            continue
        for place, leaves in watch.wasted.items():
            if leaves and max(map(leaves.count, own & set(leaves)), default=0) >= ROUNDS:
                note(interp, Pitfall.ZERO_GRAD_BEFORE_STEP, place, operator="step")


def _judge_idle_clears(interp: Interpreter) -> None:
    """An optimizer clears nothing, while gradients that no optimizer has pile up."""
    from autograd_lint.libraries.torch.optimizers import optimized

    watch = interp.watch
    if interp.ask(interp.world.source, _clearers) > 1:
        return  # something else clears gradients as well
    known = {id(t) for s in watch.optimizers.values() for t in optimized(s.optimizer)}
    piled = [
        gradient
        for gradient in watch.gradients.values()
        if id(gradient.leaf) not in known and len(gradient.fresh) >= ROUNDS
    ]
    for key, places in watch.idle_clears.items():
        own = [one for one in optimized(watch.optimizers[key].optimizer) if not one.requires]
        reached = any(id(tensor) in watch.gradients for tensor in own)
        if own and piled and len(places) >= ROUNDS and not reached:
            needed = Needed(piled[0].fresh[-1].walk.call.place, "backward")
            note(
                interp,
                Pitfall.GRADIENTS_PILE_UP,
                places[0],
                tensor=piled[0].leaf.name,
                operator="zero_grad",
                needed=needed,
            )


@query
def _clearers(source: Source) -> int:
    """How many different things clear gradients somewhere in a file."""
    return len({name for _, names in source.pieces.each(_clearers_in) for name in names})


def _clearers_in(text: str) -> list[str]:
    return CLEARING.findall(text) if "zero_grad" in text else []


def _judge_idle(interp: Interpreter, stepping: Stepping) -> None:
    from autograd_lint.libraries.torch.optimizers import optimized

    tensors = optimized(stepping.optimizer)
    known = [g for t in tensors if (g := interp.watch.gradients.get(id(t))) is not None]
    # In which order several methods are called only their callers know.
    reached = [gradient for gradient in known if gradient.during is stepping.during]
    step, wasted = stepping.idle[0]
    event = Modified(step, "step", None, 0, by_optimizer=True)
    because = reached[0].leaf.requires or frozenset() if reached else frozenset()
    if reached and wasted is not None:
        note(interp, Pitfall.ZERO_GRAD_BEFORE_STEP, wasted, modified=event, assumptions=because)
    elif reached:
        made = stepping.made.operator
        note(interp, Pitfall.STEP_BEFORE_BACKWARD, step, operator=made, assumptions=because)
    elif not known and _twins(interp, tensors) and not _explained(interp):
        note(interp, Pitfall.NO_GRADIENTS, stepping.made.place, modified=event)


def _twins(interp: Interpreter, tensors: list[Tensor]) -> bool:
    """Whether what is trained was copied from these tensors, or shares memory with them."""
    copies = interp.watch.copies
    trained = [gradient.leaf for gradient in interp.watch.gradients.values()]
    memory = {id(leaf.storage) for leaf in trained}
    memory |= {id(copies[id(leaf)][1]) for leaf in trained if id(leaf) in copies}
    return any(
        id(tensor.storage) in memory
        or (id(tensor) in copies and id(copies[id(tensor)][1]) in memory)
        for tensor in tensors
    )


def _explained(interp: Interpreter) -> bool:
    """Whether it was said already why no gradient gets to the parameters, or one may have got
    there: by unknown code, or in a call that was not followed to its end."""
    kinds = {kind for kind, *_ in interp.watch.said}
    said = kinds & {
        Pitfall.GRADIENT_CUT,
        Pitfall.GRADIENTS_PILE_UP,
        Pitfall.LOSS_REBUILT,
        Pitfall.NOT_OPTIMIZED,
    }
    return bool(said) or interp.opaque_backward or interp.gave_up
