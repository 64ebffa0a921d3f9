"""A second name for the network that is trained, where an earlier state of it is meant.

def sync_target(self):
    self.target_net = self.online_net     # from now on the target moves with every step

Names tell what is meant: a target, a teacher, an old or averaged model.

Source: https://docs.python.org/3/library/copy.html: assignment statements do not copy objects
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from autograd_lint.checkers.second_names import is_chosen
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Needed
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import CALLED_AS_TARGET, Pitfall
from autograd_lint.facts.body import Bound, Called, body, path_of
from autograd_lint.facts.roles import OF_MODULES
from autograd_lint.project.nodes import walk
from autograd_lint.project.source import Source

_EARLIER = re.compile(r"(^|_)(target|tgt|teacher|old|prev|previous|ema|averaged|momentum)(_|$)")
_NAMED = (ast.Name, ast.Attribute, ast.Tuple, ast.List)
_OF_MODULES = OF_MODULES | {"requires_grad_"}


def judge(source: Source) -> Iterator[Fault]:
    """In each class of its attributes, and in each function of its local names."""
    if not any(map(_names_earlier_state, source.each(ast.Assign))):
        return
    for scope in (*source.each(ast.ClassDef), *source.each(ast.FunctionDef)):
        attributes = isinstance(scope, ast.ClassDef)
        for bound in body(scope).assigned():
            network = path_of(bound.value)
            if not _is_named_so(bound.path, network, attributes=attributes):
                continue
            calls = [one for one in body(scope).calls if _speaks_of(one, bound.path, network)]
            target = next((one for one in calls if one.path == bound.path), None)
            trained = any(one.path == network for one in calls)
            asked = any(one.method in _OF_MODULES for one in calls)
            if target is None or not trained or not asked or is_chosen(source, bound.statement):
                continue
            if not any(_is_another(one, bound) for one in _beside(scope, bound)):
                yield _fault(source, bound, network, target)


def _names_earlier_state(statement: ast.Assign) -> bool:
    """Whether an assignment gives such a name to a name or an attribute."""
    return isinstance(statement.value, _NAMED) and any(
        _is_named_so(one.path, path_of(one.value), attributes=attributes)
        for one in body(statement).bindings
        for attributes in (True, False)
    )


def _is_named_so(target: str, network: str, *, attributes: bool) -> bool:
    """Whether a name for an earlier state is given to what goes by another kind of name."""
    own = target.startswith("self.") and network.startswith("self.")
    local = "." not in target and "." not in network and bool(network)
    last, other = target.rpartition(".")[2], network.rpartition(".")[2]
    named = _EARLIER.search(last) is not None and _EARLIER.search(other) is None
    return named and (own if attributes else local)


def _speaks_of(call: Called, target: str, network: str) -> bool:
    """Whether it is a call of one of both, or of a method of one."""
    return not {call.path, call.owner}.isdisjoint({target, network})


def _beside(scope: ast.AST, bound: Bound) -> list[Bound]:
    """The bindings in a scope, but those of the constructor that a method may replace."""
    bindings, first = [one for one in body(scope).bindings if one.is_whole], _in_constructor(scope)
    if bound.statement in first:
        return bindings
    return [one for one in bindings if one.statement not in first]


def _in_constructor(scope: ast.AST) -> set[ast.AST]:
    """The nodes of the constructors of a class: what they bind the other methods may replace."""
    inner = scope.body if isinstance(scope, ast.ClassDef) else ()
    methods = (one for one in inner if isinstance(one, ast.FunctionDef) and one.name == "__init__")
    return {node for method in methods for node in walk(method)}


def _is_another(other: Bound, bound: Bound) -> bool:
    """Whether another statement binds the target to something else."""
    empty = isinstance(other.value, ast.Constant) and other.value.value is None
    same = path_of(other.value) == path_of(bound.value)
    return other.path == bound.path and not (empty or same)


def _fault(source: Source, bound: Bound, network: str, target: Called) -> Fault:
    return Fault(
        Pitfall.OWN_STATE,
        source.place(bound.statement),
        tensor=bound.path,
        operator=network,
        detail=CALLED_AS_TARGET,
        needed=Needed(source.place(target.node), "call"),
        assumptions=frozenset({Assumption(Kind.MEANT_AS_COPY, weight=0)}),
    )
