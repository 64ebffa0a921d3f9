"""Updates of parameters that a loop goes through, of which nothing is left: only a name is bound.

with torch.no_grad():
    for p, q in zip(average.parameters(), model.parameters()):
        p = 0.9 * p + 0.1 * q          # the next iteration binds p to another parameter

state = average.state_dict()
for name in state:
    state[name] = 0.9 * state[name] + 0.1 * other[name]     # another tensor in the dictionary
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.engine.pitfalls import LOST_ENTRY, LOST_UPDATE, Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.modules.states import STATE
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.events import ElementStored, NameBound
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Mapping, Unknown, Value

READING = {"items", "keys", "values", "get"}


class LostUpdates(Checker):
    """Looks at names of loops, and at entries of states, that mean another tensor from now on."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, NameBound, cls.name_bound)
        to.add(cls, ElementStored, cls.element_stored)

    def name_bound(self, interp: Interpreter, event: NameBound) -> None:
        """A name that meant a parameter is about to mean what was computed from it."""
        old, new = _tensor(event.before), _tensor(event.value)
        if old is None or new is None or new.storage is old.storage:
            return
        if not old.parameter and not _is_of_state(old):
            return
        if event.target in interp.query(interp.frame.source, _lost):
            place = interp.place(event.target)
            note(
                interp,
                Pitfall.PARAMETER_REBOUND,
                place,
                tensor=event.target.id,
                detail=LOST_UPDATE,
            )

    def element_stored(self, interp: Interpreter, event: ElementStored) -> None:
        """An entry of what `state_dict()` gave is about to be another tensor."""
        owner, new = event.owner, _tensor(event.value)
        if not isinstance(owner, Mapping) or new is None:
            return
        old = owner.entries.get(event.key)
        if not isinstance(old, Tensor) or not _is_of_state(old) or old.storage is new.storage:
            return
        if event.target in interp.query(interp.frame.source, _dropped):
            note(
                interp,
                Pitfall.PARAMETER_REBOUND,
                interp.place(event.target),
                tensor=ast.unparse(event.target),
                detail=LOST_ENTRY,
            )


def _is_of_state(tensor: Tensor) -> bool:
    """Whether a tensor is what `state_dict()` gave for a parameter."""
    return tensor.made is not None and tensor.made.operator == STATE


def _tensor(value: Value) -> Tensor | None:
    found = value.tensor if isinstance(value, Unknown) else value
    return found if isinstance(found, Tensor) else None


@query
def _lost(source: Source) -> frozenset[ast.AST]:
    """The names of loops that are bound to what is computed from them, and not read again."""
    return frozenset(name for loop in source.each(ast.For) for name in _lost_in(loop))


def _lost_in(loop: ast.For) -> Iterator[ast.Name]:
    own = {part.id for part in ast.walk(loop.target) if isinstance(part, ast.Name)}
    for statement in _statements(loop.body):
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        if not isinstance(statement, ast.Assign) or not isinstance(target, ast.Name):
            continue
        reads = [node for node in _reads(loop.body) if node.id == target.id]
        inside = set(ast.walk(statement.value))
        last = all(node in inside or node.lineno < statement.lineno for node in reads)
        if target.id in own and last and not inside.isdisjoint(reads):
            yield target


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a loop that run once in an iteration, those under conditions too."""
    for statement in body:
        yield statement
        if isinstance(statement, (ast.If, ast.With)):
            yield from _statements(statement.body)
        if isinstance(statement, ast.If):
            yield from _statements(statement.orelse)


def _reads(body: list[ast.stmt]) -> Iterator[ast.Name]:
    """The names that a loop reads; what it defines may read them at any time."""
    for statement in body:
        for part in ast.walk(statement):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
                yield part


@query
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
    return frozenset(found)


def _own_parts(body: ast.AST) -> Iterator[ast.AST]:
    """The parts of a function or module that are not those of an inner one."""
    for child in ast.iter_child_nodes(body):
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            yield child
            yield from _own_parts(child)


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
