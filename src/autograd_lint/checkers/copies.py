"""Copies that are none: a new value is computed in place, on memory that belongs to something else.

`cost = self.logits.cpu().neg_()` reads as a new tensor, and negates the logits of the object: on
the CPU there was nothing to copy. What tells that a new value was meant is the text: the write goes
through a conversion, and its result gets another name, is returned or computed with.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Modified
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.facts.body import body
from autograd_lint.immutable import immutable
from autograd_lint.libraries.torch.events import OperatorRun
from autograd_lint.project.code import code_of
from autograd_lint.project.nodes import statements, walk
from autograd_lint.project.query import query
from autograd_lint.vm.frames import Frame
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance, Unknown, Value

CONVERSIONS = {"detach", "cpu"}  # what they return may be on the memory of what they are given
SAME = {"requires_grad_"}  # and this one returns the tensor itself
SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Expr)

Def = ast.FunctionDef | ast.AsyncFunctionDef


@immutable
class Origin:
    """What is written belongs to `source`: an argument, or an attribute of the object.

    `conversions` lie between the two, `names` is all that it is called on the way.
    """

    source: ast.Name | ast.Attribute
    conversions: tuple[str, ...]
    names: frozenset[str]


@dataclass(slots=True, eq=False, repr=False)
class Copies(Checker):
    """The writes of what the text takes for a copy, with whose it is and what that rests on."""

    mistaken: list[tuple[Modified, Origin, frozenset[Assumption]]] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, OperatorRun, cls.ran)

    def ran(self, interp: Interpreter, event: OperatorRun) -> None:
        """A method has written its tensor in place: one that the text takes for a copy?"""
        operation, node = event.operation, event.node
        if not operation.form.modifies:
            return
        frame = interp.frame
        function = frame.function.node if frame.function is not None else None
        written = operation.arguments.get("0")
        if not isinstance(function, Def) or not isinstance(written, Tensor):
            return
        if not _taken(function, node):
            return
        origin = _origin(function, node)
        if origin is not None and _belongs(frame, origin.source) and written.storage.writes:
            write = written.storage.writes[-1].event
            self.mistaken.append((write, origin, _assumptions(origin)))

    def end(self, interp: Interpreter) -> None:
        """The run is over: which of these writes were not told otherwise?"""
        likely = [fault for fault in interp.engine.faults if fault.weight <= 1]
        told = {fault.modified.place for fault in likely if fault.modified is not None}
        for event, origin, assumptions in self.mistaken:
            if event.place not in told:
                note(
                    interp,
                    Pitfall.ALIAS_FOR_COPY,
                    event.place,
                    tensor=code_of(origin.source),
                    operator=origin.conversions[-1],
                    modified=event,
                    assumptions=assumptions,
                )


def _belongs(frame: Frame, source: ast.Name | ast.Attribute) -> bool:
    """Whether somebody else holds it: it was handed over, or is an attribute that was set."""
    if isinstance(source, ast.Attribute):
        receiver = frame.receiver
        return isinstance(receiver, Instance) and source.attr in receiver.attributes
    value: Value = frame.scope.names.get(source.id)
    if isinstance(value, Unknown):
        return True
    root = value.base or value if isinstance(value, Tensor) else None
    return root is not None and root.node is not None and root.node.opaque


def _assumptions(origin: Origin) -> frozenset[Assumption]:
    """That somebody wants it as it was, and where it is if that matters.

    An object's own tensor stays where it is; what is handed over may come from anywhere.
    """
    given, text = isinstance(origin.source, ast.Name), code_of(origin.source)
    wanted = Assumption(Kind.WANTED_BY_CALLER, weight=0)
    found = {wanted if given else Assumption(Kind.USED_AGAIN, text, weight=0)}
    if "cpu" in origin.conversions:
        found.add(Assumption(Kind.ON_CPU, text, weight=2 if given else 1))
    return frozenset(found)


@query
def _taken(function: Def, node: ast.AST) -> bool:
    """Whether a write in place goes through a conversion, and its result is put elsewhere."""
    origin = _origin(function, node)
    if origin is None or not origin.conversions or function.name.endswith("_"):
        return False
    statement = next((s for s in statements(function) if _holds(s, node)), None)
    if isinstance(statement, ast.Expr):
        return _written(statement.value, node) is not node
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return origin.names.isdisjoint(map(code_of, targets))


def _holds(statement: ast.AST, node: ast.AST) -> bool:
    return isinstance(statement, SIMPLE) and any(part is node for part in walk(statement))


def _written(node: ast.AST, wanted: ast.AST) -> ast.AST:
    """The first write of a chain of them, or the wanted one on the way there."""
    while node is not wanted and isinstance(node, ast.Call) and _in_place(node):
        node = node.func.value  # type: ignore[attr-defined]
    return node


def _in_place(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Attribute) and node.func.attr[-1:] == "_"


def _origin(function: Def, node: ast.AST) -> Origin | None:
    """What a method that writes in place is called on, followed to whom it belongs."""
    arguments = function.args
    given = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    conversions: list[str] = []
    names: set[str] = set()
    part: ast.AST | None = node
    while part is not None:
        part = _converted(part, conversions)
        text = code_of(part)
        if text in names:
            return None
        names.add(text)
        if isinstance(part, ast.Attribute):
            own = isinstance(part.value, ast.Name) and part.value.id in given[:1]
            return Origin(part, tuple(conversions), frozenset(names)) if own else None
        if not isinstance(part, ast.Name):
            return None
        stores = _stores(function, part.id)
        if part.id in given:
            return None if stores else Origin(part, tuple(conversions), frozenset(names))
        part = stores[0] if len(stores) == 1 else None
    return None


def _converted(part: ast.AST, conversions: list[str]) -> ast.AST:
    """What a chain of conversions and writes begins with."""
    while isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
        method = part.func.attr
        if method in CONVERSIONS:
            conversions.append(method)
        elif method not in SAME and not _in_place(part):
            break
        part = part.func.value
    return part


def _stores(function: Def, name: str) -> list[ast.AST]:
    """What a function binds a name to: the values of plain assignments, else the name itself."""
    stores = (one for one in body(function).stores if isinstance(one, ast.Name) and one.id == name)
    return [_values(function).get(store, store) for store in stores]


@query
def _values(function: Def) -> dict[ast.expr, ast.expr]:
    """The values of the plain assignments of a function, by their targets."""
    assigned = (one for one in statements(function) if isinstance(one, ast.Assign))
    return {one.targets[0]: one.value for one in assigned if len(one.targets) == 1}
