"""AG201: backward runs a second time through a graph that was freed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault, FaultKind, Meant
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.findings import Edit, Finding, Fix, Related
from autograd_lint.places import Place
from autograd_lint.rules import wording
from autograd_lint.rules.base import Rule, first_place
from autograd_lint.rules.mending import unsafe
from autograd_lint.rules.wording import quoted, spoken

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk


class GraphFreed(Rule):
    """Backward runs a second time through a graph that has been freed.

    ## What it does

    Finds two calls of `backward()` or `torch.autograd.grad()` that use the same saved tensors,
    where the first does not retain the graph. Graphs that save nothing (sums, views, additions) can
    be differentiated any number of times and are not reported.

    ## Why it is bad

    The first backward frees the saved tensors of the graph. The second raises: "Trying to backward
    through the graph a second time (or directly access saved tensors after they have already been
    freed)".

    ## Example

    ```python
    import torch

    w = torch.randn(3, requires_grad=True)
    h = w.exp()
    h.sum().backward()
    h.mean().backward()
    ```

    ## Use instead

    ```python
    import torch

    w = torch.randn(3, requires_grad=True)
    h = w.exp()
    (h.sum() + h.mean()).backward()
    ```

    ## Fix safety

    The fix to `retain_graph=True` at the first call is unsafe: it is only right if both calls are
    meant to use the same graph, and it keeps that graph in memory.

    ## References

    - [torch.Tensor.backward](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html)
    """

    code = "AG201"
    name = "graph-freed"
    kinds = frozenset({FaultKind.GRAPH_FREED})

    def answers(self, fault: Fault) -> bool:
        return super().answers(fault) and not fault.carried

    def primary(self, fault: Fault) -> Place | None:
        freed = fault.freed.place if fault.freed else None
        if _frees_by_oversight(fault):
            return freed or fault.place or first_place(fault)
        return fault.place or freed or first_place(fault)

    def judge(self, fault: Fault, place: Place, chunk: Chunk) -> Finding | None:
        built = fault.built
        again = fault.freed is not None and fault.freed.place in (fault.place, None)
        at_freeing = not again and _frees_by_oversight(fault)
        return self.tell(
            fault,
            place,
            message=_message(fault, again),
            label=_label(fault, again, at_freeing),
            role="freed" if at_freeing else "needed",
            reason="`backward()` frees the graph unless it is called with `retain_graph=True`",
            help=_help(fault, again, _shared(fault, chunk)),
            related=(
                wording.built(built, f"built here by {spoken(built.operator)}" if built else ""),
                _other_call(fault, again, at_freeing),
            ),
            fix=None if again else _fix(fault, place, chunk),
        )


def _frees_by_oversight(fault: Fault) -> bool:
    """Whether a `grad` that was to look at the graph only has freed it for a backward.

    Of two backwards the second is one too many; there the first is what it should be.
    """
    if fault.freed is None or fault.needed is None:
        return False
    return fault.freed.call == "grad" and fault.needed.call != "grad"


def _other_call(fault: Fault, again: bool, at_freeing: bool) -> Related | None:
    if again:
        return None
    if at_freeing:
        return wording.needed(fault.needed, "needed again here")
    call = wording.short_call(fault.freed.call if fault.freed else "")
    return wording.freed(fault.freed, f"freed by this {call}")


def _shared(fault: Fault, chunk: Chunk) -> str | None:
    """The name of what both losses are computed from."""
    built = fault.built.place if fault.built else None
    kept = chunk.around(built).assigned_at(built) if built is not None else None
    return kept.name if kept is not None and kept.name.isidentifier() else None


def _detached(fault: Fault, place: Place, chunk: Chunk) -> tuple[Edit, ...]:
    """What both losses are computed from, detached in the one that is not to train it."""
    name, built = _shared(fault, chunk), fault.built.place if fault.built else None
    freed = fault.freed.place if fault.freed else None
    needed = fault.place
    if name is None or built is None or freed is None or needed is None:
        return ()
    if len({built.filename, freed.filename, needed.filename, place.filename}) > 1:
        return ()
    begin, end = (built, freed) if fault.meant is Meant.FIRST else (freed, needed)
    return chunk.mends.detach_arguments(range(begin.row + 1, end.row + 1), name)


def _fix(fault: Fault, place: Place, chunk: Chunk) -> Fix | None:
    freed = fault.freed.place if fault.freed else None
    if freed is None:
        return None
    if fault.meant is not None:
        edits = _detached(fault, place, chunk)
        return unsafe(f"Detach `{_shared(fault, chunk)}`, which this loss should not train", edits)
    if fault.shows(Pitfall.PENALTY_WITHOUT_GRAPH):
        edits = chunk.around(freed).mends.set_keyword(freed, "create_graph", "True")
        return unsafe("Give the gradient a graph with `create_graph=True`", edits)
    edits = chunk.around(freed).mends.set_keyword(freed, "retain_graph", "True")
    return unsafe("Keep the graph with `retain_graph=True`", edits)


def _message(fault: Fault, again: bool) -> str:
    who = wording.needing(fault)
    if fault.place is not None and fault.tensor:
        who = f"{who} on {quoted(fault.tensor)}"
    if again:
        return f"{who} runs again through a graph that it has freed"
    freeing = wording.short_call(fault.freed.call if fault.freed else "")
    return f"{who} needs a graph that an earlier {freeing} has freed"


def _label(fault: Fault, again: bool, at_freeing: bool) -> str:
    call = wording.short_call(fault.freed.call if fault.freed else "")
    if again:
        return f"the first time {call} frees the graph, the next time it needs it again"
    return f"freed by this {call}" if at_freeing else "needed again here"


def _help(fault: Fault, again: bool, shared: str | None) -> str:
    if fault.meant is not None and not again:
        name = f"`{shared}.detach()`" if shared else "a detached tensor"
        return (
            f"use {name} in the loss of {fault.meant.value}, whose optimizer does not train what"
            " computed it"
        )
    if fault.shows(Pitfall.PENALTY_WITHOUT_GRAPH):
        return "pass `create_graph=True`: the gradient is part of a loss; this also keeps the graph"
    if again:
        return "run the forward again before each backward, so that each has its own graph"
    return (
        "add the losses and call `backward()` once; only if both calls are"
        " intended, pass `retain_graph=True` to the first"
    )
