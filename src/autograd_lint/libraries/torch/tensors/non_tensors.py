"""What a program takes for a tensor, and is none: a number, a list, a `.grad` that is None."""

from __future__ import annotations

import ast
import re

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Created, Needed, noted_at
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.engine.pitfalls import PLAIN_NUMBER
from autograd_lint.engine.tensor import CERTAINLY, Tensor
from autograd_lint.libraries.torch.operators.refusing import refuse
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.returned_numbers import origin_of_number
from autograd_lint.vm.values import Items, Mapping, Unknown, Value, constant

# What of a tensor neither Python's numbers and containers have, nor the numbers of NumPy.
TENSORS_OWN = frozenset(
    {
        "backward",
        "cpu",
        "cuda",
        "detach",
        "detach_",
        "grad_fn",
        "is_leaf",
        "numpy",
        "register_hook",
        "requires_grad",
        "requires_grad_",
        "retain_grad",
    }
)
# A program that expects a member to be missing.
_CATCHES = re.compile(r"\bexcept\b[^\n]*\bAttributeError\b")


def left_torch(value: Value) -> str:
    """The type of a number, or of the array of a tensor; empty for all else that is unknown."""
    if not isinstance(value, Unknown):
        return ""
    if value.hint == "array" and value.memory is not None:
        return "numpy.ndarray"
    return "float" if value.hint == "number" else ""


def lacks(value: Value, name: str) -> bool:
    """Whether a value is no tensor and has no attribute of that name, which tensors have."""
    if isinstance(value, Unknown):
        return name in TENSORS_OWN and bool(left_torch(value))
    plain = constant(value) or isinstance(value, (Items, Mapping))
    return plain and name in TENSORS_OWN


def refuse_container(interp: Interpreter, value: Items | Mapping, name: str, node: ast.AST) -> bool:
    """Report what only a tensor has, asked of a list, tuple or dictionary."""
    named = isinstance(value, Items) and (bool(value.fields) or not value.closed)
    if name not in TENSORS_OWN or named:
        return False
    kind = value.kind if isinstance(value, Items) else "dict"
    return _refuse(interp, kind, name, node, None)


def refuse_taken(interp: Interpreter, value: Unknown, name: str, node: ast.AST) -> None:
    """Report what only a tensor has, asked of the number that was taken out of one."""
    if name == "backward":
        refuse_number(interp, node)
    elif name in TENSORS_OWN and value.graph_breaks:
        event = value.graph_breaks[0].event
        if event.operator in ("item", "tolist", "float"):
            _refuse(interp, "float", name, node, event)


def _refuse(interp: Interpreter, kind: str, name: str, node: ast.AST, made: Created | None) -> bool:
    if interp.query(interp.source, _catches):
        return False
    detail = f"'{kind}' object has no attribute '{name}'"
    owner = interp.text(node).rpartition(".")[0]
    because = CERTAINLY if made is not None else _given_back(interp, owner, kind)
    refuse(interp, node, name, detail, tensor=owner, built=made, assumptions=because)
    return True


def _given_back(interp: Interpreter, owner: str, kind: str) -> frozenset[Assumption]:
    """That something is of a type, which is daring where other files have decided on the way to it:
    by which of their conditions it is one they alone tell."""
    own = interp.world.source.filename
    decided = any(one.place.filename != own for one in interp.choices.path.decisions)
    return frozenset({Assumption(Kind.IS_TYPE, owner, kind, weight=2)}) if decided else CERTAINLY


def refuse_number(interp: Interpreter, node: ast.AST) -> None:
    """Report `.backward` of a plain number."""
    place = interp.place(node)
    interp.engine.backward.reached.add(place)
    owner = node.value if isinstance(node, ast.Attribute) else node
    origin = origin_of_number(interp, owner)
    interp.engine.report_empty(
        Fault(
            FaultKind.NO_GRAD_ROOT,
            place,
            tensor=interp.text(node).rpartition(".")[0],
            detail=PLAIN_NUMBER,
            needed=Needed(place, "backward"),
            noted=noted_at(origin, "the number comes from here"),
        )
    )


def refuse_absent(interp: Interpreter, name: str, node: ast.AST) -> bool:
    """Report an attribute of a `.grad` that is None, where all that has happened is known."""
    if _opaque_passes(interp):
        return True
    owner = node.value if isinstance(node, ast.Attribute) else None
    if not isinstance(owner, ast.Attribute) or owner.attr != "grad":
        return False
    if interp.query(interp.source, _catches):
        return False
    if _may_be_left_out(interp, owner.value):
        return True
    detail = f"'NoneType' object has no attribute '{name}': its `.grad` is still `None`"
    refuse(interp, node, name, detail, tensor=interp.text(owner))
    return True


def _may_be_left_out(interp: Interpreter, leaf: ast.expr) -> bool:
    """Whether it is a parameter, and perhaps of a layer that a loop over layers did not come to,
    which was left early."""
    value = interp.frame.scope.lookup(leaf.id) if isinstance(leaf, ast.Name) else None
    return interp.record.cut_short > 0 and isinstance(value, Tensor) and value.parameter


def _opaque_passes(interp: Interpreter) -> bool:
    """Whether some backward went through what is not known, and may have got anywhere."""
    return any(node.opaque for walk in interp.engine.backward.passes for node in walk.order)


@query
def _catches(source: Source) -> bool:
    return _CATCHES.search(source.text) is not None
