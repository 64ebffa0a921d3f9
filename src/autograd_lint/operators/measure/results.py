"""What a result is beside the arguments: its dtype, its shape, and whose memory it shares."""

from collections.abc import Iterator
from functools import reduce
from typing import Any

import torch
from torch.autograd.grad_mode import _unsafe_preserve_version_counter

from autograd_lint.operators.facts import AliasKind
from autograd_lint.operators.measure.calls import Prepared
from autograd_lint.operators.measure.kinds import dtype_kind
from autograd_lint.operators.measure.trials import Seen


def flatten(result: Any) -> list[torch.Tensor]:
    """The tensors of a result, nested tuples flattened in order."""
    if isinstance(result, torch.Tensor):
        return [result]
    if isinstance(result, list | tuple | Iterator):
        return [tensor for part in result for tensor in flatten(part)]
    if isinstance(result, dict):
        return flatten(list(result.values()))
    return []


def look(result: torch.Tensor, prepared: Prepared) -> Seen:
    """A result beside the arguments of its call."""
    given = [tensor for _, tensor in prepared.parts]
    return Seen(
        requires_grad=result.requires_grad,
        dtype=_dtype(result, given),
        shape=_shape(result, given),
        alias=_alias(result, prepared),
    )


def _dtype(result: torch.Tensor, given: list[torch.Tensor]) -> str:
    kind = dtype_kind(result.dtype)
    if not given:
        return kind
    promoted = reduce(torch.promote_types, (tensor.dtype for tensor in given))
    return "same" if dtype_kind(promoted) == kind else kind


def _shape(result: torch.Tensor, given: list[torch.Tensor]) -> str | None:
    if not given:
        return "other"
    if all(tensor.dim() == 0 for tensor in given):
        return None if result.dim() == 0 else "other"
    if result.dim() == 0:
        return "scalar" if any(tensor.dim() > 1 for tensor in given) else "scalar?"
    try:
        shapes = [tensor.shape for tensor in given]
        broadcast = torch.broadcast_shapes(*shapes)  # type: ignore[no-untyped-call]
    except RuntimeError:
        return "other"
    return "broadcast" if broadcast == result.shape else "other"


def _alias(result: torch.Tensor, prepared: Prepared) -> tuple[str, AliasKind] | None:
    for key, tensor in prepared.parts:
        if result is tensor:
            return key, AliasKind.SELF
    for key, tensor in prepared.parts:
        if _same_memory(result, tensor):
            return key, _kind(result, tensor)
    return None


def _same_memory(result: torch.Tensor, tensor: torch.Tensor) -> bool:
    if result.layout != torch.strided or tensor.layout != torch.strided:
        return False
    pointer = result.untyped_storage().data_ptr()
    return pointer != 0 and pointer == tensor.untyped_storage().data_ptr()


def _kind(result: torch.Tensor, tensor: torch.Tensor) -> AliasKind:
    if not _shares_counter(result, tensor):
        return AliasKind.UNVERSIONED
    if tensor.requires_grad and not result.requires_grad:
        return AliasKind.DETACHED
    several = result._is_view() and "MULTI_OUTPUT" in str(_creation_meta(result))
    return AliasKind.MULTI_VIEW if several else AliasKind.VIEW


def _creation_meta(result: torch.Tensor) -> object:
    return torch._C._autograd._get_creation_meta(result)


def _shares_counter(result: torch.Tensor, tensor: torch.Tensor) -> bool:
    version = tensor._version
    with _unsafe_preserve_version_counter(tensor):
        torch.autograd.graph.increment_version(tensor)
        return bool(result._version != version)
