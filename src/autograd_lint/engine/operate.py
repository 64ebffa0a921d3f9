"""Running one operator: checks, node, saved tensors, writes, results.

Mirrors the order of a generated kernel in torch/csrc/autograd/generated/VariableType: check
in-place, collect edges, save inputs, run (which bumps), rebase history, save results.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Modified
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.engine.graph import Node
from autograd_lint.engine.graph_breaks import GraphBreaks, choosing, inherit, joined
from autograd_lint.engine.inplace import check_inplace, check_overlap, rebase, write
from autograd_lint.engine.machine import Engine
from autograd_lint.engine.operation import Operation
from autograd_lint.engine.recovery import written_anew
from autograd_lint.engine.results import results_of
from autograd_lint.engine.saving import save_inputs, save_results
from autograd_lint.engine.tensor import CERTAINLY, Requires, Tensor, either
from autograd_lint.engine.views import edge, is_refused_now
from autograd_lint.operators.facts import Gap, GapKind

# In-place forms that autograd lets pass: they keep the old history of what they write (the list
# DONT_REQUIRE_DERIVATIVE of PyTorch's tools/autograd/gen_variable_type.py).
UNCHECKED = {"logical_and_", "logical_or_", "logical_xor_", "logical_not_"}
# What in-place arithmetic changes nothing by.
NEUTRAL = {
    **dict.fromkeys(("mul_", "multiply_", "div_", "divide_", "true_divide_", "pow_"), 1),
    **dict.fromkeys(("add_", "sub_", "subtract_"), 0),
}


def run(engine: Engine, operation: Operation) -> list[Tensor]:
    """The results of an operator (one tensor each, in order).

    Raises EngineError where the engine certainly would.
    """
    form = operation.form
    requires = _requires(engine, operation)
    if engine.recording:
        if form.gaps:
            _refuse_arguments(engine, operation)
        if form.continues:
            _grant_constants(engine, operation)
    if "out" in form.modifies:
        _refuse_out(engine, operation)
    written = operation.written if form.bumps else []
    announced = [(tensor, _announce(engine, operation, tensor)) for tensor in written]
    refused = {
        id(tensor): check_inplace(engine, tensor, requires, event, operation.place)
        for tensor, event in announced
    }
    node = _node(engine, operation, requires)
    fails = CERTAINLY in refused.values()
    for tensor, event in announced if not (fails or _copies_itself(operation)) else ():
        check_overlap(engine, tensor, event, operation.place)
    if fails:
        for tensor in written:
            written_anew(tensor, node)
    else:
        _write(engine, operation, refused)
    results = results_of(engine, operation, node)
    inherit(engine, *_computed_with(operation), node, results)
    if node is not None and not fails:
        for tensor in _followed(written, results):
            rebase(engine, tensor, node, operation.place)
        save_results(engine, operation, node, results)
    return results


def _computed_with(operation: Operation) -> tuple[list[Tensor], GraphBreaks]:
    """The tensors whose values count, and the graph breaks behind what is no tensor, or a condition
    by which `where` chooses between values.

    `expand_as` and the like take but a form from the second.
    """
    tensors, breaks = operation.tensors(), operation.graph_breaks
    if operation.operator == "where":
        conditions = [one for one in tensors if one.dtype == "bool"]
        chosen = [one for one in tensors if one.dtype != "bool"]
        return chosen, joined(breaks, choosing(conditions))
    return tensors[:1] if operation.operator.rstrip("_").endswith("_as") else tensors, breaks


def _followed(written: list[Tensor], results: list[Tensor]) -> list[Tensor]:
    """The tensors whose new values the graph has: not the statistics that a layer keeps besides."""
    if not results:
        return written
    return [tensor for tensor in written if any(tensor is result for result in results)]


def _grant_constants(engine: Engine, operation: Operation) -> None:
    """Where the table never saw a tensor (a temperature), it cannot tell whether edges lead on."""
    measured, modified = operation.measured, operation.form.modifies
    if measured is None:
        return
    for key in operation.arguments:
        if key in measured or key in modified:
            continue
        if any(t.requires_grad is not None and t.dtype == "float" for t in operation.at(key)):
            engine.assumed.path_condition |= {
                Assumption(Kind.NO_DERIVATIVE_IN_ALL, operation.operator, weight=0)
            }


def _copies_itself(operation: Operation) -> bool:
    """Whether `copy_` is given what it would write to: it does nothing then.

    Source: `copy_impl` in aten/src/ATen/native/Copy.cpp.
    """
    if operation.operator != "copy_" or len(operation.tensors()) != 2:
        return False
    target, given = operation.tensors()
    shared = given.storage is target.storage or given.storage in target.storage.twins
    return shared and (given.shape, given.strides) == (target.shape, target.strides)


def _refuse_arguments(engine: Engine, operation: Operation) -> None:
    """Some arguments have no derivative, and must not require grad.

    Source: `check_no_requires_grad` in torch/csrc/autograd/VariableTypeUtils.h.
    """
    gaps = operation.form.gaps
    forbidden = (gap.key for gap in gaps if gap.kind is GapKind.FORBIDDEN and gap.sure)
    for tensor in operation.at_all(forbidden):
        if tensor.requires_grad is not None:
            detail = f"the function '{operation.operator}' is not differentiable with respect to it"
            engine.report(
                Fault(
                    FaultKind.OTHER,
                    operation.place,
                    tensor=tensor.name,
                    operator=operation.operator,
                    detail=detail,
                    built=tensor.made,
                    assumptions=tensor.requires_grad,
                )
            )


def _refuse_out(engine: Engine, operation: Operation) -> None:
    """`out=` is refused in grad mode when anything that takes part requires grad."""
    if not engine.recording:
        return
    name = operation.written[0].name if operation.written else operation.label
    for requires in dict.fromkeys(tensor.requires_grad for tensor in operation.tensors()):
        if requires is None:
            continue
        engine.report(
            Fault(
                FaultKind.OTHER,
                operation.place,
                tensor=name,
                operator=operation.operator,
                detail="functions with out=... arguments don't support automatic differentiation",
                assumptions=requires,
            )
        )


def _requires(engine: Engine, operation: Operation) -> Requires:
    if not engine.recording:
        return None
    if operation.operator in UNCHECKED:
        return None
    if any(tensor.dtype in ("int", "bool") for tensor in operation.written):
        return None  # such dtypes have no gradients
    return either(*[one.requires_grad for one in operation.among(operation.form.required)])


def _announce(engine: Engine, operation: Operation, tensor: Tensor) -> Modified:
    return Modified(
        operation.place,
        operation.operator,
        operation.label or tensor.name,
        tensor.storage.version + 1,
        layer=engine.layer,
    )


def _node(engine: Engine, operation: Operation, requires: Requires) -> Node | None:
    form = operation.form
    if requires is None or not (form.continues or (form.modifies and not form.outputs)):
        if engine.recording:
            _grant_use(engine, operation)
        return None
    place, tensors = operation.place, operation.among(form.differentiable)
    edges = [target for one in tensors if (target := edge(engine, one, place)) is not None]
    node = Node(operation.operator, place, engine.next_node(), requires, edges, frees=form.frees)
    engine.latest = node
    if form.curved:
        node.second = requires
    if form.gaps:
        node.gaps = list(_gaps(engine, operation))
    save_inputs(engine, operation, node)
    return node


def _grant_use(engine: Engine, operation: Operation) -> None:
    """An operator without a gradient may ask for the node of a view all the same (`argsort`)."""
    for tensor in operation.tensors():
        if tensor.is_view and tensor.requires_grad is not None and is_refused_now(tensor):
            engine.assumed.path_condition |= {
                Assumption(Kind.VIEW_NOT_ASKED_FOR, operation.operator, weight=0)
            }


def _gaps(engine: Engine, operation: Operation) -> Iterator[tuple[Node, Gap]]:
    """The edges over which backward cannot go, or not as usual."""
    for gap in operation.form.gaps:
        for tensor in operation.at(gap.key):
            target = edge(engine, tensor, operation.place)
            if target is not None:
                yield target, gap


def _write(engine: Engine, operation: Operation, refused: Mapping[int, Requires]) -> None:
    form = operation.form
    for key in form.modifies:
        for tensor in operation.at(key):
            write(
                tensor,
                operation.operator,
                operation.place,
                label=operation.label if key == "0" else None,
                bumps=1 if form.bumps else 0,
                assumptions=engine.assumed.scenario,
                neutral=_is_neutral(operation),
                layer=engine.layer,
                refused=refused.get(id(tensor)),
            )
    for tensor in operation.at_all(form.unversioned):
        write(
            tensor,
            operation.operator,
            operation.place,
            bumps=0,
            assumptions=engine.assumed.scenario,
        )


def _is_neutral(operation: Operation) -> bool:
    """Whether an operator is given the number by which it leaves every value as it is."""
    neutral = NEUTRAL.get(operation.operator)
    other = operation.arguments.get("1")
    return neutral is not None and type(other) in (int, float) and other == neutral
