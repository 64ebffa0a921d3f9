"""Harnesses: what runs code that nothing in its file runs.

A module (`nn.Module`) gets the canonical training step: construct, then forward on unknown inputs,
backward through the result, an optimizer step, and again, as long as a graph is carried from one
step to the next. A function or method is called with unknown arguments.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice

from autograd_lint.checkers.containers import gathers
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.machine import EngineError
from autograd_lint.facts.relevance import words
from autograd_lint.libraries.torch.events import LossReturned, ResultTrained
from autograd_lint.libraries.torch.functions.custom_functions import apply_function
from autograd_lint.project.nodes import walk
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.scenarios.caches import (
    clear_caches,
    cutters,
)
from autograd_lint.scenarios.idle_methods import is_idle
from autograd_lint.scenarios.infer_arguments import infer_arguments
from autograd_lint.scenarios.inherited_attributes import infer_inherited
from autograd_lint.scenarios.initial_state import (
    begin_attributes,
    begin_held,
    begins_off,
)
from autograd_lint.scenarios.learning import (
    carries_graph,
    differentiate,
    goes_on,
    learn,
    left_training,
    trained,
)
from autograd_lint.scenarios.method_harnesses import (
    STEPS,
    call_with_unknowns,
    finish,
    node_of,
    renewers,
    repeat,
)
from autograd_lint.scenarios.objects import call_of_constructor
from autograd_lint.scenarios.switches import let_go
from autograd_lint.scenarios.training_steps import give_model, inherited_trainers, loss_in, steps
from autograd_lint.scenarios.unknown_calls import positional, unknown_call
from autograd_lint.vm.budget import BudgetExceeded
from autograd_lint.vm.calls import Call, call_function, call_value
from autograd_lint.vm.control import ProgramRaises
from autograd_lint.vm.dictionaries import opened
from autograd_lint.vm.instances import (
    call_instance,
    initialize,
    is_module_class,
    new_instance,
)
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.record import Entry
from autograd_lint.vm.values import (
    Class,
    Function,
    Instance,
    Unknown,
)

LEAST = 200  # steps for each method of a class in which a fault may be
MAKING = 250  # steps of making a module after which those it is made of are taken as unknown
PREPARES = re.compile(r"_?(init(ialize)?|build|setup|set_up|create|configure|make|prepare)(_|$)")
_PRIVATE = re.compile(r"\bdef\s+(_\w+)")


def run_class(interp: Interpreter, cls: Class, entered: set[ast.AST]) -> None:
    """Run a class: a module through training steps, then each method nobody has called.

    What it inherits may train it. Of a module (of Lightning) that is a whole epoch, which leaves
    nothing to do for those steps that it calls.
    """
    instance = _made(interp, cls)
    if is_module_class(cls):
        _run_inherited(interp, instance, cls, call_with_unknowns)
    for step in _not_entered(interp, entered, steps(cls)):
        with suppress(ProgramRaises, EngineError):
            _train(interp, instance, step)
    if carries_graph(instance):
        # What a step has left behind is for its own loss, which the methods may be part of.
        instance = _made(interp, cls)
    if not is_module_class(cls):
        _run_inherited(interp, instance, cls, repeat)
    for method in _not_entered(interp, entered, _methods(interp, cls)):
        if not is_idle(interp, cls, method):
            _run_one_of_many(interp, instance, method)
    if interp.record.gave_up:
        for method in _not_entered(interp, entered, _helpers(cls)):
            _run_one_of_many(interp, instance, method)


def _run_inherited(
    interp: Interpreter,
    instance: Instance,
    cls: Class,
    run: Callable[[Interpreter, Instance, Function], object],
) -> None:
    """Run what a class inherits that trains with its own methods.

    Its bases have not been run by that: they call methods of their own.
    """
    methods, entered = inherited_trainers(cls), interp.record.reached.entered
    if not methods:
        return
    before = frozenset(entered)
    for method in methods:
        with suppress(ProgramRaises, EngineError):
            run(interp, instance, method)
    values = [value for base in cls.mro()[1:] for value in base.attributes.values()]
    of_bases = {value.written.definition for value in values if isinstance(value, Function)}
    entered -= of_bases - before


def _not_entered(
    interp: Interpreter, entered: set[ast.AST], methods: Iterable[Function]
) -> Iterator[Function]:
    """The methods that neither a run before nor this one has come to, as it goes on."""
    for one in methods:
        if one.node not in entered and one.node not in interp.record.reached.entered:
            yield one


def _run_one_of_many(interp: Interpreter, instance: Instance, method: Function) -> None:
    """Run a method of a class: one in which a fault may be has some steps of its own, whatever the
    others have taken."""
    if interp.world.relevance.leads_to_fault(method.source, method.node):
        interp.budget.limit = max(interp.budget.limit, interp.budget.steps + LEAST)
    with suppress(ProgramRaises, EngineError):
        try:
            repeat(interp, instance, method)
        except BudgetExceeded:
            interp.record.gave_up = True


def _made(interp: Interpreter, cls: Class, *, any_name: bool = False) -> Instance:
    """An object of a class, made with unknown arguments and prepared."""
    call = call_of_constructor(interp, cls, any_name=any_name)
    interp.state(Entry).given = (*call.args, *call.keywords.values())
    interp.choices.options.update(one for one in call.keywords.values() if isinstance(one, Unknown))
    instance = new_instance(cls, call)
    interp.budget.patience = interp.budget.steps + MAKING
    # Checks of arguments, which nothing is known of, are no reason to give the class up.
    with suppress(ProgramRaises):
        initialize(interp, instance, cls, call)
    interp.budget.patience = None
    opened(instance)
    for method in _preparations(instance, cls):
        with suppress(ProgramRaises, EngineError):
            call_with_unknowns(interp, instance, method)
    begin_attributes(interp, instance, cls)
    begin_held(instance)
    infer_inherited(interp, instance, cls)
    return instance


def run_method(interp: Interpreter, cls: Class, method: Function) -> None:
    """Run one method of a class, in training mode or not, whatever its defaults."""
    instance = _made(interp, cls, any_name=True)
    interp.budget.limit += interp.budget.steps  # the budget is for the method
    if method.name == "__init__":
        return
    if is_module_class(cls):
        instance.attributes["training"] = Unknown("self.training", "bool", usual=True)
    if method in steps(cls):
        _train(interp, instance, method, any_name=True)
    else:
        repeat(interp, instance, method, any_name=True)


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
        for part in walk(node)
        if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store)
    }


def _methods(interp: Interpreter, cls: Class) -> list[Function]:
    """The methods to run: those that the class calls itself last, private ones not at all."""
    functions = _own_functions(cls)
    callers = _callers(functions)
    called = [f for f in functions if callers[f.node] and not _is_private(f)]
    public = [f for f in called if all(caller.mode is None for caller in callers[f.node])]
    free = [f for f in functions if not callers[f.node]]
    others = [f for f in free if not (_is_private(f) and _is_used(interp, f))]
    return [*others, *public]


def _helpers(cls: Class) -> list[Function]:
    """The private methods of a class, to which its other methods may not have led."""
    return [function for function in _own_functions(cls) if _is_private(function)]


def _own_functions(cls: Class) -> list[Function]:
    return [
        value.written
        for name, value in cls.attributes.items()
        if isinstance(value, Function)
        and (not name.startswith("__") or name == "__call__")
        and value.kind in ("function", "staticmethod")
        and value.written.source is cls.source
    ]


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
    return function.name in interp.query(function.source, _used)


@query
def _used(source: Source) -> frozenset[str]:
    """The private functions of a file whose names stand there also where they are not defined."""
    each = [found for _, found in source.pieces.each(_private_in)]
    often = Counter(word for words, _ in each for word in words)
    defined = Counter(name for _, names in each for name in names)
    return frozenset(name for name, count in defined.items() if often[name] > count)


def _private_in(text: str) -> tuple[list[str], list[str]]:
    """The words of a text that begin as names of private functions do, and those functions."""
    return [word for word in words(text) if word.startswith("_")], _PRIVATE.findall(text)


def _train(
    interp: Interpreter, instance: Instance, forward: Function, *, any_name: bool = False
) -> None:
    """The canonical training step, repeated while the module carries a graph on.

    Who does gets as many steps of the interpreter for each repetition as the one before took. A
    step that runs backward itself is whole: its result is for the log, unless a `forward` has gone
    on computing after that.
    """
    for _ in range(STEPS):
        begun, passes = interp.budget.steps, len(interp.engine.backward.passes)
        if any_name:
            let_go(instance)
        call = unknown_call(node_of(instance), forward, bound=True, any_name=any_name)
        if forward.name == "forward":
            result = call_instance(interp, instance, call)
        else:
            give_model(call)
            result = call_function(interp, forward, call, instance)
        loss = loss_in(instance.cls, forward.name, result)
        if loss is not None:
            interp.emit(LossReturned(loss))
        if not trained(interp, passes) or (forward.name == "forward" and goes_on(result)):
            because = _because(interp, instance, forward)
            learn(interp, instance, result, because)
            for one in because:
                interp.emit(ResultTrained(forward, result, one))
        clear_caches(instance)
        if carries_graph(instance):
            for method in cutters(instance):
                with suppress(ProgramRaises, EngineError):
                    call_value(interp, method, Call([], {}, node_of(instance)))
        for module, other in renewers(instance, forward) if carries_graph(instance) else ():
            with suppress(ProgramRaises, EngineError):
                call_with_unknowns(interp, module, other)
        if not (carries_graph(instance) or gathers(interp, instance)):
            return
        interp.budget.limit += interp.budget.steps - begun


def _because(interp: Interpreter, instance: Instance, forward: Function) -> frozenset[Assumption]:
    """The assumption of a training step: a daring one where the path has left training mode."""
    weight = 2 if left_training(interp, instance) else 0
    return frozenset({Assumption(Kind.RESULT_TRAINED, forward.name, weight=weight)})


def run_function(interp: Interpreter, function: Function, *, any_name: bool = False) -> None:
    """Call a function with unknown arguments."""
    call = unknown_call(function.node, function, bound=False, any_name=any_name)
    infer_arguments(interp, call, function)
    interp.state(Entry).given = (*call.args, *call.keywords.values())
    if begins_off(function):
        interp.engine.grad_enabled = False
    finish(interp, function, call_function(interp, function, call))


def run_custom_function(interp: Interpreter, cls: Class) -> None:
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
    because = frozenset({Assumption(Kind.DIFFERENTIATED, cls.name, weight=0)})
    result = apply_function(interp, cls, call)
    for _ in range(2):
        differentiate(interp, result, because, retain=True)
