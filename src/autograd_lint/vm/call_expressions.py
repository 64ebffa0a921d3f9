"""Call expressions: evaluating arguments, and what each kind of value does when it is called."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from autograd_lint.vm.calls import Call, call_function, call_value
from autograd_lint.vm.contents import put_into
from autograd_lint.vm.dictionaries import held
from autograd_lint.vm.events import ForwardCalled, ModuleCalled
from autograd_lint.vm.grad_modes import note_unrecorded
from autograd_lint.vm.graphs import graph_of
from autograd_lint.vm.instances import (
    call_instance,
    has_method,
    instantiate,
    is_module,
    outside_name,
)
from autograd_lint.vm.iteration import iterate
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.managers import GradMode
from autograd_lint.vm.stand_ins import stand_in
from autograd_lint.vm.values import (
    Bound,
    Class,
    External,
    Function,
    Instance,
    Items,
    Mapping,
    Method,
    Native,
    Super,
    Unknown,
    Value,
)
from autograd_lint.vm.world import Callers

CALLING = {"forward", "__call__"}  # what runs while a module is called


def evaluate_call(interp: Interpreter, node: ast.Call) -> Value:
    """The value of a call expression."""
    interp.budget.step()
    if isinstance(node.func, ast.Name) and node.func.id == "super":
        return _super(interp, node)
    function = interp.evaluate(node.func)
    call = evaluate_arguments(interp, node)
    result = call_value(interp, function, call)
    if type(result) is Unknown and not interp.engine.recording:
        _unrecorded(interp, function, result, call)
    return result


def _unrecorded(interp: Interpreter, function: Value, result: Unknown, call: Call) -> None:
    """What was there before the call (a model that `eval()` gives back) was not computed by it."""
    owner = getattr(function, "parent", None)
    known = [owner, *call.args, *call.keywords.values()]
    if isinstance(function, (Function, Method)) or any(result is one for one in known):
        return
    if isinstance(call.node, ast.Call):
        note_unrecorded(interp, result, call.node)


def _super(interp: Interpreter, node: ast.Call) -> Value:
    frame = interp.frame
    owner: Value = frame.function.owner if frame.function else None
    receiver = frame.receiver
    if len(node.args) == 2:
        owner, receiver = (interp.evaluate(argument) for argument in node.args)
    if isinstance(owner, Class) and receiver is not None:
        return Super(receiver, owner)
    return Unknown("super()")


def evaluate_arguments(interp: Interpreter, node: ast.Call) -> Call:
    """The arguments of a call, starred ones spread as far as they are known."""
    call = Call([], {}, node)
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            _spread(interp, argument, call)
        else:
            call.args.append(interp.evaluate(argument))
    for keyword in node.keywords:
        value = interp.evaluate(keyword.value)
        if keyword.arg is not None:
            call.keywords[keyword.arg] = value
            continue
        value = held(value) or value
        call.keywords.update(_named(value))
        unknown = value.rest if isinstance(value, Mapping) else value
        if unknown is not None:
            call.open = True
            call.spread.append(unknown)
    return call


def _named(value: Value) -> Iterator[tuple[str, Value]]:
    """What a dictionary is known to hold under names, or what the program has put into one that is
    not known."""
    entries: Iterable[tuple[object, Value]] = ()
    if isinstance(value, Mapping):
        entries = value.entries.items()
    elif isinstance(value, Unknown):
        entries = put_into(value).items()
    return ((key, part) for key, part in entries if isinstance(key, str))


def _spread(interp: Interpreter, argument: ast.Starred, call: Call) -> None:
    value = interp.evaluate(argument.value)
    spread = iterate(interp, value, argument)
    call.args.extend(spread.gathered())
    if not spread.complete:
        call.open = True
        call.spread.append(value.rest if isinstance(value, Items) else value)


def _method(interp: Interpreter, method: Method, call: Call) -> Value:
    receiver = method.receiver
    if method.function.name != "forward" or not is_module(receiver):
        return call_function(interp, method.function, call, receiver)
    interp.emit(ForwardCalled(receiver, call.node))
    result = call_function(interp, method.function, call, receiver)
    if isinstance(receiver, Instance) and _is_by_name(interp, receiver, call.node):
        interp.emit(ModuleCalled(receiver, graph_of(result), call), outside_name(receiver))
    return result


def _is_by_name(interp: Interpreter, module: Instance, node: ast.AST) -> bool:
    """Whether `module.forward(x)` stands where the module is not being called already, as it is
    where its `forward` asks that of a class above."""
    function = getattr(node, "func", None)
    named = isinstance(function, ast.Attribute) and function.attr == "forward"
    return named and not any(
        frame.receiver is module and frame.function is not None and frame.function.name in CALLING
        for frame in interp.frames
    )


def _function(interp: Interpreter, function: Function, call: Call) -> Value:
    return call_function(interp, function, call)


def _native(interp: Interpreter, native: Native, call: Call) -> Value:
    return native.run(interp, call)


def _grad_mode(interp: Interpreter, mode: GradMode, call: Call) -> Value:
    """A grad-mode context used as a decorator by hand."""
    target = call.get(0, "func")
    if mode.before is not None:
        interp.engine.grad_enabled = mode.before
    return target.under(mode) if isinstance(target, Function) else target


def _class(interp: Interpreter, cls: Class, call: Call) -> Value:
    return instantiate(interp, cls, call)


def _instance(interp: Interpreter, instance: Instance, call: Call) -> Value:
    return call_instance(interp, instance, call)


def _bound(interp: Interpreter, bound: Bound, call: Call) -> Value:
    return interp.models.calls.member(interp, bound, call)


def _external(interp: Interpreter, external: External, call: Call) -> Value:
    return interp.models.calls.external(interp, external.path, call)


def _unknown(interp: Interpreter, unknown: Unknown, call: Call) -> Value:
    known = stand_in(interp, unknown)
    if known is not None and (is_module(known) or has_method(known, "__call__")):
        return call_instance(interp, known, call)
    return interp.models.calls.unknown(interp, unknown, call)


CALLERS: Callers = {
    Function: _function,
    Method: _method,
    Native: _native,
    GradMode: _grad_mode,
    Class: _class,
    Instance: _instance,
    Bound: _bound,
    External: _external,
    Unknown: _unknown,
}
