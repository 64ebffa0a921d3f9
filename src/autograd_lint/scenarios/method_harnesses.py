"""Harnesses of methods: calls of one method of an object, again and again where it trains."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

from autograd_lint.checkers.accumulating import (
    CALLS,
    gathers,
    gives_loss,
    measures,
)
from autograd_lint.checkers.batches import Evaluations
from autograd_lint.checkers.losses import EVALUATION
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.machine import EngineError
from autograd_lint.facts.body import called_on_self
from autograd_lint.facts.effects import effects_in, trains_in
from autograd_lint.libraries.lightning import evaluates
from autograd_lint.libraries.torch.modules.modules import modules
from autograd_lint.libraries.torch.modules.uses import USING
from autograd_lint.project.nodes import walk
from autograd_lint.scenarios.caches import clear_caches, empty_lists, may_come_between
from autograd_lint.scenarios.infer_arguments import infer_arguments
from autograd_lint.scenarios.initial_state import begins_off
from autograd_lint.scenarios.learning import (
    carries_graph,
    differentiate,
    learn,
    left_training,
    trained,
)
from autograd_lint.scenarios.leftover_gradients import called_again, leaves_gradients
from autograd_lint.scenarios.switches import let_go, stored
from autograd_lint.scenarios.training_steps import reached_on_self
from autograd_lint.scenarios.unknown_calls import unknown_call
from autograd_lint.vm.calls import call_function
from autograd_lint.vm.control import ProgramRaises, ReturnValue
from autograd_lint.vm.events import EntryReturned, MethodRepeated
from autograd_lint.vm.instances import instance_attribute, is_module
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Class, Function, Instance, Method, Value

STEPS = 3


def repeat(
    interp: Interpreter, instance: Instance, method: Function, *, any_name: bool = False
) -> None:
    """Call a method, a few times if it trains: then it is a step of its own.

    Between two calls other methods set anew what they are there to set. One that other methods
    call is part of their step: they know what comes between two calls.
    """
    interp.engine.told.clear()
    # Which mode another method has left behind says nothing about who calls this one.
    interp.engine.grad_enabled, interp.engine.switch = True, None
    passes, begun = len(interp.engine.backward.passes), interp.budget.steps
    result = call_with_unknowns(interp, instance, method, any_name=any_name)
    cls = instance.cls
    if _runs_backward(method) or trained(interp, passes):  # itself, or by another method it calls
        _repeat_training(interp, instance, method, result, begun, any_name=any_name)
        return
    if result and _is_loss(instance, method, result.value):
        _train_on(interp, instance, method, result.value)
    elif result and result.value is not instance:
        # The object lives on, and with it the graph that it may have kept.
        unasked = is_module(instance) and _is_part(instance, method)
        weight = 2 if left_training(interp, instance) else int(unasked)
        finish(interp, method, result.value, retain=True, weight=weight)
    gathering = isinstance(cls, Class) and not is_module(instance) and gathers(cls, method)
    if gathering and carries_graph(instance):
        for _ in range(CALLS - 1):
            call_with_unknowns(interp, instance, method, any_name=any_name)
        interp.emit(MethodRepeated(instance))


def _repeat_training(
    interp: Interpreter,
    instance: Instance,
    method: Function,
    called: ReturnValue | None,
    begun: int,
    *,
    any_name: bool,
) -> None:
    """Call a method that trains again, while it leaves graphs or gradients to its next call.

    `called` is what its first call has given, which began at the step `begun`.
    """
    once = _is_part(instance, method) or _is_test(instance, method)
    with ExitStack() as surmises:
        for count in range(STEPS):
            if called:
                interp.emit(EntryReturned(method, called.value))
            empty_lists(instance)
            carries = called is not None and carries_graph(instance)
            leaves = carries or leaves_gradients(
                interp, reached_on_self(instance.cls, method), count
            )
            if once or not called or not leaves or count + 1 == STEPS:
                return
            if not carries:
                surmises.enter_context(interp.engine.supposing(called_again(method.name)))
            interp.budget.limit += interp.budget.steps - begun
            for other in _setters(instance, method):
                with suppress(ProgramRaises, EngineError):
                    call_with_unknowns(interp, instance, other)
            begun = interp.budget.steps
            called = call_with_unknowns(interp, instance, method, any_name=any_name)


def _is_test(instance: Instance, method: Function) -> bool:
    """Whether a method is a test: unittest and pytest make a new object for each."""
    cls = instance.cls
    if not isinstance(cls, Class) or not method.name.startswith("test"):
        return False
    return cls.name.startswith("Test") or "unittest.TestCase" in cls.external_bases()


def _is_part(instance: Instance, method: Function) -> bool:
    """Whether another method of the object calls this one."""
    return bool(_callers(instance, method))


def _callers(instance: Instance, method: Function) -> set[str]:
    """The other methods of an object that call this one, also those that it inherits."""
    classes = instance.cls.mro() if isinstance(instance.cls, Class) else ()
    values = [value for own in classes for value in own.attributes.values()]
    functions = [value.written for value in values if isinstance(value, Function)]
    own = method.written.definition
    others = [function for function in functions if function.definition is not own]
    return {one.name for one in others if method.name in one.query(called_on_self)}


def call_with_unknowns(
    interp: Interpreter, instance: Instance, method: Function, *, any_name: bool = False
) -> ReturnValue | None:
    """What a call with unknown arguments returns; None when it is no method of the object."""
    if any_name:
        let_go(instance)
    found = instance_attribute(interp, instance, method.name, method.node)
    if isinstance(found, Function):
        call = unknown_call(method.node, method, bound=False, any_name=any_name)
        infer_arguments(interp, call, method)
        return ReturnValue(call_function(interp, found, call))
    if not isinstance(found, Method):
        return None
    call = unknown_call(node_of(instance), method, bound=True, any_name=any_name)
    infer_arguments(interp, call, method)
    evaluating = evaluates(instance, method.name)
    off = evaluating or begins_off(method) or _measures(instance)
    with interp.engine.mode(grad=not off), _in_evaluation(instance, evaluating=evaluating):
        return ReturnValue(call_function(interp, found.function, call, instance))


@contextmanager
def _in_evaluation(instance: Instance, *, evaluating: bool) -> Iterator[None]:
    """A module is in evaluation mode meanwhile, with all of its parts.

    Source: `on_validation_model_eval` in lightning/pytorch/core/hooks.py.
    """
    parts = list(modules(instance)) if evaluating else []
    before = [part.attributes.get("training", True) for part in parts]
    for part in parts:
        part.attributes["training"] = False
    try:
        yield
    finally:
        for part, mode in zip(parts, before, strict=True):
            part.attributes["training"] = mode


def finish(
    interp: Interpreter,
    function: Function,
    result: Value,
    *,
    retain: bool = False,
    weight: int = 0,
) -> None:
    """The result of a function that runs no backward itself is taken to be part of a loss.

    Not where it only uses what has been trained: `predict` and the like, and what evaluates. That
    is daring (`weight`) of what a module calls itself, but not on its way through training steps.
    """
    interp.emit(EntryReturned(function, result))
    if _runs_backward(function) or is_module(result) or function.name in USING:
        return
    if interp.state(Evaluations).ran_in(function.name):
        return
    because = Assumption(Kind.IN_LOSS, function.name, weight=weight, called=True)
    differentiate(interp, result, frozenset({because}), retain=retain)


def _measures(instance: Instance) -> bool:
    return isinstance(instance.cls, Class) and measures(instance.cls)


def _runs_backward(function: Function) -> bool:
    return trains_in(function.source, function.node)


def _is_loss(instance: Instance, method: Function, result: Value) -> bool:
    """Whether a method of an object that is no module gives a loss to those who train."""
    if is_module(instance) or trains_in(method.source, method.node):
        return False
    evaluates = method.name in USING or EVALUATION.search(method.name)
    return not (evaluates or _is_part(instance, method)) and gives_loss(result)


def _train_on(interp: Interpreter, loss: Instance, method: Function, result: Value) -> None:
    """Run backward on what an object that computes losses has given, call it again, and so on."""
    because = frozenset({Assumption(Kind.RESULT_TRAINED, method.name, weight=0)})
    learn(interp, loss, result, because)
    for _ in range(STEPS - 1):
        clear_caches(loss)
        again = call_with_unknowns(interp, loss, method) if carries_graph(loss) else None
        if again is None:
            return
        learn(interp, loss, again.value, because)


def renewers(instance: Instance, step: Function) -> Iterator[tuple[Instance, Function]]:
    """The methods of a module and its parts that are left to whoever trains it, and set anew what
    carries a graph by now; a constructor may begin with what they set."""
    for module in modules(instance):
        for method in _setters(module, step):
            if not method.name.startswith("_") and _callers(module, method) <= {"__init__"}:
                yield module, method


def _setters(instance: Instance, method: Function) -> list[Function]:
    """The methods other than that one which set anew what carries a graph by now, and behind them
    those that add to it again.

    What runs backward as a part of its step is not called in between as well.
    """
    if not isinstance(instance.cls, Class):
        return []
    parts = method.query(called_on_self)
    carried = {name for name, value in instance.attributes.items() if carries_graph(value)}
    values = instance.cls.attributes.values()
    functions = [value for value in values if isinstance(value, Function)]
    trainers = _trainers(instance.cls)
    others = [
        own
        for own in functions
        if own.name != method.name
        and not (own.name in parts and _runs_backward(own))
        and (may_come_between(own) or (own.name == "forward" and not is_module(instance)))
        and trainers.isdisjoint(own.query(stored))
    ]
    anew = {one: _set_anew(one, carried) for one in others}
    setters = [one for one in others if anew[one]]
    begun = {name for names in anew.values() for name in names}
    adding = [one for one in others if not (anew[one] or _runs_backward(one))]
    return [*setters, *(one for one in adding if begun & one.query(stored))]


def _set_anew(function: Function, names: set[str]) -> set[str]:
    """The attributes among some that a function assigns to before it reads them."""
    return {name for name in names if _sets_anew(function.written.node, name)}


def _trainers(cls: Class) -> frozenset[str]:
    """The attributes by which the methods of a class train: optimizers, and what they clear.

    A method that sets them anew begins a training, and is not called between two steps of it.
    """
    functions = [value for value in cls.attributes.values() if isinstance(value, Function)]
    done = [function.query(effects_in) for function in functions]
    paths = (path for one in done for path in (*one.stepped, *one.cleared))
    return frozenset(path.removeprefix("self.") for path in paths)


def _sets_anew(node: ast.AST, name: str) -> bool:
    """Whether a function assigns to an attribute before it reads it."""
    found = [part for part in walk(node) if isinstance(part, ast.Attribute)]
    own = [part for part in found if part.attr == name]
    stores = [part.lineno for part in own if isinstance(part.ctx, ast.Store)]
    loads = [part.lineno for part in own if isinstance(part.ctx, ast.Load)]
    return bool(stores) and all(row > min(stores) for row in loads)


def node_of(instance: Instance) -> ast.AST:
    """What to blame for calls of the harness: the class, which stands in the file analysed."""
    assert isinstance(instance.cls, Class)
    return instance.cls.node
