"""Defining functions and classes."""

from __future__ import annotations

import ast
import sys
from dataclasses import replace

from autograd_lint.project.code import code_of
from autograd_lint.project.source import Source
from autograd_lint.vm.calls import Call, call_function, call_value
from autograd_lint.vm.enumerations import make_members
from autograd_lint.vm.events import FunctionDecorated
from autograd_lint.vm.fields import is_named_tuple
from autograd_lint.vm.frames import Frame
from autograd_lint.vm.identity_decorators import gives_back
from autograd_lint.vm.instances import call_method, has_method
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.managers import GradMode, Manager
from autograd_lint.vm.members import is_enumeration
from autograd_lint.vm.scope import Scope
from autograd_lint.vm.values import (
    Class,
    External,
    Function,
    Instance,
    Lazy,
    Method,
    Native,
    Unknown,
    Value,
)

KINDS = {"staticmethod", "classmethod", "property"}
ACCESSORS = {"setter", "deleter", "getter"}
MANAGERS = {"contextlib.contextmanager", "contextlib.asynccontextmanager"}
CACHED = {"functools.cached_property", "cached_property"}
COMPILERS = {"cupy", "jax", "numba", "taichi", "tensorflow", "triton", "warp"}
# Off unless the optimizer is made with `differentiable=True`. Source: torch/optim/optimizer.py.
SWITCHING_OFF = {"torch.optim.optimizer._use_grad_for_differentiable"}
# Packages whose decorators leave grad mode unchanged, as do those of Python itself.
PLAIN = sys.stdlib_module_names | {
    *("attr", "attrs", "beartype", "builtins", "click", "einops", "hydra", "hypothesis", "jax"),
    *("jaxtyping", "lightning", "numpy", "parameterized", "pydantic", "pytest", "tensorflow"),
    *("pytorch_lightning", "torch", "transformers", "typeguard", "typer", "typing_extensions"),
}
MODES = ("no_grad", "inference_mode")  # at the end of the names of decorators


def define_function(interp: Interpreter, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Value:
    """The value of a `def` statement, decorators applied."""
    accessor = next(filter(None, map(_accessor, node.decorator_list)), None)
    if accessor is not None:
        return _with_accessor(interp, accessor, node)
    plain = _closure(interp, node)
    value: Value = plain
    for decorator in reversed(node.decorator_list):
        value = _decorate(interp, interp.evaluate(decorator), value, decorator)
    is_own = isinstance(value, Function) and value.definition is node
    closure = value if is_own else plain
    if interp.frame.function is not None and isinstance(closure, Function):
        recorded = interp.engine.grad_enabled
        interp.record.closures[node] = closure if recorded else closure.under(GradMode(grad=False))
    return value


def define_later(
    scope: Scope, source: Source, node: ast.FunctionDef | ast.AsyncFunctionDef, interp: Interpreter
) -> Value:
    """The value of a `def` statement of a module, when the program first asks for it."""
    with interp.activation(Frame(scope, source)):
        return define_function(interp, node)


def decorated_by_program(scope: Scope, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a decorator is a function of the program, or imported and not looked at so far."""
    roots = map(_root, node.decorator_list)
    return any(isinstance(scope.names.get(root), (Function, Lazy)) for root in roots)


def _root(node: ast.expr) -> str:
    """The name that an expression begins with."""
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Call):
            node = node.func
        elif isinstance(node, ast.Attribute):
            node = node.value
        else:
            return ""
    return node.id


def _accessor(node: ast.expr) -> ast.Attribute | None:
    """The decorator `x.setter` of a property `x`, and its like."""
    return node if isinstance(node, ast.Attribute) and node.attr in ACCESSORS else None


def _with_accessor(
    interp: Interpreter, accessor: ast.Attribute, node: ast.FunctionDef | ast.AsyncFunctionDef
) -> Value:
    """A property with one more accessor, of which those that set are known."""
    found = interp.evaluate(accessor.value)
    if accessor.attr == "setter" and isinstance(found, Function) and found.kind == "property":
        return replace(found, setter=_closure(interp, node))
    return interp.frame.scope.names.get(node.name)


def define_lambda(interp: Interpreter, node: ast.Lambda) -> Value:
    return _closure(interp, node)


def _closure(
    interp: Interpreter, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
) -> Function:
    arguments = node.args
    named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return Function(
        node,
        interp.frame.scope,
        interp.source,
        [interp.evaluate(default) for default in arguments.defaults],
        {arg.arg: interp.evaluate(default) for arg, default in named if default is not None},
        owner=interp.frame.function.owner if interp.frame.function else None,
        code_reads=interp.code_reads,
    )


def _decorate(interp: Interpreter, decorator: Value, value: Value, node: ast.expr) -> Value:
    """A decorated function; a decorator that is not understood changes nothing.

    Unless it is called after a grad mode: then it sees to it where that mode is there.
    """
    if isinstance(value, Function):
        known = _as_known(interp, decorator, value, node)
        if known is not None:
            return known
    if isinstance(decorator, (Function, Method, Native, External, Class)):
        result = call_value(interp, decorator, Call([value], {}, node))
        if isinstance(result, Function) and isinstance(value, Function) and result is not value:
            return replace(result, wrapped=value.written)
        if isinstance(result, (Function, Method, Instance, Class)):
            return result
    if isinstance(value, Function) and _may_switch_modes(decorator):
        return replace(value, decorator=_called(node))
    return value


def _called(decorator: ast.expr) -> str:
    """How a decorator is written, without the arguments it is called with."""
    return code_of(decorator).partition("(")[0]


def _as_known(
    interp: Interpreter, decorator: Value, function: Function, node: ast.expr
) -> Value | None:
    """What a decorator that is known makes of a function; None where it has to be called."""
    if _compiles(interp, node):
        return Unknown(function.name)
    if isinstance(decorator, Unknown) and _called(node).endswith(MODES):
        return function.under(GradMode(grad=False))
    if isinstance(decorator, External):
        return _as_kind(decorator.path.removeprefix("builtins."), function)
    if isinstance(decorator, GradMode):
        if decorator.before is not None:
            interp.engine.grad_enabled = decorator.before
        interp.emit(FunctionDecorated(function, node))
        return function.under(decorator)
    if isinstance(decorator, Manager):
        return replace(function, inside=decorator)
    return function if _gives_back(interp, decorator) else None


def _as_kind(path: str, function: Function) -> Function | None:
    """What a decorator of a library, by its path, makes of a function."""
    if path in KINDS:
        return function.as_kind(path)
    if path in CACHED:
        return function.as_kind("cached_property")
    if path == "torch.jit.unused_property":
        return function.as_kind("property")
    if path in MANAGERS:
        return replace(function, manager=True)
    return function.under(GradMode(grad=False)) if path in SWITCHING_OFF else None


def _may_switch_modes(decorator: Value) -> bool:
    """Whether a decorator is unknown code of a package that is not known for plain ones."""
    if not isinstance(decorator, (External, Unknown)):
        return False
    path = decorator.path if isinstance(decorator, External) else decorator.origin
    return path.partition(".")[0] not in PLAIN


def _compiles(interp: Interpreter, node: ast.expr) -> bool:
    """Whether a decorator makes something else than Python of a function, on arrays of its own."""
    named = node.func if isinstance(node, ast.Call) else node
    owner = named.value if isinstance(named, ast.Attribute) else named
    marker = interp.evaluate(named) if isinstance(owner, ast.Name) else None
    return isinstance(marker, External) and marker.path.partition(".")[0] in COMPILERS


def _gives_back(interp: Interpreter, decorator: Value) -> bool:
    if not isinstance(decorator, Function) or _tells_object(decorator):
        return False
    if decorator.code_reads is not None:
        return gives_back(interp, decorator)  # whoever asks looks at its code
    return interp.memoized("gives back", decorator.node, lambda _: gives_back(interp, decorator))


def _tells_object(decorator: Function) -> bool:
    """Whether a decorator stands in a method of an object, which may call what it is told of."""
    scope = decorator.scope
    within = scope.module is not None and scope is not scope.module
    return within and any(isinstance(value, Instance) for value in scope.names.values())


def define_class(interp: Interpreter, node: ast.ClassDef) -> Value:
    """The value of a `class` statement."""
    bases = [interp.evaluate(base) for base in node.bases if not isinstance(base, ast.Starred)]
    if interp.source.stands_for:
        bases.append(External(f"{interp.source.stands_for}.{node.name}"))
    cls = Class(node, bases, interp.source, code_reads=interp.code_reads)
    metas = [one.value for one in node.keywords if one.arg == "metaclass"]
    cls.meta = interp.evaluate(metas[0]) if metas else None
    own: dict[str, Value] = {}
    scope = Scope(
        own,
        parent=interp.frame.scope,
        module=interp.frame.scope.module or interp.frame.scope,
        is_class=True,
    )
    with interp.activation(Frame(scope, interp.source)):
        interp.run_block(node.body)
    cls.attributes = own
    _name_descriptors(interp, cls)
    creator = own.get("__new__")
    if isinstance(creator, Function):
        creator.kind = "staticmethod"
    for value in own.values():
        if isinstance(value, Function) and value.owner is None:
            value.owner = cls
    decorated = any("dataclass" in code_of(d) for d in node.decorator_list)
    cls.dataclass = decorated or is_named_tuple(cls)
    if is_enumeration(cls):
        make_members(interp, cls)
    _tell_bases(interp, cls)
    return cls


def _name_descriptors(interp: Interpreter, cls: Class) -> None:
    """Tell the descriptors in the body of a class under which names they stand there."""
    for name, value in list(cls.attributes.items()):
        if isinstance(value, Instance) and has_method(value, "__set_name__"):
            call_method(interp, value, "__set_name__", [cls, name], cls.definition)


def _tell_bases(interp: Interpreter, cls: Class) -> None:
    """Run what a base does to classes that derive from it: it may wrap their methods."""
    bases = [base for base in cls.bases if isinstance(base, Class)]
    hook = next(filter(None, (base.find("__init_subclass__") for base in bases)), None)
    if isinstance(hook, Function):
        keywords = {
            one.arg: interp.evaluate(one.value)
            for one in cls.definition.keywords
            if one.arg not in (None, "metaclass")
        }
        call_function(interp, hook, Call([], keywords, cls.definition), cls)
