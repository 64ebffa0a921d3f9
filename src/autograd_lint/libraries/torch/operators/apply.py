"""From a call in the program to an operator of the engine: facts, arguments, results."""

from __future__ import annotations

import ast
from collections.abc import Mapping as MappingType
from collections.abc import Sequence

from autograd_lint.engine.graph_breaks import GraphBreaks, joined
from autograd_lint.engine.operate import run
from autograd_lint.engine.operation import Operation
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.shapes.inference import infer_parts, infer_shapes, lay_out
from autograd_lint.libraries.shapes.parts import CUTS, MOST
from autograd_lint.libraries.shapes.views import Layout
from autograd_lint.libraries.torch.events import OperatorRun
from autograd_lint.libraries.torch.modules.states import state_written
from autograd_lint.libraries.torch.operators.attention import with_kernels
from autograd_lint.libraries.torch.operators.indices import taken_as_integers
from autograd_lint.libraries.torch.operators.kinds import kinds_given, names_dtype
from autograd_lint.libraries.torch.operators.option_decisions import settle_options
from autograd_lint.libraries.torch.operators.pools import averages, with_mean
from autograd_lint.libraries.torch.operators.unknown_tensors import as_tensor, assumed
from autograd_lint.libraries.torch.transforms.batching import judge_operator
from autograd_lint.libraries.torch.transforms.forward_ad import refuse_out
from autograd_lint.operators.facts import Form, Operator
from autograd_lint.operators.names import twins
from autograd_lint.vm.arrays import behind
from autograd_lint.vm.contents import tensors_in
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import (
    NOT_TENSORS,
    Bound,
    Instance,
    Items,
    Slice,
    Unknown,
    Value,
)

# What computes with numbers as they are, without a dtype of its own.
PROMOTING = {"add", "sub", "mul", "pow", "remainder", "fmod", "floor_divide", "floordiv"}
NUMBER = frozenset({"number"})
JOINT = {"meshgrid", "broadcast_tensors"}  # as many results as arguments
MANY = {"unbind", *CUTS, *JOINT}
# Operators that torch has no more, or under another name as well, and what they are like.
RENAMED = {
    "symeig": "torch.linalg.eigh",
    "potrf": "torch.cholesky",
    "eig": "torch.linalg.eig",
    "spmm": "torch.mm",
}
NESTED = 4  # lists inside of each other that are looked into
UNKNOWN_COUNT = 4  # results that stand for an unknown number of them


# The layouts of several results, None where their number is not known.
Parts = Sequence[Layout | None] | None


def apply_operator(
    interp: Interpreter,
    dotted: str,
    args: Sequence[Value],
    keywords: MappingType[str, Value],
    node: ast.AST,
    *,
    label: str | None = None,
    count: int | None = None,
) -> Value:
    """Run the operator of that dotted name; Unknown where the table has none."""
    operator = find_operator(interp, dotted)
    if operator is None:
        return Unknown(interp.text(node))
    bound = bind(operator, args, keywords)
    return run_operator(interp, operator, bound, node, label=label, count=count)


def find_operator(interp: Interpreter, dotted: str) -> Operator | None:
    """The operator of a dotted name; `__iadd__` and the like by their named twins."""
    table = interp.world.table
    name = dotted.rpartition(".")[2]
    found = table.find(RENAMED.get(name, dotted))
    if found is not None:
        return found
    return next(filter(None, map(table.find, twins(dotted))), None)


def bind(
    operator: Operator, args: Sequence[Value], keywords: MappingType[str, Value]
) -> dict[str, Value]:
    """The arguments by the table's keys."""
    bound = {str(position): value for position, value in enumerate(args)}
    bound.update({operator.key(name): value for name, value in keywords.items()})
    return bound


def run_operator(
    interp: Interpreter,
    operator: Operator,
    bound: dict[str, Value],
    node: ast.AST,
    *,
    label: str | None = None,
    count: int | None = None,
    kinds: MappingType[str, frozenset[str]] | None = None,
) -> Value:
    """Run an operator on arguments by key."""
    given = kinds
    if given is None:
        given = kinds_given(operator, bound)
        settle_options(interp, operator, bound, given, node)
    form = operator.select(given)
    if form.gaps:
        form = with_kernels(interp, operator.name, form)
    if averages(operator.name):
        form = with_mean(form, bound)
    if any(isinstance(bound.get(key), (Bound, Instance)) for key in form.differentiable):
        # torch refuses what is no tensor, unless its class answers (`__torch_function__`).
        return Unknown(interp.text(node), weight=2)
    arguments = {key: _prepared(interp, key, value, form) for key, value in bound.items()}
    name = operator.bare
    taken_as_integers(interp, name, arguments)
    parts = _parts(name, bound, count) if name in MANY else [None]
    operation = Operation(
        operator.called,
        form,
        arguments,
        interp.place(node),
        label,
        _wanted(name, bound, parts),
        breaks_behind_numbers(bound),
        operator.measured,
    )
    _judge_modes(interp, name, bound, node)
    results = run(interp.engine, operation)
    if form.modifies:
        state_written(results)
    interp.emit(OperatorRun(operation, results, node, operator.name), operation.operator)
    _cast(results, bound, form)
    _promote(operation.operator, results, bound, form)
    infer_shapes(name, bound, results)
    for result, part in zip(results, parts or (), strict=False):
        if part is not None:
            lay_out(result, part)
    return _value(interp, name, bound, parts, results, node)


def _wanted(name: str, bound: dict[str, Value], parts: Parts) -> int:
    """How many results there are."""
    listed = bound.get("0")
    if name.startswith("_foreach_") and isinstance(listed, Items):
        return max(len(listed.items), 1)
    return UNKNOWN_COUNT if parts is None else len(parts)


def _judge_modes(interp: Interpreter, name: str, bound: dict[str, Value], node: ast.AST) -> None:
    """Report what cannot be done under forward AD, or for a whole batch at once."""
    if interp.engine.transform.duals:
        refuse_out(interp, name, bound, node)
    if interp.engine.transform.batched:
        judge_operator(interp, name, bound.get("0"), node)


def _value(
    interp: Interpreter,
    name: str,
    bound: dict[str, Value],
    parts: Parts,
    results: list[Tensor],
    node: ast.AST,
) -> Value:
    """What the program gets: a tensor, a tuple or a list of them."""
    listed = bound.get("0")
    if name in MANY:
        return Items("tuple", list(results), Unknown("a part", weight=2) if parts is None else None)
    if name.startswith("_foreach_") and isinstance(listed, Items):
        return Items("list", list(results), listed.rest and Unknown("a result", weight=2))
    if not results:
        return Unknown(interp.text(node))  # a number, a flag or nothing at all
    return results[0] if len(results) == 1 else Items("tuple", list(results))


def breaks_behind_numbers(bound: dict[str, Value]) -> GraphBreaks:
    """The graph breaks behind numbers and arrays among the arguments, also in an index."""
    found = [v.graph_breaks for v in bound.values() if isinstance(v, Unknown) and v.graph_breaks]
    found += [behind((v,)) for v in bound.values() if isinstance(v, (Items, Slice))]
    return joined(*found) if found else ()


def _parts(name: str, bound: dict[str, Value], count: int | None) -> Parts:
    """The layouts of the several results, None where their number is not known."""
    first, wanted = bound.get("0"), bound.get("1")
    if name in JOINT:
        return [None] * len(list(tensors_in(Items("tuple", list(bound.values())))))
    found = infer_parts(name, first, bound) if isinstance(first, Tensor) else None
    if found is not None:
        return found
    # A tensor of unknown size is as a rule large enough to be cut into all the chunks asked for.
    if count is None and name.endswith("chunk") and isinstance(wanted, int):
        count = wanted if 0 < wanted <= MOST else None
    return None if count is None else [None] * count


def _prepared(
    interp: Interpreter, key: str, value: Value, form: Form, depth: int = NESTED
) -> object:
    if isinstance(value, Items):
        items = [*value.items, value.rest] if depth else []
        parts = [_prepared(interp, key, item, form, depth - 1) for item in items]
        return [part for part in parts if isinstance(part, Tensor)]
    if not isinstance(value, Unknown) or value.hint in NOT_TENSORS:
        return value
    if key in form.modifies:
        return as_tensor(interp, value)
    if value.tensor is not None:
        return value.tensor
    return _number_or_tensor(interp, value) if key in form.differentiable else value


def _number_or_tensor(interp: Interpreter, unknown: Unknown) -> Tensor:
    """What an operator is given that may be a number as well as a tensor that requires grad:
    nothing may rest on either."""
    found = assumed(interp, unknown, 2)
    if found.node is not None and found.node.opaque and unknown.source is None:
        found.node.perhaps_number = True
    return found


def _promote(name: str, results: list[Tensor], bound: dict[str, Value], form: Form) -> None:
    """Of whole numbers and a float comes a float; of what is not known one does not know.

    Source: https://docs.pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc
    """
    if not {name, name.removeprefix("r")} & PROMOTING or form.modifies:
        return
    numbers = [value for value in bound.values() if not isinstance(value, Tensor)]
    surely = any(isinstance(value, float) for value in numbers)
    maybe = any(isinstance(value, Unknown) and value.hint in ("", "number") for value in numbers)
    for result in results:
        if result.dtype in ("int", "bool") and (surely or maybe):
            result.dtype = "float" if surely else None


def _cast(results: list[Tensor], bound: dict[str, Value], form: Form) -> None:
    given = bound.get("dtype")
    dtype = names_dtype(given)
    if form.modifies or (dtype is None and not isinstance(given, Unknown)):
        return
    for result, output in zip(results, form.outputs, strict=False):
        if output.dtype in ("same", "real", "unknown"):
            result.dtype = dtype
            if dtype in ("int", "bool"):
                result.requires, result.node = None, None
