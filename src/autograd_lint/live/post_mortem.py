"""What went wrong, read from the graph and the frames that are still there when torch raises."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from types import CodeType

from autograd_lint.engine.events import Noted
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.live.causes.by_message import (
    of_node,
    of_operator,
    of_recomputation,
    of_reentrant,
    user_code,
)
from autograd_lint.live.causes.custom import of_function, of_gradcheck
from autograd_lint.live.causes.freed import of_freed
from autograd_lint.live.causes.hooks import of_callback, of_hook
from autograd_lint.live.causes.numbers import of_missing_gradient, of_number
from autograd_lint.live.causes.overwritten import of_overwritten
from autograd_lint.live.causes.rootless import of_rootless, of_vector
from autograd_lint.live.causes.skipped import of_skipped
from autograd_lint.live.causes.tensors import of_moved_leaf, of_tensor
from autograd_lint.live.causes.unused import of_unused
from autograd_lint.live.causes.worker import in_worker, of_stacked, without_traceback
from autograd_lint.live.failure import Failure
from autograd_lint.live.record import Record

Cause = Callable[[Failure, Record], Fault | None]
_K = FaultKind
# The first that finds something tells; what the exception itself says comes last.
_CAUSES: dict[FaultKind, tuple[Cause, ...]] = {
    _K.SAVED_TENSOR_MODIFIED: (of_overwritten,),
    _K.GRAPH_FREED: (of_freed,),
    _K.NO_GRAD_ROOT: (of_number, of_rootless),
    _K.NON_SCALAR_ROOT: (of_vector,),
    _K.UNUSED_INPUT: (of_unused,),
    _K.CUSTOM_FUNCTION: (of_function,),
    _K.LEAF_MODIFIED: (of_moved_leaf, of_tensor),
}
_OTHERS: tuple[Cause, ...] = (
    of_skipped,
    of_stacked,
    of_reentrant,
    of_node,
    of_operator,
    of_recomputation,
    of_hook,
    of_number,
    of_missing_gradient,
    of_tensor,
    of_gradcheck,
    of_callback,
)
# Errors about a tensor that a helper may have been handed.
_HANDED = frozenset(
    {
        _K.NON_LEAF_FLAG,
        _K.UNUSED_INPUT,
        _K.LEAF_MODIFIED,
        _K.LEAF_VIEW_MODIFIED,
        _K.NUMPY_ON_GRAD,
        _K.NON_LEAF_OPTIMIZER,
        _K.RETAIN_GRAD,
        _K.NO_GRAD_ROOT,
    }
)


def explain(failure: Failure, record: Record) -> Fault:
    """The fault behind an exception of torch, with every event that is known."""
    causes = _CAUSES.get(failure.kind, _OTHERS)
    plain = without_traceback(failure)
    told = (cause(plain, record) for cause in causes)
    fault = next((one for one in told if one is not None), plain.fault)
    return replace(fault, noted=(*fault.noted, *_further(failure, fault, record)))


def _further(failure: Failure, fault: Fault, record: Record) -> Iterator[Noted]:
    worker = in_worker(failure)
    if worker is not None:
        yield worker
    hooked = of_hook(failure, record) if failure.kind is _K.VIEW_MODIFIED else None
    if hooked is not None:
        yield from hooked.noted
    compiled = user_code(failure)
    if compiled is not None:
        yield compiled
    caller = _caller(failure, fault)
    if caller is not None:
        yield caller


def _caller(failure: Failure, fault: Fault) -> Noted | None:
    """Who called the function that raises, unless it made the tensor at fault itself."""
    raised = failure.raised
    if raised is None or failure.kind not in _HANDED:
        return None
    place = fault.built.place if fault.built else None
    if place is not None and place.filename == raised.filename and _has(raised.code, place.row):
        return None
    outer = (site for site in failure.around.user_sites() if site.code is not raised.code)
    site = next(outer, None)
    return None if site is None else Noted(site.place, "called from here")


def _has(code: CodeType, row: int) -> bool:
    return any(own == row for *_, own in code.co_lines())
