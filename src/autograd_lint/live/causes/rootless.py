"""A root that nothing can be differentiated from: where its graph was cut."""

from collections.abc import Iterator
from dataclasses import replace

import torch

from autograd_lint.engine.events import Created, Needed, Noted
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import COMPLEX, MODE_OFF
from autograd_lint.live.bindings import binding_of, sources_of
from autograd_lint.live.failure import Failure, made, origin_of, place_of, switched_off
from autograd_lint.live.memory import Origin
from autograd_lint.live.naming import name_at
from autograd_lint.live.record import Record
from autograd_lint.live.sites import Site


def of_rootless(failure: Failure, record: Record) -> Fault:
    """The fault of a root that does not require grad."""
    roots = list(_rootless(failure))
    origin = next((one for root in roots if (one := origin_of(root, record)) is not None), None)
    cut = origin.cut if origin and origin.cut else origin
    return replace(
        failure.fault,
        tensor=name_at(failure.call),
        operator=cut.operator if cut else "",
        detail=MODE_OFF if cut is not None and cut.requires and not cut.grad_enabled else "",
        built=Created(place_of(cut.site), cut.operator) if cut else None,
        noted=tuple(_noted(failure, origin, cut)),
    )


def of_vector(failure: Failure, record: Record) -> Fault:
    """The fault of a root of several elements, or of complex numbers, which `backward` refuses
    before the engine runs."""
    # `out` is what torch looks at when it refuses (`_make_grads`).
    held = failure.around.held_by_torch("out")
    root = next((one for one in held if one.numel() != 1 or one.is_complex()), None)
    return replace(
        failure.fault,
        tensor=name_at(failure.raised),
        detail=COMPLEX if root is not None and root.is_complex() else failure.fault.detail,
        built=None if root is None else made(root, record),
        needed=Needed(failure.place, "backward"),
    )


def _rootless(failure: Failure) -> Iterator[torch.Tensor]:
    """What was differentiated and has no graph; below a checkpoint that is what torch holds."""
    outputs = failure.outputs if isinstance(failure.outputs, (list, tuple)) else (failure.outputs,)
    in_checkpoint = "this checkpoint() is not necessary" in failure.message
    for tensor in failure.around.held_by_torch("outputs") if in_checkpoint else outputs:
        if isinstance(tensor, torch.Tensor) and not tensor.requires_grad:
            yield tensor


def _noted(failure: Failure, origin: Origin | None, cut: Origin | None) -> Iterator[Noted]:
    if cut is not None and origin is not None and cut is not origin:
        yield Noted(place_of(origin.site), "made without a graph here")
    if cut is not None:
        yield from switched_off(cut.off)
    bound = binding_of(name_at(failure.call), failure.call)
    if bound is not None:
        yield Noted(bound, "bound here")
    if cut is not None and cut.site is not None and not cut.requires:
        yield from _numbers_in(failure, cut.site)


def _numbers_in(failure: Failure, site: Site) -> Iterator[Noted]:
    """Where the Python numbers come from that a tensor was made of."""
    for name, value in failure.around.named_at(site.place):
        items = value if type(value) in (list, tuple) else (value,)
        if items and all(type(item) in (int, float) for item in items):
            said = f"`{name}` is a number without a graph"
            yield from (Noted(place, said) for place in sources_of(name, site))
