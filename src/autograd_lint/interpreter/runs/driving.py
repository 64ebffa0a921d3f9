"""Drivers: what runs code that nothing in its file runs.

A module (`nn.Module`) gets the canonical training step: construct, then forward on unknown inputs,
backward through the result, an optimizer step, and again, as long as a graph is carried from one
step to the next. A function or method is called with unknown arguments.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from contextlib import suppress
from itertools import islice

from autograd_lint.engine.faults import Assumption
from autograd_lint.engine.machine import EngineError
from autograd_lint.interpreter.machine import Interpreter
from autograd_lint.interpreter.python.calls import Call, call_function, call_value
from autograd_lint.interpreter.python.code import once
from autograd_lint.interpreter.python.control import ProgramRaises, ReturnValue
from autograd_lint.interpreter.python.instances import (
    call_instance,
    initialize,
    instance_attribute,
    is_module,
    is_module_class,
    new_instance,
)
from autograd_lint.interpreter.pytorch.custom_functions import apply_function
from autograd_lint.interpreter.pytorch.hidden import USING
from autograd_lint.interpreter.pytorch.lightning_modules import evaluates
from autograd_lint.interpreter.runs.beginning import begin_attributes, begins_off
from autograd_lint.interpreter.runs.caches import (
    clear_caches,
    cutters,
    empty_lists,
    may_come_between,
)
from autograd_lint.interpreter.runs.casting import cast, cast_attributes
from autograd_lint.interpreter.runs.contracts import give_model, inherited_trainers, steps
from autograd_lint.interpreter.runs.gate import trains, words
from autograd_lint.interpreter.runs.learning import carries_graph, differentiate, learn, trained
from autograd_lint.interpreter.runs.unknown_calls import positional, unknown_call
from autograd_lint.interpreter.values import (
    Class,
    Definition,
    Function,
    Instance,
    Method,
    Unknown,
    Value,
)
from autograd_lint.interpreter.watching.accumulating import (
    CALLS,
    gathers,
    gives_loss,
    judge_gathered,
)
from autograd_lint.interpreter.watching.returning import returned
from autograd_lint.project.source import Source

STEPS = 3
MAKING = 250  # steps of making a module after which those it is made of are taken as unknown
PREPARES = re.compile(r"_?(init(ialize)?|build|setup|set_up|create|configure|make|prepare)(_|$)")
_EVALUATION = re.compile(r"(?:^|_)(?:eval|valid|val|test|metric|score)")
_ON_SELF = re.compile(r"self\.(\w+)\(")
_PRIVATE = re.compile(r"\bdef\s+(_\w+)")


def drive_class(interp: Interpreter, cls: Class, driven: set[ast.AST]) -> None:
    """Drive a class: a module through training steps, then each method nobody has called."""
    instance = _made(interp, cls)
    for step in steps(cls):
        if step.node not in driven and step.node not in interp.entered:
            with suppress(ProgramRaises, EngineError):
                _train(interp, instance, step)
    if carries_graph(instance):
        # What a step has left behind is for its own loss, which the methods may be part of.
        instance = _made(interp, cls)
    for method in inherited_trainers(cls):
        with suppress(ProgramRaises, EngineError):
            _repeat(interp, instance, method)
    for method in _methods(interp, cls):
        if method.node not in driven and method.node not in interp.entered:
            with suppress(ProgramRaises, EngineError):
                _repeat(interp, instance, method)


def _made(interp: Interpreter, cls: Class, *, any_name: bool = False) -> Instance:
    """An object of a class, made with unknown arguments and prepared."""
    initializer = cls.find("__init__")
    start = initializer if isinstance(initializer, Function) else None
    call = unknown_call(cls.node, start, bound=True, any_name=any_name)
    cast_attributes(interp, call, cls)
    if is_module_class(cls):
        for given in call.keywords.values():
            if isinstance(given, Unknown) and not given.hint:
                given.weight = max(given.weight, 2)  # a graph would not outlive the first step
    instance = new_instance(cls, call)
    interp.patience = interp.steps + MAKING
    # Checks of arguments, which nothing is known of, are no reason to give the class up.
    with suppress(ProgramRaises):
        initialize(interp, instance, cls, call)
    interp.patience = None
    for method in _preparations(instance, cls):
        with suppress(ProgramRaises, EngineError):
            _call_method(interp, instance, method)
    begin_attributes(interp, instance, cls)
    return instance


def drive_method(interp: Interpreter, cls: Class, method: Function) -> None:
    """Drive one method of a class, in training mode or not, whatever its defaults."""
    instance = _made(interp, cls, any_name=True)
    if method.name == "__init__":
        return
    if is_module_class(cls):
        instance.attributes["training"] = Unknown("self.training", "bool", usual=True)
    if method in steps(cls):
        _train(interp, instance, method, any_name=True)
    else:
        _repeat(interp, instance, method, any_name=True)


def _node(instance: Instance) -> ast.AST:
    """What to blame for calls of the driver: the class, which stands in the file analysed."""
    assert isinstance(instance.cls, Class)
    return instance.cls.node


def _preparations(instance: Instance, cls: Class) -> list[Function]:
    """The methods that, by their names and by what they set, come before all others."""
    missing = {name for name, value in instance.attributes.items() if value is None}
    if not missing:
        return []
    functions = [value for value in cls.attributes.values() if isinstance(value, Function)]
    texts = [step.source.segment(step.node) for step in steps(cls)]
    early = [
        function
        for function in functions
        if PREPARES.match(function.name)
        # A step that prepares for itself knows when.
        and not any(f"self.{function.name}(" in text for text in texts)
    ]
    return [function for function in early if missing & _sets(function.node)]


def _sets(node: ast.AST) -> set[str]:
    """The attributes of anything that a function assigns to."""
    return {
        part.attr
        for part in ast.walk(node)
        if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store)
    }


def _methods(interp: Interpreter, cls: Class) -> list[Function]:
    """The methods to drive: those that the class calls itself last, private ones not at all."""
    functions = [
        value.written
        for name, value in cls.attributes.items()
        if isinstance(value, Function)
        and (not name.startswith("__") or name == "__call__")
        and value.kind in ("function", "staticmethod")
        and value.written.source is cls.source
    ]
    callers = _callers(functions)
    called = [f for f in functions if callers[f.node] and not _is_private(f)]
    public = [f for f in called if all(caller.mode is None for caller in callers[f.node])]
    free = [f for f in functions if not callers[f.node]]
    others = [f for f in free if not (_is_private(f) and _is_used(interp, f))]
    return [*others, *public]


def _callers(functions: list[Function]) -> dict[ast.AST, list[Function]]:
    """The other methods that call each one; they know what it is given."""
    texts = [(function, function.source.segment(function.node)) for function in functions]
    return {
        function.node: [
            other
            for other, text in texts
            if other is not function and f"self.{function.name}(" in text
        ]
        for function in functions
    }


def _is_private(function: Function) -> bool:
    return function.name.startswith("_") and not function.name.startswith("__")


def _is_used(interp: Interpreter, function: Function) -> bool:
    return function.name in interp.ask(function.source, _used)


def _used(source: Source) -> frozenset[str]:
    """The private functions of a file whose names stand there more than once."""
    each = [found for _, found in source.pieces.each(_private_in)]
    often = Counter(word for words, _ in each for word in words)
    return frozenset(name for _, defined in each for name in defined if often[name] > 1)


def _private_in(text: str) -> tuple[list[str], list[str]]:
    """The words of a text that begin as names of private functions do, and those functions."""
    return [word for word in words(text) if word.startswith("_")], _PRIVATE.findall(text)


def _train(
    interp: Interpreter, instance: Instance, forward: Function, *, any_name: bool = False
) -> None:
    """The canonical training step, repeated while the module carries a graph on.

    Who does gets as many steps of the interpreter for each repetition as the one before took. A
    step that runs backward itself is whole: its result is for the log.
    """
    for _ in range(STEPS):
        begun, passes = interp.steps, len(interp.engine.passes)
        call = unknown_call(_node(instance), forward, bound=True, any_name=any_name)
        if forward.name == "forward":
            result = call_instance(interp, instance, call)
        else:
            give_model(call)
            result = call_function(interp, forward, call, instance)
        if not trained(interp, passes):
            learn(interp, instance, result, _because(interp, instance, forward))
        clear_caches(instance)
        if carries_graph(instance):
            for method in cutters(instance):
                with suppress(ProgramRaises, EngineError):
                    call_value(interp, method, Call([], {}, _node(instance)))
        if not carries_graph(instance):
            return
        interp.budget += interp.steps - begun


def _is_loss(instance: Instance, method: Function, result: Value) -> bool:
    """Whether a method of an object that is no module gives a loss to those who train."""
    if is_module(instance) or trains(method.source.segment(method.node)):
        return False
    evaluates = method.name in USING or _EVALUATION.search(method.name)
    return not (evaluates or _is_part(instance, method)) and gives_loss(result)


def _train_on(interp: Interpreter, loss: Instance, method: Function, result: Value) -> None:
    """Run backward on what an object that computes losses has given, call it again, and so on."""
    because = frozenset({Assumption(f"the result of `{method.name}` is trained", 0)})
    learn(interp, loss, result, because)
    for _ in range(STEPS - 1):
        clear_caches(loss)
        again = _call_method(interp, loss, method) if carries_graph(loss) else None
        if again is None:
            return
        learn(interp, loss, again.value, because)


def _because(interp: Interpreter, instance: Instance, forward: Function) -> frozenset[Assumption]:
    """The assumption of a training step: a daring one where the path has left training mode."""
    training = instance.attributes.get("training")
    evaluates = isinstance(training, Unknown) and interp.decided(training) is False
    weight = 2 if evaluates else 0
    return frozenset({Assumption(f"the result of `{forward.name}` is trained", weight)})


def _setters(instance: Instance, method: Function) -> list[Function]:
    """The methods other than that one which set anew what carries a graph by now."""
    if not isinstance(instance.cls, Class):
        return []
    carried = {name for name, value in instance.attributes.items() if carries_graph(value)}
    values = instance.cls.attributes.values()
    functions = [value for value in values if isinstance(value, Function)]
    others = [own for own in functions if own.name != method.name and may_come_between(own)]
    return [own for own in others if any(_sets_anew(own.written.node, name) for name in carried)]


def _sets_anew(node: ast.AST, name: str) -> bool:
    """Whether a function assigns to an attribute before it reads it."""
    found = [part for part in ast.walk(node) if isinstance(part, ast.Attribute)]
    own = [part for part in found if part.attr == name]
    stores = [part.lineno for part in own if isinstance(part.ctx, ast.Store)]
    loads = [part.lineno for part in own if isinstance(part.ctx, ast.Load)]
    return bool(stores) and all(row > min(stores) for row in loads)


def _repeat(
    interp: Interpreter, instance: Instance, method: Function, *, any_name: bool = False
) -> None:
    """Call a method, a few times if it trains: then it is a step of its own.

    Between two calls other methods set anew what they are there to set. One that other methods
    call is part of their step: they know what comes between two calls.
    """
    interp.engine.stopped.clear()
    # Which mode another method has left behind says nothing about who calls this one.
    interp.engine.grad_enabled, interp.engine.switch = True, None
    if _runs_backward(method):
        for _ in range(1 if _is_part(instance, method) else STEPS):
            called = _call_method(interp, instance, method, any_name=any_name)
            if called:
                returned(interp, method, called.value)
            empty_lists(instance)
            if not called or not carries_graph(instance):
                return
            for other in _setters(instance, method):
                with suppress(ProgramRaises, EngineError):
                    _call_method(interp, instance, other)
        return
    passes = len(interp.engine.passes)
    result = _call_method(interp, instance, method, any_name=any_name)
    cls = instance.cls
    if result and _is_loss(instance, method, result.value):
        _train_on(interp, instance, method, result.value)
    elif result and result.value is not instance and not trained(interp, passes):
        # The object lives on, and with it the graph that it may have kept.
        unasked = is_module(instance) and _is_part(instance, method)
        _finish(interp, method, result.value, retain=True, weight=int(unasked))
    gathering = isinstance(cls, Class) and not is_module(instance) and gathers(cls, method)
    if gathering and carries_graph(instance):
        for _ in range(CALLS - 1):
            _call_method(interp, instance, method, any_name=any_name)
        judge_gathered(interp, instance)


def _is_part(instance: Instance, method: Function) -> bool:
    """Whether another method of the object calls this one, also one that it inherits."""
    classes = instance.cls.mro() if isinstance(instance.cls, Class) else ()
    values = [value for own in classes for value in own.attributes.values()]
    functions = [value.written for value in values if isinstance(value, Function)]
    own = method.written.definition
    others = [function for function in functions if function.definition is not own]
    return any(method.name in function.about(_called_on_self) for function in others)


def _called_on_self(source: Source, node: Definition) -> frozenset[str]:
    """The methods that a function calls on its object."""
    return once(node, "self", lambda _: frozenset(_ON_SELF.findall(source.segment(node))))


def _call_method(
    interp: Interpreter, instance: Instance, method: Function, *, any_name: bool = False
) -> ReturnValue | None:
    """What a call with unknown arguments returns; None when it is no method of the object."""
    found = instance_attribute(interp, instance, method.name, method.node)
    if isinstance(found, Function):
        call = unknown_call(method.node, method, bound=False, any_name=any_name)
        cast(interp, call, method)
        return ReturnValue(call_function(interp, found, call))
    if not isinstance(found, Method):
        return None
    call = unknown_call(_node(instance), method, bound=True, any_name=any_name)
    cast(interp, call, method)
    with interp.engine.mode(grad=not (evaluates(instance, method.name) or begins_off(method))):
        return ReturnValue(call_function(interp, found.function, call, instance))


def drive_function(interp: Interpreter, function: Function, *, any_name: bool = False) -> None:
    """Call a function with unknown arguments."""
    call = unknown_call(function.node, function, bound=False, any_name=any_name)
    cast(interp, call, function)
    if begins_off(function):
        interp.engine.grad_enabled = False
    _finish(interp, function, call_function(interp, function, call))


def drive_custom_function(interp: Interpreter, cls: Class) -> None:
    """Apply a custom Function to unknown arguments, and run its backward twice."""
    forward = cls.find("forward")
    if not isinstance(forward, Function):
        return
    own = isinstance(cls.find("__init__"), Function) and cls.find("backward") is None
    if forward.kind == "function" and own:
        return  # its objects are used like any others
    # With `setup_context` of its own, `forward` is not given a `ctx`.
    with_context = not isinstance(cls.find("setup_context"), Function)
    made = unknown_call(cls.node, forward, bound=with_context)
    parameters = positional(forward, with_context)
    if forward.kind == "classmethod":
        parameters = islice(parameters, 1, None)
    given = [made.keywords.get(parameter.arg, default) for parameter, default in parameters]
    # What has a default may not be given at all: how many gradients are wanted is not known then.
    optional = forward.node.args.vararg is not None or bool(forward.defaults)
    call = Call(given, {}, cls.node, more=optional)
    because = frozenset({Assumption(f"`{cls.name}` is differentiated", 0)})
    result = apply_function(interp, cls, call)
    for _ in range(2):
        differentiate(interp, result, because, retain=True)


def _finish(
    interp: Interpreter,
    function: Function,
    result: Value,
    *,
    retain: bool = False,
    weight: int = 0,
) -> None:
    """The result of a function that runs no backward itself is taken to be part of a loss.

    Not where it only uses what has been trained: `predict` and its like, and what evaluates. That
    is daring (`weight`) of what a module calls itself, but not on its way through training steps.
    """
    returned(interp, function, result)
    if _runs_backward(function) or is_module(result) or function.name in USING:
        return
    if any(one.caller == function.name for one in interp.watch.evaluated.values()):
        return
    text = f"the result of `{function.name}` takes part in a loss"
    because = Assumption(text, weight, called=True)
    differentiate(interp, result, frozenset({because}), retain=retain)


def _runs_backward(function: Function) -> bool:
    return trains(function.source.segment(function.node))
