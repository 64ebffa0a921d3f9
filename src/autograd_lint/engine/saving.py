"""What a node keeps for backward, and what becomes of it under hooks that take it.

Mirrors torch/csrc/autograd/saved_variable.cpp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.engine.graph import Node, SavedTensor
from autograd_lint.engine.graph_breaks import linked
from autograd_lint.engine.machine import Engine
from autograd_lint.engine.parts import Packing
from autograd_lint.engine.tensor import Tensor, either
from autograd_lint.operators.facts import Save
from autograd_lint.places import Place

if TYPE_CHECKING:
    from autograd_lint.engine.operation import Operation

UNSURE = Assumption(Kind.KEPT_FOR_VALUES)
# Inputs that operators keep as a view that they have made: `linear` transposes its weight. Measured
# on torch 2.13, by giving each input other memory (`x.data = other`) before backward.
_BY_VIEW = {
    **dict.fromkeys(("linear", "Linear", "prelu", "PReLU"), frozenset({"1", "weight"})),
    **dict.fromkeys(("bilinear", "einsum", "tensordot"), frozenset({"0", "1"})),
    "outer": frozenset({"0"}),
}


def save_inputs(engine: Engine, operation: Operation, node: Node) -> None:
    """Keep the inputs that backward needs, before the operator runs."""
    form = operation.form
    written = form.modifies + form.unversioned
    for save in form.saves:
        if not save.is_result and save.key not in written:
            _keep(engine, node, operation, save, operation.at(save.key), "input")


def save_results(engine: Engine, operation: Operation, node: Node, results: list[Tensor]) -> None:
    """Keep the results that backward needs, and the inputs that were written.

    The running statistics that `batch_norm` writes past their version counters are of no use to
    the backward of a training step. Source: `native_batch_norm_backward`,
    aten/src/ATen/native/Normalization.cpp.
    """
    form = operation.form
    written = form.modifies + form.unversioned
    for save in form.saves:
        if save.is_result:
            _keep(engine, node, operation, save, _selected(results, save.key), "result")
        elif save.key in written:
            kept = len(node.saved)
            _keep(engine, node, operation, save, operation.at(save.key), "result")
            for saved in node.saved[kept:]:
                saved.unread = not form.bumps or save.key in form.unversioned


def _selected(results: list[Tensor], key: str) -> list[Tensor]:
    if key == "out*":
        return results
    index = int(key[3:])
    return results[index : index + 1]


def _keep(
    engine: Engine,
    node: Node,
    operation: Operation,
    save: Save,
    tensors: list[Tensor],
    slot: str,
) -> None:
    because = node.requires
    if save.needs is not None:
        given = filter(linked, operation.at_all(sorted(save.needs)))
        needed = either(*(tensor.requires_grad for tensor in given))
        if needed is None:
            return
        because = needed
    if not save.sure:
        because |= {UNSURE}
    packing = engine.hooks.packing
    if packing is not None:
        node.frees = True
        because |= packing.because
        _refuse_packing(engine, operation, node, packing)
        tensors = tensors if packing.keeps else []
    unchecked, by_view = packing is not None, save.key in _BY_VIEW.get(operation.operator, ())
    for tensor in tensors:
        if tensor.inference and slot == "input":
            _refuse_inference(engine, tensor, operation, because)
        node.saved.append(SavedTensor.of(tensor, slot, because, unchecked, by_view))


def _refuse_packing(engine: Engine, operation: Operation, node: Node, packing: Packing) -> None:
    """Report hooks that raise on what is saved: now, or when backward asks for it."""
    refused = packing.refused
    if refused is None:
        return

    def raise_at(place: Place | None) -> None:
        engine.report(
            Fault(
                FaultKind.OTHER,
                place,
                operator="saved_tensors_hooks",
                detail=refused.detail,
                built=refused.built,
                assumptions=node.requires,
            )
        )

    if refused.saving:
        raise_at(operation.place)
    else:
        node.run = raise_at


def _refuse_inference(
    engine: Engine, tensor: Tensor, operation: Operation, because: frozenset[Assumption]
) -> None:
    engine.report(
        Fault(
            FaultKind.INFERENCE_TENSOR,
            operation.place,
            tensor=tensor.name,
            operator=operation.operator,
            detail="saved",
            built=tensor.made,
            assumptions=because,
        )
    )
