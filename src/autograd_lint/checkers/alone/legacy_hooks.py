"""`module.register_backward_hook`: its hook is given the gradients of the last operator alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.project.code import called_name, code_of, last_name
from autograd_lint.project.source import Source

_PARTIAL = ("partial", "functools.partial")
Hook = ast.FunctionDef | ast.Lambda
ACTIVATIONS = frozenset(
    {"ReLU", "ReLU6", "LeakyReLU", "ELU", "CELU", "SELU", "GELU", "SiLU", "Sigmoid", "Tanh"}
)
GRAD_INPUT = 1  # the place of it among what a hook is given


def judge(source: Source) -> Iterator[Fault]:
    """Only modules have a method of that name; of one operator what it is given is right.

    So are the gradients of the module's result, which some hooks alone read.
    """
    several, in_modules = set(_several(source)), set(_in_modules(source))
    single = set(_on_activations(source))
    for node in source.each(ast.Call):
        if not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr == "register_backward_hook" and node.args:
            owner = ast.unparse(node.func.value)
            if id(node) in single:
                continue
            itself = owner == "self" and id(node) in in_modules
            hook = _bound_to_options(node.args[0])
            hooks = _hooks(source, hook)
            bound = isinstance(hook, ast.Attribute)
            reads = any(_reads_inputs(source, one, bound=bound) for one in hooks)
            replaces = itself and any(map(_returns, hooks))
            if hooks and not (reads or replaces):
                continue
            known = itself or (owner in several and reads)
            weight = 0 if known else 1 if hooks else 2  # It may read what is right.
            because = Assumption(Kind.SEVERAL_OPERATORS, owner, weight=weight)
            yield Fault(
                Pitfall.LEGACY_HOOK,
                source.place(node),
                tensor=owner,
                operator="register_backward_hook",
                assumptions=frozenset({because}),
            )


def _in_modules(source: Source) -> Iterator[int]:
    """The nodes in classes that have a `forward`, by identity."""
    for cls in source.each(ast.ClassDef):
        if any(isinstance(one, ast.FunctionDef) and one.name == "forward" for one in cls.body):
            yield from map(id, ast.walk(cls))


def _on_activations(source: Source) -> Iterator[int]:
    """The calls on what is known to be an activation, which runs one operator on one tensor, by
    identity: `if isinstance(module, nn.ReLU)` stands before them."""
    for branch in source.each(ast.If):
        asked = branch.test
        if not (isinstance(asked, ast.Call) and code_of(asked.func) == "isinstance" and asked.args):
            continue
        if code_of(asked.args[-1]).rpartition(".")[2] in ACTIVATIONS:
            layer = f"{code_of(asked.args[0])}."
            inside = (one for statement in branch.body for one in ast.walk(statement))
            calls = (one for one in inside if isinstance(one, ast.Call))
            yield from (id(one) for one in calls if code_of(one.func).startswith(layer))


def _several(source: Source) -> Iterator[str]:
    """The names of what a file makes of several layers."""
    own = {node.name for node in source.each(ast.ClassDef)}
    for node in source.each(ast.Assign):
        name = called_name(node.value)
        if name == "Sequential" or name in own:
            yield from map(ast.unparse, node.targets)


def _bound_to_options(hook: ast.expr) -> ast.expr:
    """The function that `functools.partial` gives options by keyword, or the hook as it is."""
    if isinstance(hook, ast.Call) and code_of(hook.func) in _PARTIAL and len(hook.args) == 1:
        return hook.args[0]
    return hook


def _hooks(source: Source, hook: ast.expr) -> Sequence[Hook]:
    """The functions of a file that a hook may be."""
    if isinstance(hook, ast.Call):
        return [inner for maker in _hooks(source, hook.func) for inner in _made_in(maker)]
    return [hook] if isinstance(hook, ast.Lambda) else _named(source, last_name(hook))


def _made_in(maker: Hook) -> Iterator[ast.FunctionDef]:
    """The functions that a function makes, one of which it returns."""
    parts = (part for part in ast.walk(maker) if part is not maker)
    return (part for part in parts if isinstance(part, ast.FunctionDef))


def _named(source: Source, name: str) -> list[ast.FunctionDef]:
    return [node for node in source.each(ast.FunctionDef) if node.name == name]


def _returns(function: Hook) -> bool:
    """Whether a hook returns something: for the gradients of what the last operator was given."""
    if isinstance(function, ast.Lambda):
        return True
    ends = (part for part in ast.walk(function) if isinstance(part, ast.Return))
    return any(one.value is not None for one in ends)


def _reads_inputs(source: Source, hook: Hook, *, bound: bool) -> bool:
    """Whether a hook reads the gradients of what the module was given; `bound` says that it is an
    attribute of something, and so may be a method."""
    names = [argument.arg for argument in hook.args.args]
    given = names[1:] if bound and names[:1] == ["self"] else names
    rest = hook.args.vararg
    if len(given) <= GRAD_INPUT and rest is None:
        return False
    wanted = given[GRAD_INPUT] if rest is None or len(given) > GRAD_INPUT else rest.arg
    return _reads(source, hook, wanted)


def _reads(source: Source, hook: Hook, name: str) -> bool:
    """Whether a function reads an argument, and does not only hand it to a function of the file
    that leaves it alone."""
    body = hook.body if isinstance(hook.body, list) else [hook.body]
    parts = [part for statement in body for part in ast.walk(statement)]
    calls = (part for part in parts if isinstance(part, ast.Call))
    handed = {id(one) for call in calls for one in _left_alone(source, call)}
    read = (part for part in parts if isinstance(part, ast.Name) and part.id == name)
    return any(id(part) not in handed for part in read)


def _left_alone(source: Source, call: ast.Call) -> Iterator[ast.expr]:
    """The names that a call gives to a function of the file which never mentions them."""
    called = _named(source, call.func.id) if isinstance(call.func, ast.Name) else []
    for position, given in enumerate(call.args):
        if isinstance(given, ast.Name) and called and not _mentions(called, position):
            yield given


def _mentions(functions: Sequence[ast.FunctionDef], position: int) -> bool:
    """Whether one of several functions mentions what it is given at a position."""
    for function in functions:
        names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
        parts = (part for statement in function.body for part in ast.walk(statement))
        named = {part.id for part in parts if isinstance(part, ast.Name)}
        if position >= len(names) or names[position] in named:
            return True
    return False
