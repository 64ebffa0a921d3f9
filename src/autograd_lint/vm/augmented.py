"""`a += value`: in place for tensors, arrays and lists, by its own method for an object, else a new
value."""

from __future__ import annotations

import ast

from autograd_lint.engine.tensor import Tensor
from autograd_lint.project.code import code_of
from autograd_lint.project.nodes import walk
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.arithmetic import BINARY, annotated, binary
from autograd_lint.vm.arrays import write_array
from autograd_lint.vm.assignment import assign, element_written
from autograd_lint.vm.containers import extend
from autograd_lint.vm.events import Augmented
from autograd_lint.vm.graphs import graph_of
from autograd_lint.vm.instances import call_method, special_method
from autograd_lint.vm.integers import Counter
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.uncalled import result_of
from autograd_lint.vm.values import Instance, Items, Unknown, Value


def run_augmented(interp: Interpreter, node: ast.AugAssign) -> None:
    """`a += value`: in place for tensors and lists, a new object for numbers."""
    current = interp.evaluate(node.target)
    value = result_of(interp, interp.evaluate(node.value))
    if type(current) is Unknown and _is_list(interp, node):
        current.hint = "list"
        return
    added = value.node if isinstance(value, Tensor) else None
    perhaps_number = _perhaps_number(value)
    # What the value is computed from may show that the target is a tensor.
    result = _augment(interp, node, annotated(interp, current), value)
    interp.emit(Augmented(node.target, result, added, perhaps_number))
    assign(interp, node.target, result, node)
    if isinstance(node.target, ast.Subscript) and graph_of(value) is not None:
        element_written(interp, interp.evaluate(node.target.value), node.target, value)


def _perhaps_number(value: Value) -> bool:
    """Whether a value is one of several that unknown code gives, not used as a tensor so far."""
    if not isinstance(value, Unknown) or value.tensor is not None:
        return False
    return value.source is not None and value.several


def _augment(interp: Interpreter, node: ast.AugAssign, current: Value, value: Value) -> Value:
    name = BINARY[type(node.op)][0]
    if isinstance(current, Tensor) and name != "matmul":
        label = interp.text(node.target)
        operate = interp.models.operators.operate
        return operate(interp, f"__i{name}__", [current, value], node, label)
    if isinstance(current, Instance):
        # The order in which Python asks for them.
        method = special_method(interp, current, f"__i{name}__", f"__{name}__")
        if method is not None:
            return call_method(interp, current, method, [value], node)
    if write_array(current, f"{name}=", interp.place(node)):
        return current
    if isinstance(current, Items) and current.kind == "list" and name == "add":
        extend(interp, current, value, node)
        return current
    result = binary(interp, node.op, current, value, node)
    counts = type(result) is int and node in interp.query(interp.frame.source, _counting)
    if counts and isinstance(result, int):
        return Counter(result)
    return result


@query
def _counting(source: Source) -> frozenset[ast.AugAssign]:
    """The statements that count calls or iterations: `self.calls += 1`, and `steps += 1` in a loop
    that does not end by it. A run sees few of either, and they take every remainder."""
    loops = [*source.each(ast.For), *source.each(ast.While)]
    inside = {part for loop in loops for part in walk(loop) if isinstance(part, ast.AugAssign)}
    tests = (part for loop in source.each(ast.While) for part in walk(loop.test))
    ending = {part.id for part in tests if isinstance(part, ast.Name)}
    return frozenset(
        one
        for one in source.each(ast.AugAssign)
        if _adds_whole_number(one)
        and (
            isinstance(one.target, ast.Attribute)
            or (one in inside and isinstance(one.target, ast.Name) and one.target.id not in ending)
        )
    )


def _adds_whole_number(node: ast.AugAssign) -> bool:
    added = node.value.value if isinstance(node.value, ast.Constant) else None
    return isinstance(node.op, ast.Add) and type(added) is int


def _is_list(interp: Interpreter, node: ast.AugAssign) -> bool:
    """Whether the function adds a list to the same target, here or elsewhere."""
    function = interp.frame.function
    if function is None or not isinstance(node.op, ast.Add):
        return False
    return code_of(node.target) in _lists(function.node)


@query
def _lists(function: ast.AST) -> frozenset[str]:
    parts = [part for part in walk(function) if isinstance(part, ast.AugAssign)]
    return frozenset(code_of(part.target) for part in parts if isinstance(part.value, ast.List))
