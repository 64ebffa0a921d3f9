"""The graph was freed: where it was built, which call freed it, where a new graph joins it."""

from collections.abc import Iterator
from typing import Any

import torch
from torch.nn.utils import parametrize

from autograd_lint.engine.events import Freed, Noted
from autograd_lint.engine.faults import Fault
from autograd_lint.live import graph
from autograd_lint.live.bindings import entered_at
from autograd_lint.live.calls import Call
from autograd_lint.live.failure import Failure, birth_of, created, place_of
from autograd_lint.live.record import Birth, Record

_JOINS = "leads back from here"


def of_freed(failure: Failure, record: Record) -> Fault:
    """The fault of a second backward."""
    nodes = failure.nodes()
    gone = [node for node in nodes if any(graph.says_freed(m) for _, m in graph.complaints(node))]
    earlier = [(node, call) for node in gone if (call := _freeing_call(node, record)) is not None]
    node, call = max(
        earlier, key=lambda pair: graph.sequence_of(pair[0]) or -1, default=(None, None)
    )
    joining = _joining(nodes, gone, record)
    return Fault(
        failure.kind,
        failure.place,
        tensor=None,
        operator=graph.operator_of(node) if node is not None else "",
        detail=failure.message,
        built=created(node, record),
        freed=Freed(place_of(call.site), call.name) if call else None,
        needed=failure.needed,
        carried=joining is not None,
        noted=(
            *((Noted(place_of(joining.site), _JOINS),) if joining else ()),
            *_cached(failure, gone),
        ),
    )


def _cached(failure: Failure, gone: list[Any]) -> Iterator[Noted]:
    """The `with` that lets parametrized tensors of freed nodes be used again."""
    kept = parametrize._cache.values()
    if any(isinstance(one, torch.Tensor) and one.grad_fn in gone for one in kept):
        places = (entered_at(site, "cached") for site in failure.around.user_sites())
        place = next((one for one in places if one is not None), None)
        yield Noted(place, "parametrized tensors are kept from here on")


def _freeing_call(node: Any, record: Record) -> Call | None:
    number = graph.sequence_of(node)
    return None if number is None else record.calls.freed(number)


def _joining(nodes: list[Any], gone: list[Any], record: Record) -> Birth | None:
    """The operator of the new graph whose node leads into a freed one.

    What this very call has freed before it failed is of the new graph.
    """
    old = {node for node in nodes if _freeing_call(node, record) is not None} or set(gone)
    for node in sorted(nodes, key=lambda node: graph.sequence_of(node) or -1):
        if node not in old and any(edge[0] in old for edge in _edges(node)):
            return birth_of(node, record)
    return None


def _edges(node: Any) -> list[Any]:
    return [edge for edge in node.next_functions if edge[0] is not None]
