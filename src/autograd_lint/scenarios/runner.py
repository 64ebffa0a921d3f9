"""Tests as a runner runs them: each with an object of its own, prepared, and with grad mode on."""

from __future__ import annotations

from contextlib import suppress

from autograd_lint.engine.machine import EngineError
from autograd_lint.scenarios.unknown_calls import unknown_call
from autograd_lint.vm.calls import Call, call_function
from autograd_lint.vm.control import ProgramRaises
from autograd_lint.vm.instances import initialize, new_instance
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Class, Function, Instance

_PREPARES = ("setUpClass", "setup_class", "setUp", "setup_method", "setup")


def run_test(interp: Interpreter, cls: Class, test: Function) -> None:
    """Run one test of a class."""
    instance = new_instance(cls, Call([], {}, cls.node))
    with suppress(ProgramRaises, EngineError):
        initialize(interp, instance, cls, Call([], {}, cls.node))
    for name in _PREPARES:
        method = cls.find(name)
        if isinstance(method, Function):
            with suppress(ProgramRaises, EngineError):
                _call(interp, instance, method)
    _call(interp, instance, test)


def _call(interp: Interpreter, instance: Instance, method: Function) -> None:
    bound = method.kind != "staticmethod"
    call = unknown_call(method.node, method, bound=bound)
    call_function(interp, method, call, instance if bound else None)
