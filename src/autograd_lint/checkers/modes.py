"""Grad mode: switches that do nothing, that leak out of where they stand, that do not get there."""

from __future__ import annotations

import ast

from autograd_lint.checkers.noting import note
from autograd_lint.checkers.surroundings import is_inside
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Created, Modified, Needed
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.severing import Severed, linked
from autograd_lint.engine.tensor import Tensor
from autograd_lint.facts.relevance import trains_in
from autograd_lint.places import Place
from autograd_lint.project.code import code_of
from autograd_lint.project.query import query
from autograd_lint.scenarios.training_steps import HOOKS, is_hook
from autograd_lint.vm.calls import Call, call_value
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.managers import GradMode
from autograd_lint.vm.values import (
    External,
    Function,
    Instance,
    Items,
    Mapping,
    Unknown,
    Value,
)

CONTEXTS = {"torch.no_grad", "torch.enable_grad", "torch.inference_mode"}


def dropped(interp: Interpreter, mode: GradMode, node: ast.AST) -> None:
    """A grad-mode context stands alone as a statement."""
    if mode.before is None and isinstance(node, ast.Call):
        name = mode.made.operator if mode.made else ""
        note(interp, Pitfall.MODE_WITHOUT_EFFECT, interp.place(node), operator=name)


def entered(interp: Interpreter, manager: Value, node: ast.AST) -> None:
    """`with torch.no_grad:` enters the class, not a context."""
    if isinstance(manager, External) and manager.path in CONTEXTS:
        note(interp, Pitfall.MODE_WITHOUT_EFFECT, interp.place(node), operator=manager.path)


def decorated(interp: Interpreter, function: Function, node: ast.AST) -> None:
    """A grad-mode decorator on a coroutine is over before the coroutine runs."""
    if isinstance(function.node, ast.AsyncFunctionDef):
        place = interp.place(node)
        note(interp, Pitfall.MODE_NOT_INHERITED, place, operator="async def", tensor=function.name)


def differentiated(interp: Interpreter, node: ast.AST, create_graph: bool) -> None:
    """`create_graph=True` records the backward pass whatever the grad mode around it is."""
    switch = interp.engine.switch
    if create_graph and switch is not None and not interp.engine.recording:
        note(interp, Pitfall.GRAPH_UNDER_NO_GRAD, interp.place(node), operator=switch.operator)


def left(interp: Interpreter, function: Function, before: bool) -> None:
    """A function returns with another grad mode than it was called in."""
    switch = interp.engine.switch
    if not before or interp.engine.grad_enabled or switch is None:
        return
    if _switches_back(function.node):
        note(interp, Pitfall.MODE_LEAKS, switch.place, operator=switch.operator)
    interp.watch.leak = switch


@query
def _switches_back(node: ast.AST) -> bool:
    """Whether the last switch in a function is back: one that ends in switching off means it, and
    so does one that only switches to what it is told."""
    calls = [part for part in ast.walk(node) if isinstance(part, ast.Call)]
    switches = [call for call in calls if _is_switch(call.func) and call.args]
    switches.sort(key=lambda call: (call.lineno, call.col_offset))
    return len(switches) > 1 and not _is_false(switches[-1].args[0])


def _is_switch(function: ast.expr) -> bool:
    return isinstance(function, ast.Attribute) and function.attr == "set_grad_enabled"


def _is_false(argument: ast.expr) -> bool:
    return isinstance(argument, ast.Constant) and argument.value is False


def unrecorded(interp: Interpreter, result: Unknown, node: ast.Call) -> None:
    """Unknown code has returned `result` while grad mode was off: it has no graph as a rule."""
    switch = interp.engine.switch
    if switch is None or result.severed or result.source is not None or is_inside_node(interp):
        return
    text = interp.text(node)
    place = interp.place(node)
    name = text.partition("(")[0]
    because = frozenset({Assumption(Kind.GRAD_MODE_KEPT, name, weight=0)})
    source = Node(name, place, interp.engine.clock, because, opaque=True)
    result.severed = (Severed(Created(place, name), source, because, switch, supposed=True),)


def is_inside_node(interp: Interpreter) -> bool:
    """Whether a custom Function runs, whose results get the graph that it makes itself."""
    owners = [frame.function.owner for frame in interp.frames if frame.function is not None]
    return any(owner and "torch.autograd.Function" in owner.external_bases() for owner in owners)


def given_back(interp: Interpreter, value: Value) -> None:
    """A method returns what has no graph: what if a framework trains what it returns?"""
    function = interp.frame.function
    if function is None or function.name not in HOOKS or function.owner is None:
        return
    if not is_hook(function.owner, function.name) or _optimizes_itself(interp, function):
        return
    loss = _loss_of(value)
    switch = _switch_behind(interp, function, loss)
    because = frozenset({Assumption(Kind.RETURN_TRAINED, function.name, weight=0)})
    if switch is None and isinstance(loss, Tensor):
        _judge_constant(interp, loss, because)
    if switch is not None:
        note(
            interp,
            Pitfall.UNRECORDED_LOSS,
            switch.place,
            operator=switch.operator,
            assumptions=because,
        )


def _judge_constant(interp: Interpreter, loss: Tensor, because: frozenset[Assumption]) -> None:
    """A loss that was made of plain numbers is a root without a graph for whoever is given it."""
    if loss.anew is None or loss.requires_grad is not None or loss.storage.writes:
        return
    moment, made = loss.anew
    kind, called = FaultKind.NO_GRAD_ROOT, Needed(None, "backward")
    because |= interp.engine.empty_since(moment)
    interp.engine.note(Fault(kind, None, loss.name, built=made, needed=called, assumptions=because))


def _optimizes_itself(interp: Interpreter, function: Function) -> bool:
    """Whether a hook runs backward itself, or its object has told the framework that it does."""
    receiver = interp.frame.receiver
    own = receiver.attributes if isinstance(receiver, Instance) else {}
    manual = own.get("automatic_optimization") is False
    return manual or trains_in(function.source, function.node)


def _loss_of(value: Value) -> Value:
    """What is differentiated of what a hook returns: the first of several, or what is called loss.

    Sources: `automatic.py` in lightning/pytorch/loops/optimization, `Trainer.training_step` of
    transformers.
    """
    if isinstance(value, Mapping):
        return value.entries.get("loss")
    return value.items[0] if isinstance(value, Items) and value.items else value


def _switch_behind(interp: Interpreter, function: Function, loss: Value) -> Created | None:
    """What had grad mode off in a hook when its loss was computed, or has it off now."""
    if interp.frame.switched is not None:
        return None if loss is None else interp.frame.switched
    mode = function.mode
    if mode is not None and not mode.grad:
        return None if loss is None else mode.made
    if not isinstance(loss, (Tensor, Unknown)) or not interp.engine.recording:
        return None
    if isinstance(loss, Tensor) and linked(loss):
        return None
    switches = [one.switch for one in loss.severed if one.switch is not None]
    return next((one for one in switches if is_inside(one.place, function)), None)


def stepped(interp: Interpreter, place: Place) -> None:
    """An optimizer steps in a grad mode that a function has left behind."""
    leak = interp.watch.leak
    if leak is not None and not interp.engine.grad_enabled and interp.engine.switch is leak:
        step = Modified(place, "step", None, 0, by_optimizer=True)
        note(interp, Pitfall.MODE_LEAKS, leak.place, operator=leak.operator, modified=step)


def yielded(interp: Interpreter, node: ast.AST) -> Created | None:
    """Where a generator hands out its grad mode, if it does so by a `with` around a `yield`."""
    frame = interp.frame
    if frame.switched is None or frame.function is None or interp.engine.grad_enabled:
        return None
    decorators = getattr(frame.function.node, "decorator_list", [])
    if any("context" in code_of(d) or "fixture" in code_of(d) for d in decorators):
        return None
    return Created(interp.place(node), frame.switched.operator)


def looped(interp: Interpreter, leak: Created | None, node: ast.For | ast.AsyncFor) -> None:
    """A loop goes over a generator that is suspended in a grad mode of its own."""
    if leak is not None and _learns(node):
        note(interp, Pitfall.MODE_LEAKS, leak.place, operator=leak.operator)


@query
def _learns(node: ast.AST) -> bool:
    names = ("backward", "step")
    return any(isinstance(part, ast.Attribute) and part.attr in names for part in ast.walk(node))


def threaded(interp: Interpreter, function: Value, args: list[Value], call: Call) -> Value:
    """Run a function in another thread, where grad mode is on whatever it is here."""
    own = function.mode if isinstance(function, Function) else None
    off = not interp.engine.recording and interp.engine.switch is not None
    with interp.engine.mode(grad=True, inference=False):
        before = interp.engine.clock
        result = call_value(interp, function, Call(args, {}, call.node))
        recorded = interp.engine.youngest > before
    if off and recorded and own is None:
        latest = interp.engine.latest
        made = latest if latest is not None and latest.sequence > before else None
        note(
            interp,
            Pitfall.MODE_NOT_INHERITED,
            interp.place(call.node),
            operator="a thread",
            built=interp.engine.switch,
            assumptions=made.requires if made is not None else frozenset(),
        )
    return result
