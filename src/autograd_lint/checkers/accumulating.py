"""Objects that gather values over many calls, with the graphs of all of them.

A metric or a trainer's log adds up tensors on `self`, and in the end takes nothing but their values
out, or shows them. What is gathered for a later backward is never taken out in this way. What such
an object is given from outside is rather data (statistics of features, scores of a search), unless
a module or a loss computes with it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.containers import GrowingContainers
from autograd_lint.checkers.losses import makes_loss
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.steps_before import same_step
from autograd_lint.checkers.weight_averages import COMPUTING
from autograd_lint.engine.assumptions import Assumption
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor, weight
from autograd_lint.engine.walk import reached
from autograd_lint.facts.effects import effects_in
from autograd_lint.places import Place
from autograd_lint.vm.contents import tensors_in
from autograd_lint.vm.events import MethodRepeated
from autograd_lint.vm.instances import is_module
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Class, Function, Items, Mapping, Value

CALLS = 3  # of a method that gathers
NEAR = 6  # nodes between a loss or a module and what is made of its result
_GATHERS = re.compile(
    r"self\.\w+(?:\[[^\n]*\])*\s*\+=|self\.(\w+)\s*=\s*self\.\1\b|self\.\w+(?:\[[^\n]*\])*\.append\("
    r"|self\.(\w+)\[[^\n]*\]\s*=[^=\n].*\bself\.\2\["
)
_OWN_CALL = re.compile(r"\bself\.(\w+)\(")
PROTOCOL = ("reset", "update", "compute")  # of metrics in ignite, torchmetrics and others
TAKING = {"item", "tolist", "float", "tensor", "as_tensor", "numpy", "mean", "array"}
BARE = {"float"}  # what takes values out when it is called by its name alone


def gathers(cls: Class, method: Function) -> bool:
    """Whether a method, or one of its object that it calls, adds to attributes of the object."""
    text = method.source.segment(method.node)
    if _GATHERS.search(text):
        return True
    called = [cls.find(name) for name in _OWN_CALL.findall(text)]
    others = [function.written for function in called if isinstance(function, Function)]
    return any(_GATHERS.search(other.source.segment(other.node)) for other in others)


class Gathering(Checker):
    """Looks at objects of which a method was called several times."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, MethodRepeated, cls.judge_gathered)

    def judge_gathered(self, interp: Interpreter, event: MethodRepeated) -> None:
        """A method that gathers has run several times: what has the object gathered?"""
        instance = event.instance
        cls = instance.cls
        if not isinstance(cls, Class) or is_module(instance) or measures(cls):
            return
        for name, value in instance.attributes.items():
            found = list(_gathered(interp, value))
            values = found and (
                _is_metric(cls)
                or all(_is_of_weights(node) for node, _ in found)
                or _takes_values(interp, cls, name)
            )
            if values and not _differentiates(cls, name):
                node, place = min(found, key=lambda pair: weight(pair[0].requires))
                note(
                    interp,
                    Pitfall.GRAPH_KEPT,
                    place,
                    tensor=f"self.{name}",
                    operator="running sum" if isinstance(value, Tensor) else "container",
                    assumptions=node.requires if _is_trained(node) else _as_data(node.requires),
                )


def _is_of_weights(node: Node) -> bool:
    """Whether a value is nothing but a sum of weights, each scaled: an average of them."""
    behind = [one for one in reached([node]).values() if not one.perhaps_number]
    leaves = [one.leaf for one in behind if one.leaf is not None]
    summed = all(one.operator in COMPUTING for one in behind if one.leaf is None)
    return summed and bool(leaves) and all(leaf.parameter for leaf in leaves)


def _as_data(requires: frozenset[Assumption]) -> frozenset[Assumption]:
    return frozenset(assumption.as_data() for assumption in requires)


def _is_trained(node: Node) -> bool:
    """Whether what is gathered was computed by one of torch's losses, or with parameters."""
    return any(
        is_loss(near) or any(saved.tensor.parameter for saved in near.saved) for near in _near(node)
    )


def is_loss(node: Node) -> bool:
    """Whether a node was made by one of torch's losses."""
    return makes_loss(node.operator)


def _near(node: Node) -> Iterator[Node]:
    """A node and those that it leads to, as far as they are near."""
    stack, seen = [node], 0
    while stack and seen < NEAR:
        current = stack.pop(0)
        seen += 1
        yield current
        stack.extend(current.edges)


def gives_loss(value: Value) -> bool:
    """Whether a result was computed by one of torch's losses."""
    nodes = [tensor.node for tensor in tensors_in(value)]
    return any(is_loss(near) for node in nodes if node is not None for near in _near(node))


def _gathered(interp: Interpreter, value: Value) -> Iterator[tuple[Node, Place]]:
    """The graphs that grow with every call, and the places at which they do."""
    if isinstance(value, Tensor):
        node = value.node
        if node is not None and node.place and not node.walked_at and same_step(node) is not None:
            yield node, node.place
    if isinstance(value, Mapping):
        for entry in value.entries.values():
            yield from _gathered(interp, entry) if isinstance(entry, Tensor) else ()
    lists = {id(items) for items in _lists(value)}
    containers = interp.state(GrowingContainers)
    for (key, place), kept in containers.taken.items() if lists else ():
        last = kept[-1][0]
        if key in lists and len(kept) >= CALLS and isinstance(last, Tensor) and last.node:
            yield last.node, containers.handed_over[key, place]


def _lists(value: Value, depth: int = 3) -> Iterator[Items]:
    if isinstance(value, Items):
        yield value
    elif depth and isinstance(value, Mapping):
        for entry in (*value.entries.values(), value.rest):
            yield from _lists(entry, depth - 1)


def measures(cls: Class) -> bool:
    """Whether a class is a metric of torchmetrics, which updates it with grad mode off.

    Source: `Metric._wrap_update` in torchmetrics/metric.py.
    """
    return any(path.startswith("torchmetrics.") for path in cls.external_bases())


def _is_metric(cls: Class) -> bool:
    """Whether a class keeps to the protocol of metrics, whose results are there to be looked at."""
    return all(isinstance(cls.find(name), Function) for name in PROTOCOL)


def _differentiates(cls: Class, name: str) -> bool:
    """Whether some method runs backward from an attribute."""
    values = [value for own in cls.mro() for value in own.attributes.values()]
    functions = [value.written for value in values if isinstance(value, Function)]
    roots = (root for function in functions for root in function.query(effects_in).roots)
    return any(f"self.{name}" in root for root in roots)


def _takes_values(interp: Interpreter, cls: Class, name: str) -> bool:
    """Whether some method takes plain values out of an attribute."""
    values = [value for own in cls.mro() for value in own.attributes.values()]
    functions = [value.written.node for value in values if isinstance(value, Function)]
    return any(_takes(node, name) for node in functions)


def _takes(function: ast.AST, name: str) -> bool:
    names: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.For) and _mentions(node.iter, name, names):
            names |= _bound(node.target)
        elif isinstance(node, ast.Assign) and _mentions(node.value, name, names):
            names |= {bound for target in node.targets for bound in _bound(target)}
        elif isinstance(node, ast.Call) and _mentions(node, name, names):
            called = node.func
            if isinstance(called, ast.Attribute) and called.attr in TAKING - BARE:
                return called.attr != "mean" or _outside(called)
            if isinstance(called, ast.Name) and called.id in BARE:
                return True
    return False


def _outside(called: ast.Attribute) -> bool:
    """Whether a mean is that of another library."""
    return isinstance(called.value, ast.Name) and called.value.id in ("np", "numpy", "statistics")


def _bound(target: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}


def _mentions(node: ast.AST, name: str, names: set[str]) -> bool:
    """Whether an expression speaks of `self.name`, or of one of the `names` taken from it."""
    return any(
        (isinstance(part, ast.Attribute) and part.attr == name and _is_self(part.value))
        or (isinstance(part, ast.Name) and part.id in names)
        for part in ast.walk(node)
    )


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"
