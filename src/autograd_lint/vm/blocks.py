"""`with` and `try`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from autograd_lint.engine.machine import EngineError
from autograd_lint.project.code import code_of
from autograd_lint.project.nodes import raises
from autograd_lint.vm.assignment import assign
from autograd_lint.vm.calls import call_function
from autograd_lint.vm.control import (
    BreakLoop,
    ContinueLoop,
    ProgramRaises,
    ReturnValue,
)
from autograd_lint.vm.events import ContextEntered
from autograd_lint.vm.instances import call_method, has_method
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.managers import GradMode, Manager, Raises, Suspended
from autograd_lint.vm.raising import catches
from autograd_lint.vm.record import Lacking
from autograd_lint.vm.truth import known_truth
from autograd_lint.vm.values import FOREIGN, Instance, Unknown, Value

ASSERTIONS = {"assertRaises", "assertRaisesRegex"}
ENGINE_ERROR = "RuntimeError"
EXITS = {"exit", "quit", "sys.exit", "os._exit", "os.abort"}


def run_with(interp: Interpreter, node: ast.With | ast.AsyncWith) -> None:
    """Run the body inside its context managers."""
    _run_inside(interp, node.items, node.body)


def _run_inside(interp: Interpreter, items: list[ast.withitem], body: list[ast.stmt]) -> None:
    if not items:
        interp.run_block(body)
        return
    item = items[0]

    def inside(entered: Value) -> None:
        if item.optional_vars is not None:
            assign(interp, item.optional_vars, entered)
        _run_inside(interp, items[1:], body)

    manager = interp.evaluate(item.context_expr)
    if isinstance(manager, Suspended):
        _run_suspended(interp, manager, inside)
        return
    with enter_manager(interp, manager, item.context_expr) as entered:
        inside(entered)


def _run_suspended(
    interp: Interpreter, manager: Suspended, inside: Callable[[Value], None]
) -> None:
    """Run the function of a context manager, and what is inside where it yields."""
    outside = list(interp.frames)
    left: list[ReturnValue | BreakLoop | ContinueLoop] = []
    entered: list[Value] = []

    def resume(value: Value) -> None:
        entered.append(value)
        frames, interp.frames = interp.frames, list(outside)
        try:
            inside(value)
        except (ReturnValue, BreakLoop, ContinueLoop) as leaving:
            left.append(leaving)
        finally:
            interp.frames = frames

    call_function(interp, manager.function, manager.call, manager.receiver, resume)
    if not entered:
        inside(Unknown("a context"))
    for leaving in left:
        raise leaving


def enter_manager(
    interp: Interpreter, manager: Value, node: ast.AST
) -> AbstractContextManager[Value]:
    """The context of any value but the suspended function of one, in which a body runs."""
    interp.emit(ContextEntered(manager, node))
    if isinstance(manager, GradMode):
        return _grad_mode(interp, manager)
    if isinstance(manager, Raises) or _asserts_error(node):
        return _expecting(interp)
    if isinstance(manager, Manager):
        return manager.enter(interp)
    if isinstance(manager, Instance) and _enters(manager):
        return _object(interp, manager, node)
    entered = Unknown(interp.text(node))
    if isinstance(manager, Unknown) and FOREIGN in manager.attributes:
        entered.attributes[FOREIGN] = True
    return nullcontext(entered)


def _asserts_error(node: ast.AST) -> bool:
    """Whether it is `self.assertRaises(...)`, of whatever test case."""
    function = node.func if isinstance(node, ast.Call) else None
    return isinstance(function, ast.Attribute) and function.attr in ASSERTIONS


@contextmanager
def _grad_mode(interp: Interpreter, mode: GradMode) -> Iterator[Value]:
    engine = interp.engine
    before = engine.grad_enabled if mode.before is None else mode.before
    frame = interp.frame
    around, frame.switched = frame.switched, mode.made if not mode.grad else frame.switched
    try:
        with engine.mode(grad=mode.grad, inference=mode.inference, switch=mode.made):
            yield None
    finally:
        engine.grad_enabled = before
        frame.switched = around


@contextmanager
def _expecting(interp: Interpreter) -> Iterator[Value]:
    try:
        with interp.guarded():
            yield Unknown("the expected error")
    except (EngineError, ProgramRaises):
        return


def _enters(manager: Instance) -> bool:
    return has_method(manager, "__enter__") or "__enter__" in manager.attributes


@contextmanager
def _object(interp: Interpreter, manager: Instance, node: ast.AST) -> Iterator[Value]:
    value = call_method(interp, manager, "__enter__", [], node)
    try:
        yield value
    except ProgramRaises:
        raised: list[Value] = [Unknown("an error", "type"), Unknown("an error", "object"), None]
        if known_truth(_leave(interp, manager, raised, node)) is not True:
            raise
    except BaseException:
        _leave(interp, manager, [None, None, None], node)
        raise
    else:
        _leave(interp, manager, [None, None, None], node)


def _leave(interp: Interpreter, manager: Instance, raised: list[Value], node: ast.AST) -> Value:
    """What the `__exit__` of an object gives, to which is told what was raised inside."""
    given = has_method(manager, "__exit__")
    return call_method(interp, manager, "__exit__", raised, node) if given else None


def run_try(interp: Interpreter, node: ast.Try) -> None:
    """Run the body; an error the handlers would catch goes to its handler."""
    known = next((one for one in node.handlers if one in interp.world.passed), None)
    try:
        if known is None:
            _run_handled(interp, node)
        else:
            _run_failed(interp, node, known)
    finally:
        interp.run_block(node.finalbody)


def _run_handled(interp: Interpreter, node: ast.Try) -> None:
    handler = _handler(node, ENGINE_ERROR)
    caught = handler is not None and not _goes_on_failing(handler.body)
    try:
        with interp.guarded() if caught else nullcontext(), _awaiting(interp, node):
            interp.run_block(node.body)
    except EngineError:
        if handler is None:
            raise
        _run_handler(interp, handler)
    except ProgramRaises as raised:
        handler = _handler(node, raised.name)
        if handler is None:
            raise
        _run_handler(interp, handler)
    else:
        interp.run_block(node.orelse)


def _run_failed(interp: Interpreter, node: ast.Try, handler: ast.ExceptHandler) -> None:
    """Run a body that is known to have failed, as far as it goes, and then the handler."""
    try:
        with interp.guarded(), _awaiting(interp, node):
            interp.run_block(node.body)
    except (EngineError, ProgramRaises, ReturnValue, BreakLoop, ContinueLoop):
        pass
    _run_handler(interp, handler)


@contextmanager
def _awaiting(interp: Interpreter, node: ast.Try) -> Iterator[None]:
    """Whether what is not implemented would be caught is known within, and that an object lacks
    what is read of it says nothing where that is caught."""
    before, lacking = interp.expecting, interp.state(Lacking)
    lacked = lacking.found
    interp.expecting += _handler(node, "NotImplementedError") is not None
    try:
        yield
    finally:
        interp.expecting = before
        lacking.found = lacked if _handler(node, "AttributeError") is not None else lacking.found


def _handler(node: ast.Try, name: str) -> ast.ExceptHandler | None:
    for handler in node.handlers:
        names = _names(handler)
        if not name or names & {"Exception", "BaseException"} or catches(names, name):
            return handler
    return None


def _goes_on_failing(body: list[ast.stmt]) -> bool:
    """Whether a handler ends the program, or passes the error on: then it hides nothing."""
    last = body[-1]
    if isinstance(last, ast.If):
        return bool(last.orelse) and all(map(_goes_on_failing, (last.body, last.orelse)))
    call = last.value if isinstance(last, ast.Expr) else None
    exits = isinstance(call, ast.Call) and code_of(call.func) in EXITS
    return exits or raises(last)


def _names(handler: ast.ExceptHandler) -> set[str]:
    if handler.type is None:
        return {"BaseException"}
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return {code_of(kind).rpartition(".")[2] for kind in types}


def _run_handler(interp: Interpreter, handler: ast.ExceptHandler) -> None:
    if handler.name:
        interp.frame.scope.bind(handler.name, Unknown(handler.name))
    interp.run_block(handler.body)
