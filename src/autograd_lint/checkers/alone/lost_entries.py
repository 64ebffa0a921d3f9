"""Entries of a state that are set, and loaded by nobody: no parameter is changed.

model.state_dict()[name] = weight          # another tensor in a dictionary that is dropped

state = average.state_dict()
for name in state:
    state[name] = 0.9 * state[name] + 0.1 * other[name]

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.state_dict
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import LOST_ENTRY, LOST_STATE, Pitfall
from autograd_lint.project.nodes import children
from autograd_lint.project.source import Source

READING = {"items", "keys", "values", "get"}


def judge(source: Source) -> Iterator[Fault]:
    """What `state_dict()` gives is a new dictionary each time, unless the program defines it."""
    if any(one.name == "state_dict" for one in source.each(ast.FunctionDef)):
        return
    for alone in source.each(ast.Expr):
        state = _updated(alone.value)
        if state is not None:
            yield Fault(
                Pitfall.PARAMETER_REBOUND,
                source.place(alone),
                tensor=ast.unparse(state),
                detail=LOST_STATE,
            )
    dropped = _dropped(source)
    for target in _set(source):
        if target in dropped:
            yield Fault(
                Pitfall.PARAMETER_REBOUND,
                source.place(target),
                tensor=ast.unparse(target),
                detail=LOST_ENTRY,
            )
        elif _is_of_groups(target):
            yield _without_effect(source, target)
    for loop in source.each(ast.For):
        if _is_of_groups(loop.iter):
            yield from (_without_effect(source, one) for one in _set_in(loop))


def _without_effect(source: Source, target: ast.expr) -> Fault:
    tensor = ast.unparse(target)
    return Fault(Pitfall.RATE_WITHOUT_EFFECT, source.place(target), tensor=tensor)


def _set_in(loop: ast.For) -> Iterator[ast.Subscript]:
    """The options of its variable, a group, that a loop sets."""
    group = loop.target.id if isinstance(loop.target, ast.Name) else None
    elements = (part for part in ast.walk(loop) if isinstance(part, ast.Subscript))
    for one in elements:
        owner = one.value
        if isinstance(one.ctx, ast.Store) and isinstance(owner, ast.Name) and owner.id == group:
            yield one


def _set(source: Source) -> Iterator[ast.expr]:
    """What the statements of a file assign to."""
    return (target for one in source.each(ast.Assign) for target in one.targets)


def _is_of_groups(target: ast.expr) -> bool:
    """Whether it is an option of what `state_dict()` gives for the groups of an optimizer: a copy.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.state_dict.html
    """
    while isinstance(target, ast.Subscript) and not _is_state(target.value):
        target = target.value
    key = target.slice if isinstance(target, ast.Subscript) else None
    return isinstance(key, ast.Constant) and key.value == "param_groups"


def _updated(code: ast.expr) -> ast.expr | None:
    """The call of `state_dict` that makes a dictionary which is updated and dropped."""
    called = code.func if isinstance(code, ast.Call) else None
    if isinstance(called, ast.Attribute) and called.attr == "update" and _is_state(called.value):
        return called.value
    return None


def _dropped(source: Source) -> frozenset[ast.AST]:
    """The entries that are set in a dictionary which is only made, read and written by its keys:
    nobody is given it."""
    found: set[ast.AST] = set()
    bodies = [source.tree, *source.each(ast.FunctionDef), *source.each(ast.AsyncFunctionDef)]
    for body in bodies:
        parts = list(_own_parts(body))
        kept = _handed_over(parts)
        found |= {
            part
            for part in parts
            if isinstance(part, ast.Subscript)
            and isinstance(part.ctx, ast.Store)
            and (_is_state(part.value) or _is_local(body, part.value, kept))
        }
        found -= _put_back(parts)
    return frozenset(found)


def _put_back(parts: list[ast.AST]) -> set[ast.AST]:
    """The entries that are given what they hold already, by a name that means nothing else."""
    made = [(name, value) for part in parts for name, value in _bound(part)]
    names = [part for part in parts if isinstance(part, ast.Name)]
    stored = Counter(one.id for one in names if isinstance(one.ctx, ast.Store))
    held = {name.id: ast.unparse(value) for name, value in made if stored[name.id] == 1}
    sets = [part for part in parts if isinstance(part, ast.Assign)]
    return {
        target
        for one in sets
        for target in one.targets
        if isinstance(one.value, ast.Name) and held.get(one.value.id) == ast.unparse(target)
    }


def _own_parts(body: ast.AST) -> Iterator[ast.AST]:
    """The parts of a function or module that are not those of an inner one."""
    stack = children(body)[::-1]
    while stack:
        part = stack.pop()
        if not isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            yield part
            stack += children(part)[::-1]


def _handed_over(parts: list[ast.AST]) -> frozenset[str]:
    """The names that are read otherwise than by a key, or gone through."""
    reading: set[ast.AST] = set()
    for part in parts:
        if isinstance(part, ast.Subscript) or (
            isinstance(part, ast.Attribute) and part.attr in READING
        ):
            reading.add(part.value)
        elif isinstance(part, (ast.For, ast.comprehension)):
            reading.add(part.iter)
        elif isinstance(part, ast.Compare):
            reading.update(part.comparators)
    names = (part for part in parts if isinstance(part, ast.Name))
    return frozenset(
        one.id for one in names if isinstance(one.ctx, ast.Load) and one not in reading
    )


def _is_state(code: ast.AST) -> bool:
    """Whether it is a call of `state_dict`."""
    return (
        isinstance(code, ast.Call)
        and isinstance(code.func, ast.Attribute)
        and code.func.attr == "state_dict"
    )


def _is_local(body: ast.AST, code: ast.AST, kept: frozenset[str]) -> bool:
    """Whether it is a name that a function binds to a state, and nobody else has."""
    if not isinstance(code, ast.Name) or code.id in kept:
        return False
    inner = set(ast.walk(body)) - set(_own_parts(body))
    if any(isinstance(part, ast.Name) and part.id == code.id for part in inner):
        return False
    bound = [pair for part in _own_parts(body) for pair in _bound(part)]
    return any(name.id == code.id and _is_state(value) for name, value in bound)


def _bound(part: ast.AST) -> Iterator[tuple[ast.Name, ast.expr]]:
    """The names that an assignment binds, each with its value."""
    if not isinstance(part, ast.Assign):
        return
    for target in part.targets:
        pairs = [(target, part.value)]
        if isinstance(target, ast.Tuple) and isinstance(part.value, ast.Tuple):
            pairs = list(zip(target.elts, part.value.elts, strict=False))
        yield from ((name, value) for name, value in pairs if isinstance(name, ast.Name))
