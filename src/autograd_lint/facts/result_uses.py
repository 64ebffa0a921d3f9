"""Where the result of a call goes in a function that runs backward: some of it is only looked at.

Names are followed through assignments, whatever their order; what goes to other functions that may
train with it is taken to be trained.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from enum import Enum, auto

from autograd_lint.facts.body import Body, Called, body, path_of
from autograd_lint.facts.effects import is_training
from autograd_lint.facts.imported_names import names_of_imports
from autograd_lint.project.code import code_of, given_to, last_name, root_of
from autograd_lint.project.mentions import Mention
from autograd_lint.project.source import Source

# What gives numbers, or nothing, but no graph.
_CUTTING = {"item", "detach", "tolist", "numpy", "print", "float", "int", "len", "str", "format"}
_NUMBERS = {"item", "float", "append", "extend", "update", "tolist", "print"}
_LOSS = re.compile(r"loss|nll|elbo", re.IGNORECASE)
_COMPARING = {"eq", "ne"}  # methods of a tensor that compare it with what they are given
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class Sink(Enum):
    """Where a value goes; one that is trained may be returned as well."""

    TRAINED = auto()
    RETURNED = auto()
    OBSERVED = auto()


def sink(site: Mention, function: ast.AST) -> Sink:
    """Where the result of a call goes that stands in a function.

    What is mentioned but not called there may go anywhere, and a call whose result is dropped is
    made for what it does.
    """
    call = _call_at(site)
    inside = [*site.around, site.node]
    inner = inside[inside.index(function) + 1 :] if function in inside else []
    if call is None:
        return Sink.TRAINED
    dropped = isinstance(site.around[-2], ast.Expr)
    if dropped or not inner or any(isinstance(node, _FUNCTIONS) for node in inner):
        return Sink.TRAINED
    flow = _Flow(body(function), call, names_of_imports(site.source))
    if flow.is_trained():
        return Sink.TRAINED
    return Sink.RETURNED if any(map(flow.carries, flow.body.results)) else Sink.OBSERVED


def becomes_array(site: Mention, function: ast.AST) -> bool:
    """Whether a function hands the result of a call to NumPy as it is: autograd refuses that where
    it has a graph."""
    call = _call_at(site)
    if call is None:
        return False
    flow = _Flow(body(function), call, names_of_imports(site.source))
    arrays = (one.node.func for one in flow.body.calls if one.method == "numpy")
    return any(isinstance(one, ast.Attribute) and flow.carries(one.value) for one in arrays)


def _call_at(site: Mention) -> ast.Call | None:
    """The call of what is mentioned; None where it is not called there."""
    call = site.around[-1] if site.around else None
    return call if isinstance(call, ast.Call) and call.func is site.node else None


def is_dropped(source: Source, call: ast.AST) -> bool:
    """Whether a call is a statement of its own: nothing is done with what it gives."""
    return any(one.value is call for one in source.each(ast.Expr))


def is_measured(source: Source, call: ast.AST, around: ast.AST) -> bool:
    """Whether a piece of code measures how well a call does: what it gives is compared with
    something, handed to a function beside something, or called a loss, and numbers come of that.
    What an object is given says nothing of its other attributes."""
    flow = _Flow(body(around), call, names_of_imports(source) | {"self"})
    numbers = any(one.method in _NUMBERS for one in flow.body.calls)
    added = any(isinstance(one.statement, ast.AugAssign) for one in flow.body.bindings)
    judged = _is_compared(flow, around) or _is_scored(flow) or _is_read_as_loss(flow)
    return (numbers or added) and judged


def _is_read_as_loss(flow: _Flow) -> bool:
    """Whether the number of a part of the value is read that is called a loss: a model that is
    given its targets computes it."""
    reads = (one.node.func for one in flow.body.calls if one.method == "item")
    owners = (one.value for one in reads if isinstance(one, ast.Attribute))
    return any(_LOSS.search(last_name(one)) and flow.carries(one) for one in owners)


def _is_compared(flow: _Flow, around: ast.AST) -> bool:
    for one in ast.walk(around):
        if isinstance(one, ast.Compare) and isinstance(one.ops[0], (ast.Eq, ast.NotEq)):
            sides = [one.left, one.comparators[0]]
            constant = any(isinstance(side, ast.Constant) for side in sides)
            if not constant and sum(map(flow.carries, sides)) == 1:
                return True
    return False


def _is_scored(flow: _Flow) -> bool:
    """Whether the value is handed over beside one that has nothing to do with it."""
    texts = _names_of_texts(flow.body)
    for one in flow.body.calls:
        given = [*one.given]
        if isinstance(one.node.func, ast.Attribute) and one.method in _COMPARING:
            given.append(one.node.func.value)
        named = [value for value in given if not _is_text(value) and path_of(value) not in texts]
        carrying = [flow.carries(value) for value in named]
        if len(named) > 1 and any(carrying) and not all(carrying) and one.method != "max":
            return True
    return False


def _names_of_texts(found: Body) -> set[str]:
    """The names that are bound to constants and texts alone: `path = "{}.png".format(step)`."""
    texts = {one.path for one in found.bindings if _is_text(one.value)}
    return texts - {one.path for one in found.bindings if not _is_text(one.value)} - {""}


def _is_text(value: ast.expr) -> bool:
    """Whether a value is a constant, or a text that is put together: the name of a file."""
    if isinstance(value, ast.UnaryOp):
        return _is_text(value.operand)
    if isinstance(value, ast.BinOp):
        return _is_text(value.left) and isinstance(value.op, (ast.Mod, ast.Add))
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Attribute) and value.func.attr in ("format", "join")
    return isinstance(value, (ast.Constant, ast.JoinedStr))


def is_listed(name: str, function: ast.AST) -> bool:
    """Whether a function makes a list of numbers of what it computes with one of its names."""
    flow = _Flow(body(function), function, frozenset(), {name})
    listed = (one for one in flow.body.calls if one.method == "tolist")
    return any(flow.carries(one.node.func) for one in listed)


def is_given(call: ast.Call, names: Iterable[str], source: Source, function: ast.AST) -> bool:
    """Whether a call in a function is given what one of some of its names holds, or leads to."""
    flow = _Flow(body(function), function, names_of_imports(source), names)
    return any(map(flow.carries, given_to(call)))


class _Flow:
    """The names of a function that have to do with what a call gives; packages keep nothing."""

    def __init__(
        self, found: Body, call: ast.AST, imported: frozenset[str], known: Iterable[str] = ()
    ) -> None:
        self.body, self._call, self._reached = found, call, set(known)
        while new := self._next() - imported - self._reached:
            self._reached |= new

    def _next(self) -> set[str]:
        """What is bound to a value that carries it, and what has a method that is given one."""
        bound = {one.path for one in self.body.bindings if self.carries(one.value)}
        owners = (one.node.func for one in self.body.calls if any(map(self.carries, one.given)))
        given = {root_of(one.value) for one in owners if isinstance(one, ast.Attribute)}
        return (bound | given) - {""}

    def is_trained(self) -> bool:
        """Whether the value is differentiated, or handed to a function that may do so."""
        plain = (one for one in self.body.dropped if isinstance(one.node.func, ast.Name))
        if any(one.node is not self._call and self.carries(one.node) for one in plain):
            return True
        return any(is_training(one) and self._concerns(one) for one in self.body.calls)

    def _concerns(self, call: Called) -> bool:
        return any(map(self.carries, ast.iter_child_nodes(call.node)))

    def carries(self, value: ast.AST) -> bool:
        """Whether an expression may have a graph because of the value: comparisons have none."""
        if value is self._call:
            return True
        if isinstance(value, ast.Compare):
            return False
        if isinstance(value, ast.Call) and code_of(value.func).rpartition(".")[2] in _CUTTING:
            return False
        if path_of(value) in self._reached:
            return True
        return any(map(self.carries, ast.iter_child_nodes(value)))
