"""Objects of classes of the program, made as nobody in particular makes them."""

from __future__ import annotations

from contextlib import suppress

from autograd_lint.engine.machine import EngineError
from autograd_lint.scenarios.given_classes import give_classes
from autograd_lint.scenarios.infer_arguments import infer_attributes
from autograd_lint.scenarios.initial_state import begin_attributes, begin_held, begin_options
from autograd_lint.scenarios.unknown_calls import leave_out, unknown_call
from autograd_lint.vm.calls import Call
from autograd_lint.vm.control import ProgramRaises
from autograd_lint.vm.dictionaries import opened
from autograd_lint.vm.frames import Frame
from autograd_lint.vm.instances import initialize, is_module_class, new_instance
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.scope import Scope
from autograd_lint.vm.values import Class, Function, Instance, Unknown

_STEPS = 4_000  # of making one: a model with all of its parts
_DEEPEST = 3  # objects that are made for objects that are made


def call_of_constructor(interp: Interpreter, cls: Class, *, any_name: bool = False) -> Call:
    """The call that makes an object of a class from unknown arguments."""
    initializer = cls.find("__init__")
    start = initializer if isinstance(initializer, Function) else None
    call = unknown_call(cls.node, start, bound=True, any_name=any_name)
    infer_attributes(interp, call, cls)
    if start is not None:
        leave_out(call, start)
        give_classes(interp, call, cls)
    if is_module_class(cls):
        for given in call.keywords.values():
            if isinstance(given, Unknown) and not given.hint:
                given.weight = max(given.weight, 2)  # a graph would not outlive the first step
    return call


def make_object(interp: Interpreter, cls: Class, value: Unknown) -> Instance | None:
    """The object that an unknown value of some class is.

    What it was made with is data rather than something with a graph; what its methods set later,
    and its options, are not known.
    """
    making = [one for one in interp.frames if one.function and one.function.name == "__init__"]
    if len(making) >= _DEEPEST:
        return None
    with interp.activation(Frame(Scope(), cls.source)), interp.aside(_STEPS):
        call = call_of_constructor(interp, cls)
        for given in call.keywords.values():
            if isinstance(given, Unknown):
                given.weight = max(given.weight, 2)
        instance = new_instance(cls, call)
        with suppress(ProgramRaises, EngineError), interp.engine.mode(grad=True, inference=False):
            initialize(interp, instance, cls, call)
        opened(instance)
        begin_attributes(interp, instance, cls)
        begin_held(instance)
        begin_options(instance, value.origin)
    return instance
