"""What Python refuses inside of a custom Function's `backward`, which only autograd runs.

There such errors come up long after the forward: of a None that `ctx` holds, of the tuple of saved
tensors taken for one tensor, of a name that is bound nowhere.
"""

from __future__ import annotations

import ast
import builtins

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.tensor import CERTAINLY
from autograd_lint.libraries.torch.functions.judging import BASE, refuse
from autograd_lint.libraries.torch.tensors.non_tensors import refuse_container, refuse_number
from autograd_lint.project.code import called_name, last_name
from autograd_lint.project.nodes import walk
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Class, Items, Mapping, Value

_BODIES = {"backward", "vjp"}
# What binds names in a way that cannot be seen.
_BINDING_UNSEEN = ("import *", "globals()", "exec(", "__builtins__")


def refuse_operand(interp: Interpreter, left: Value, right: Value, node: ast.AST) -> bool:
    """Report arithmetic with None, or with the tuple of saved tensors."""
    kinds = [_kind(value) for value in (left, right)]
    kind = next(filter(None, kinds), "")
    if not kind:
        return False
    operand = _operands(node)[0 if kinds[0] else 1]
    return _refuse(interp, f"'{interp.text(node)}' has an operand of type '{kind}'", node, operand)


def refuse_attribute(interp: Interpreter, value: Value, name: str, node: ast.AST) -> bool:
    """Report an attribute that a value of Python does not have, or only tensors have."""
    told = _refuse_member(interp, value, name, node)
    if isinstance(value, (Items, Mapping)):
        return refuse_container(interp, value, name, node) or told
    if name == "backward" and isinstance(value, (int, float)):
        refuse_number(interp, node)
        return True
    return told


def _refuse_member(interp: Interpreter, value: Value, name: str, node: ast.AST) -> bool:
    """Report an attribute that None, or the tuple of saved tensors, does not have."""
    kind = _kind(value)
    if not kind or hasattr(None if value is None else (), name):
        return False
    owner = node.value if isinstance(node, ast.Attribute) else None
    return _refuse(interp, f"'{kind}' object has no attribute '{name}'", node, owner)


def refuse_part(interp: Interpreter, node: ast.AST) -> bool:
    """Report an element of None."""
    owner = node.value if isinstance(node, ast.Subscript) else None
    return _refuse(interp, "'NoneType' object is not subscriptable", node, owner)


def refuse_nothing(interp: Interpreter, name: str, node: ast.AST) -> None:
    """Report a function of torch that is given None for a tensor."""
    owner = node.args[0] if isinstance(node, ast.Call) and node.args else None
    detail = f"{name}(): argument 'input' (position 1) must be Tensor, not NoneType"
    _refuse(interp, detail, node, owner)


def refuse_position(interp: Interpreter, items: Items, node: ast.AST) -> bool:
    """Report an element beyond the end of what autograd hands `backward` as a tuple."""
    owner = node.value if isinstance(node, ast.Subscript) else None
    asked = isinstance(owner, ast.Attribute) and owner.attr == "needs_input_grad"
    told = asked or items.saving is not None
    return told and _refuse(interp, "tuple index out of range", node)


def refuse_name(interp: Interpreter, name: str) -> None:
    """Report a name that is neither bound in the file nor one of Python's own."""
    source = interp.source
    if _owner(interp) is None or hasattr(builtins, name) or interp.query(source, _binds_unseen):
        return
    method = interp.frame.function
    uses = ast.walk(method.node) if method is not None else ()
    node = next((use for use in uses if isinstance(use, ast.Name) and use.id == name), None)
    if node is not None and name not in interp.query(source, _bound):
        _refuse(interp, f"name '{name}' is not defined", node)


@query
def _binds_unseen(source: Source) -> bool:
    return any(mark in source.text for mark in _BINDING_UNSEEN)


def _kind(value: Value) -> str:
    """The type of what is no tensor here; empty for everything else."""
    if value is None:
        return "NoneType"
    return "tuple" if isinstance(value, Items) and value.saving is not None else ""


def _refuse(
    interp: Interpreter, detail: str, node: ast.AST, operand: ast.expr | None = None
) -> bool:
    """Report what is refused inside of a `backward` of a custom Function, and only there."""
    owner = _owner(interp)
    if owner is None:
        return False
    because = _given_back(interp, owner, operand) if operand is not None else CERTAINLY
    refuse(interp, owner, interp.place(node), detail, because)
    return True


def _given_back(interp: Interpreter, owner: Class, operand: ast.expr) -> frozenset[Assumption]:
    """That an operand is None, which is daring where a call has returned it on one of several
    paths, also to `forward`, which `ctx` has it from: what it decides is none of autograd's
    business."""
    method = interp.frame.function
    call = isinstance(operand, ast.Call)
    if isinstance(operand, ast.Name) and method is not None:
        call = operand.id in _bound_by_calls(method.node)
    elif isinstance(operand, ast.Attribute):
        call = operand.attr in _bound_by_calls(owner.node)
    if not call or not interp.choices.path.decisions:
        return CERTAINLY
    return frozenset({Assumption(Kind.IS_NONE, interp.text(operand), weight=2)})


@query
def _bound_by_calls(code: ast.AST) -> frozenset[str]:
    """The names and attributes that some code binds to what a call returns, or to a part of it."""
    bindings = [part for part in ast.walk(code) if isinstance(part, ast.Assign)]
    targets = (one for part in bindings if isinstance(part.value, ast.Call) for one in part.targets)
    parts = (last_name(part) for target in targets for part in ast.walk(target))
    return frozenset(filter(None, parts))


def _operands(node: ast.AST) -> tuple[ast.expr, ast.expr] | tuple[None, None]:
    """What stands on both sides of an operator."""
    if isinstance(node, ast.BinOp):
        return node.left, node.right
    if isinstance(node, ast.AugAssign):
        return node.target, node.value
    return None, None


def _owner(interp: Interpreter) -> Class | None:
    """The custom Function whose `backward` autograd runs, and not the program by its name."""
    method, call = interp.frame.function, interp.frame.call
    if method is None or method.owner is None or method.name not in _BODIES:
        return None
    if call is not None and called_name(call.node) in _BODIES:
        return None
    return method.owner if BASE in method.owner.external_bases() else None


@query
def _bound(source: Source) -> frozenset[str]:
    """All names that a file binds, wherever."""
    found: set[str] = {"__file__", "__name__", "__doc__", "__spec__", "__class__"}
    for node in walk(source.tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.alias):
            found.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            found.update(node.names)
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            found.add(node.name)
    return frozenset(found)
