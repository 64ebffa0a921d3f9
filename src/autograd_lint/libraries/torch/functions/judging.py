"""What autograd asks of a custom Function: of its `forward`, its `ctx`, its gradients.

Mirrors `PyNode::apply` and `_wrap_outputs` of torch/csrc/autograd/python_function.cpp.
"""

from __future__ import annotations

import ast

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Created
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.engine.tensor import CERTAINLY, Tensor
from autograd_lint.immutable import immutable
from autograd_lint.libraries.torch.tensors.non_tensors import left_torch
from autograd_lint.places import Place
from autograd_lint.project.code import code_of
from autograd_lint.project.nodes import raises
from autograd_lint.vm.contents import elements, tensor_of
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Class, External, Function, Items, Mapping, Unknown, Value

BASE = "torch.autograd.Function"
# Whose backward gives no gradient at all is hardly applied to what requires grad.
WITHOUT_GRADIENT = Assumption(Kind.DIFFERENTIATED_IN_VAIN, weight=2)


@immutable
class Needs:
    """Where a custom Function was applied, and where backward needs it.

    `complete` says that all of its arguments are known.
    """

    applied_at: ast.AST
    needed_at: Place | None
    complete: bool = True


def judge_gradients(
    interp: Interpreter, cls: Class, result: Value, inputs: list[Value], needs: Needs
) -> None:
    """Report what `backward` may not return for these inputs."""
    unclear = isinstance(result, Unknown) and not left_torch(result)
    if unclear or (isinstance(result, Items) and not result.closed):
        return
    returned = elements(result, "tuple")
    while len(returned) > len(inputs) and returned[-1] is None:
        returned.pop()
    if not needs.complete and len(returned) != len(inputs):
        return
    detail = _wrong_number(returned, inputs) or _wrong_gradient(returned, inputs)
    if detail:
        tells = result is None or isinstance(result, Items)
        none = tells and all(gradient is None for gradient in returned)
        built = Created(_returning(interp, cls, needs), cls.name)
        interp.engine.report(
            Fault(
                FaultKind.CUSTOM_FUNCTION,
                needs.needed_at,
                operator=cls.name,
                built=built,
                detail=detail,
                assumptions=frozenset({WITHOUT_GRADIENT}) if none else CERTAINLY,
            )
        )


def _wrong_number(returned: list[Value], inputs: list[Value]) -> str:
    if len(returned) == len(inputs):
        return ""
    counts = f"expected {len(inputs)}, got {len(returned)}"
    return f"returned an incorrect number of gradients ({counts})"


def _wrong_gradient(returned: list[Value], inputs: list[Value]) -> str:
    for position, (gradient, value) in enumerate(zip(returned, inputs, strict=True), 1):
        if isinstance(gradient, Tensor) and _is_plain(value):
            return (
                f"returned a gradient different than None at position {position}, "
                "but the corresponding forward input was not a Variable"
            )
        if isinstance(gradient, Tensor) and not _fits(gradient, value):
            return (
                f"returned an invalid gradient at index {position - 1} - got {gradient.shape} "
                f"but expected shape compatible with {getattr(value, 'shape', None)}"
            )
        kind = left_torch(gradient)
        if isinstance(gradient, (int, float, Items)):
            kind = gradient.kind if isinstance(gradient, Items) else type(gradient).__name__
        if kind:
            return f"returned no tensor: expected Variable or None (got {kind})"
    return ""


def _fits(gradient: Tensor, value: Value) -> bool:
    """Whether a gradient may have the shape of its input, or be summed to it.

    That of an input without an edge is dropped. Source: `validate_outputs_impl` in
    torch/csrc/autograd/engine.cpp.
    """
    if not isinstance(value, Tensor) or value.requires_grad != CERTAINLY:
        return True
    wanted, given = value.shape, gradient.shape
    if wanted is None or given is None:
        return True
    if len(wanted) > len(given):
        return False
    sizes = zip(wanted, given[len(given) - len(wanted) :], strict=True)
    return all(size in (None, 1) or other in (None, size) for size, other in sizes)


def _is_plain(value: Value) -> bool:
    """Whether a value is surely no tensor."""
    return value is None or isinstance(value, (int, float, str, Items, Mapping))


def _returning(interp: Interpreter, cls: Class, needs: Needs) -> Place:
    """Where `backward` returns its gradients."""
    method = cls.find("backward")
    return returning(method) if isinstance(method, Function) else interp.place(needs.applied_at)


def returning(method: Function) -> Place:
    """The only `return` of a method, else the method itself."""
    found = [node for node in ast.walk(method.node) if isinstance(node, ast.Return)]
    return method.source.place(found[0] if len(found) == 1 else method.node)


def refuse(
    interp: Interpreter,
    cls: Class,
    place: Place | None,
    detail: str,
    assumptions: frozenset[Assumption] = CERTAINLY,
    built: Created | None = None,
) -> None:
    """Report that a custom Function is not as autograd asks; `built` is what it asks otherwise."""
    interp.engine.report(
        Fault(
            FaultKind.CUSTOM_FUNCTION,
            place,
            operator=cls.name,
            built=built or Created(place, cls.name),
            detail=detail,
            assumptions=assumptions,
        )
    )


def data_among(cls: Class, inputs: list[Value], wanted: list[Value]) -> list[Tensor]:
    """Those `wanted` of the inputs of which it is only assumed that they require grad, and for
    which `backward` never returns anything but None, or only raises."""
    method = cls.find("backward")
    nodes = list(ast.walk(method.node)) if isinstance(method, Function) else []
    returns = [node.value for node in nodes if isinstance(node, ast.Return)]
    returns = [value for value in returns if not _is_none(value)]
    rows = [row for value in returns if (row := _elements(value, nodes)) is not None]
    if len(rows) < len(returns) or not (rows or only_raises(method)):
        return []
    found = zip(inputs, *rows, strict=False)
    tensors = [(tensor_of(value), value, given) for value, *given in found]
    return [
        tensor
        for tensor, value, gradients in tensors
        if tensor is not None
        and tensor.requires_grad
        and any(value is one for one in wanted)
        and all(map(_is_none, gradients))
    ]


def _elements(value: ast.expr | None, nodes: list[ast.AST]) -> list[ast.expr] | None:
    """The gradients of a tuple, or of a list of Nones that is filled one by one before."""
    if isinstance(value, ast.Tuple):
        return value.elts
    if isinstance(value, ast.Call) and getattr(value.func, "id", "") == "tuple" and value.args:
        value = value.args[0]
    name = value.id if isinstance(value, ast.Name) else ""
    assigned = [node for node in nodes if isinstance(node, ast.Assign)]
    made = [node.value for node in assigned if name in map(code_of, node.targets)]
    found = _nones(made[0]) if len(made) == 1 else []
    for node in assigned:
        for target in node.targets:
            if isinstance(target, ast.Subscript) and code_of(target.value) == name:
                index = getattr(target.slice, "value", None)
                if not isinstance(index, int) or not 0 <= index < len(found):
                    return None
                found[index] = node.value
    return found or None


def _nones(node: ast.expr) -> list[ast.expr]:
    """The elements of `[None] * 3`."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mult):
        return []
    elements = node.left.elts if isinstance(node.left, ast.List) else []
    count = getattr(node.right, "value", None)
    return elements * count if all(map(_is_none, elements)) and isinstance(count, int) else []


def _is_none(node: ast.expr | None) -> bool:
    return node is None or (isinstance(node, ast.Constant) and node.value is None)


def only_raises(method: Value) -> bool:
    """Whether a method ends by raising, and so says itself that there is no gradient."""
    if not isinstance(method, Function) or isinstance(method.node, ast.Lambda):
        return False
    return raises(method.node.body[-1])


def foreign(value: Value) -> str:
    """The type of a value that is surely no tensor; empty where it is one, or may be."""
    if not _is_plain(value):
        return ""
    return value.kind if isinstance(value, Items) else type(value).__name__


def misfit(function: Function, count: int) -> str:
    """Why a function cannot be called with so many positional arguments; empty where it can."""
    arguments = function.node.args
    names = [parameter.arg for parameter in (*arguments.posonlyargs, *arguments.args)]
    if function.kind == "classmethod":
        del names[:1]
    missing = names[count : len(names) - len(arguments.defaults)]
    if missing:
        return f"{function.name}() is not given an argument for `{missing[0]}`"
    if count > len(names) and arguments.vararg is None:
        return f"{function.name}() takes {len(names)} positional arguments but {count} were given"
    return ""


def is_known(cls: Class) -> bool:
    """Whether every base of the class is one of the program, or `Function` itself."""
    bases = [base for own in cls.mro() for base in own.bases]
    return all(isinstance(base, Class) or base == External(BASE) for base in bases)


def refuse_count(interp: Interpreter, saved: Items, wanted: int, node: ast.AST) -> None:
    """Report `ctx.saved_tensors` taken apart into another number of names than were saved."""
    method = interp.frame.function
    if method is None or method.owner is None:
        return
    few = "not enough" if len(saved.items) < wanted else "too many"
    detail = f"{few} saved tensors to unpack (expected {wanted}, got {len(saved.items)})"
    refuse(interp, method.owner, interp.place(node), detail, built=saved.saving)
