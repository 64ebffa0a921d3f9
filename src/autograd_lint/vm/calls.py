"""Calls: evaluating arguments, binding parameters, following what can be followed."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.abstract_methods import (
    call_abstract_method,
    has_no_body,
    is_abstract_here,
    is_left_unwritten,
)
from autograd_lint.vm.budget import BudgetExceeded
from autograd_lint.vm.control import (
    BreakLoop,
    ContinueLoop,
    ProgramRaises,
    ReturnValue,
)
from autograd_lint.vm.events import FunctionLeft
from autograd_lint.vm.frames import Frame, may_enter
from autograd_lint.vm.hints import settle
from autograd_lint.vm.integers import known_constant
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.managers import Suspended
from autograd_lint.vm.raising import ends
from autograd_lint.vm.scope import Scope
from autograd_lint.vm.tables import means_another
from autograd_lint.vm.unfinished import left_early, made_in_part
from autograd_lint.vm.values import (
    Function,
    Items,
    Mapping,
    Unknown,
    Value,
    constant,
)

SHARE = 10  # what a call must leave of the steps to come: one in so many


@dataclass(slots=True)
class Call:
    """The arguments of a call and the node to blame.

    There may be any others where it is `open`, further ones by position where there are `more`;
    `spread` are what is not known of the values that the others come from (`**batch`).
    """

    args: list[Value]
    keywords: dict[str, Value]
    node: ast.AST
    open: bool = False
    more: bool = False
    spread: list[Value] = field(default_factory=list)

    def get(self, position: int, keyword: str, default: Value = None) -> Value:
        """An argument by position or by keyword."""
        if position < len(self.args):
            return self.args[position]
        return self.keywords.get(keyword, default)

    def given(self, position: int, keyword: str) -> bool:
        return position < len(self.args) or keyword in self.keywords


def call_value(interp: Interpreter, function: Value, call: Call) -> Value:
    """Call any value."""
    run = interp.world.language.callers.get(type(function))
    if run is not None:
        return run(interp, function, call)
    if constant(function):
        ends(interp, "TypeError")
    return Unknown(interp.text(call.node))


def call_function(
    interp: Interpreter,
    function: Function,
    call: Call,
    receiver: Value = None,
    resume: Callable[[Value], None] | None = None,
) -> Value:
    """Follow a function of the program; Unknown where it is too deep.

    `resume` is run at every `yield` of a context manager.
    """
    if function.manager and resume is None:
        return Suspended(function, call, receiver)
    if function.remembers and not (call.open or call.more):
        return _remembered(interp, function, call, receiver)
    if not may_enter(interp.frames, function, call.args):
        return Unknown(interp.text(call.node))
    if means_another(function, call.keywords):
        return _of_another(interp, function, call, receiver)
    interp.record.reached.entered.add(function.node)
    interp.record.reached.homes[function.definition] = function.source
    scope = Scope(parent=function.scope, module=function.scope.module or function.scope)
    args = call.args if receiver is None else [receiver, *call.args]
    bind_parameters(function, args, call, scope)
    first = args[0] if args else None
    frame = Frame(scope, function.source, function, first, resume=resume, call=call)
    interp.frames.append(frame)
    recording = interp.engine.grad_enabled
    before = interp.budget.limit
    # A call that takes most of what is left is given up; the rest of the program goes on.
    interp.budget.limit -= (before - interp.budget.steps) // SHARE
    value: Value = None
    finished = False
    try:
        if function.mode is None and function.decorator is None and function.inside is None:
            value = _run_body(interp, function, frame)
        else:
            with _decorated(interp, function):
                value = _run_body(interp, function, frame)
        finished = True
        return value
    except BudgetExceeded:
        if interp.budget.steps > before:
            raise
        return _given_up(interp, function, call, receiver)
    except ProgramRaises:
        if not _goes_on(interp, function):
            raise
        return _given_up(interp, function, call, receiver)
    finally:
        interp.budget.limit = before
        interp.frames.pop()
        interp.emit(FunctionLeft(function, receiver, frame, call, args, value, finished, recording))


def _remembered(interp: Interpreter, function: Function, call: Call, receiver: Value) -> Value:
    """What a function gave before for the same arguments, or gives now for the first time."""
    given = [receiver, *call.args, *call.keywords.values()]
    told = (value if known_constant(value) else id(value) for value in given)
    key = (function.definition, *map(type, given), *told, *call.keywords)
    if key not in interp.record.returned.remembered:
        value = call_function(interp, replace(function, remembers=False), call, receiver)
        interp.record.returned.remembered[key] = given, value
    return interp.record.returned.remembered[key][1]


def _of_another(interp: Interpreter, function: Function, call: Call, receiver: Value) -> Value:
    """What is called is not the function that is known."""
    if function.name == "__init__":
        made_in_part(receiver)
    return call_value(interp, Unknown(f"another `{function.name}`"), call)


def _given_up(interp: Interpreter, function: Function, call: Call, receiver: Value) -> Unknown:
    """What a call gives that was not followed to its end."""
    interp.record.gave_up = True
    interp.record.abandoned.append(function)
    if function.name == "__init__":
        left_early(receiver, function)
    return Unknown(interp.text(call.node))


def _goes_on(interp: Interpreter, function: Function) -> bool:
    """Whether the program is taken to go on where a function of another file has raised.

    It works as a rule: what was found to be wrong there is what is not known of its arguments.
    """
    own, caller = interp.world.source, interp.frames[-2:-1]
    leaves = function.source is not own and any(frame.source is own for frame in caller)
    return leaves and not interp.engine.catching and not interp.choices.path.negated


@contextmanager
def _decorated(interp: Interpreter, function: Function) -> Iterator[None]:
    """What the decorators of a function do around its body."""
    with ExitStack() as around:
        mode = function.mode
        if mode is not None:
            switch = mode.made
            around.enter_context(
                interp.engine.mode(grad=mode.grad, inference=mode.inference, switch=switch)
            )
        if function.decorator is not None:
            kept = Assumption(Kind.GRAD_MODE_KEPT, function.decorator, weight=0)
            around.enter_context(interp.engine.supposing(kept))
        if function.inside is not None:
            around.enter_context(function.inside.enter(interp))
        yield


@contextmanager
def _in_caller(interp: Interpreter) -> Iterator[None]:
    """What is done in place of the body of a function stands where the function is called."""
    frame = interp.frames.pop()
    try:
        yield
    finally:
        interp.frames.append(frame)


def _run_body(interp: Interpreter, function: Function, frame: Frame) -> Value:
    node = function.node
    if interp.world.listener is not None:
        interp.world.listener(interp, function, frame)
    if isinstance(node, ast.Lambda):
        return interp.evaluate(node.body)
    if function.owner is not None and frame.call is not None and is_abstract_here(interp, node):
        with _in_caller(interp):
            return call_abstract_method(interp, function, frame.receiver, frame.call)
    if _yields(function.source, node):
        frame.yielded = Items("generator", [], taken=0)
    value: Value = None
    try:
        interp.run_block(node.body)
    except ReturnValue as returned:
        value = returned.value
    except (BreakLoop, ContinueLoop):
        value = None
    if function.name == "__init__" and function.query(is_left_unwritten):
        made_in_part(frame.receiver)
    if frame.yielded is not None:
        frame.yielded.leaks = frame.leaks
        return frame.yielded
    left_open = function.owner is not None or function.source.stands_for
    if value is None and left_open and has_no_body(node.body):
        return Unknown(f"{function.name}()")
    return value


@query
def _yields(source: Source, node: ast.AST) -> bool:
    return "yield" in source.segment(node) and is_generator(node)


def is_generator(node: ast.AST) -> bool:
    """Whether a function's own body yields."""
    stack: list[ast.AST] = list(ast.iter_child_nodes(node))
    while stack:
        part = stack.pop()
        if isinstance(part, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            stack.extend(ast.iter_child_nodes(part))
    return False


def bind_parameters(function: Function, args: list[Value], call: Call, scope: Scope) -> None:
    """Bind arguments to parameters; what is missing is unknown."""
    parameters = function.node.args
    positional = [*parameters.posonlyargs, *parameters.args]
    keywords = dict(call.keywords)
    first_default = len(positional) - len(function.defaults)
    for position, parameter in enumerate(positional):
        name = parameter.arg
        if position < len(args):
            value = args[position]
        elif name in keywords:
            value = keywords.pop(name)
        elif position >= first_default and not call.open:
            value = function.defaults[position - first_default]
        else:
            value = Unknown(name)
        scope.names[name] = value
        settle(parameter, value)
    for parameter in parameters.kwonlyargs:
        name = parameter.arg
        default = function.keyword_defaults.get(name, Unknown(name))
        scope.names[name] = value = keywords.pop(name, default)
        settle(parameter, value)
    if parameters.vararg:
        unknown = call.open or call.more
        rest = Unknown(f"an element of {parameters.vararg.arg}") if unknown else None
        more = list(args[len(positional) :])
        for value in more:
            settle(parameters.vararg, value)
        scope.names[parameters.vararg.arg] = Items("tuple", more, rest)
    if parameters.kwarg:
        others: dict[Value, Value] = dict(keywords.items())
        rest = Unknown(f"an element of {parameters.kwarg.arg}") if call.open else None
        scope.names[parameters.kwarg.arg] = Mapping(others, rest)
