"""AG501: tensors are kept with their graph, which is never used again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import BEFORE_CLOSURE, EVALUATED, Pitfall
from autograd_lint.findings import Fix
from autograd_lint.places import Place
from autograd_lint.rules.mending import safe, unsafe
from autograd_lint.rules.silent import SilentRule

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk

STATE = "state"  # the operator of a state that is computed from what it was before


class GraphKept(SilentRule):
    """Tensors are stored together with their graph, which is never used again.

    ## What it does

    Finds running sums and lists that collect tensors with their graph in every iteration, where the
    graphs of earlier iterations have been freed or no backward ever runs. A sum that begins anew
    with each step of the optimizer keeps few, and is not told. `trace` also finds what is computed
    once before the step of an optimizer, and differentiated in each run of its closure.

    ## Why it is bad

    Each graph keeps its nodes and their saved tensors alive: memory grows with every iteration.

    ## Example

    ```python
    import torch

    w = torch.ones(3, requires_grad=True)
    total = 0.0
    for _ in range(3):
        loss = (w**2).sum()
        loss.backward()
        total = total + loss
    assert total.grad_fn is None  # fails: `total` has the graphs of all iterations
    ```

    ## Use instead

    ```python
    import torch

    w = torch.ones(3, requires_grad=True)
    total = torch.zeros(())
    for _ in range(3):
        loss = (w**2).sum()
        loss.backward()
        total = total + loss.detach()
    assert total.grad_fn is None
    ```

    ## Fix safety

    The fix to store a detached tensor is safe if the finding is certain: no backward runs through
    these graphs, so values and gradients stay the same. Otherwise it is unsafe, and so is the fix
    to run an evaluation under `torch.no_grad()`.

    ## References

    - [FAQ: my model reports out of memory](https://docs.pytorch.org/docs/stable/notes/faq.html)
    """

    code = "AG501"
    name = "graph-kept"
    kinds = frozenset({Pitfall.GRAPH_KEPT})
    message = "{keeper} keeps the graph of every iteration alive{inside}"
    label = "kept with its graph"
    reason = "no backward uses the graphs of earlier iterations, but they stay in memory"
    advice = (
        "accumulate `.item()` or `.detach()` of it instead; for evaluation, use `torch.no_grad()`"
    )
    events = (("built", "the graph is built here"),)

    def says(self, fault: Fault) -> str:
        if fault.detail == BEFORE_CLOSURE:
            return "this is computed once, before the step: each run of its closure sees old values"
        return super().says(fault)

    def explains(self, fault: Fault) -> str:
        if fault.detail == BEFORE_CLOSURE:
            return "the optimizer moves the parameters between the runs of its closure"
        return super().explains(fault)

    def labels(self, fault: Fault) -> str:
        return "computed here" if fault.detail == BEFORE_CLOSURE else super().labels(fault)

    def words(self, fault: Fault, place: Place, chunk: Chunk) -> dict[str, str]:
        words = super().words(fault, place, chunk)
        container = chunk.container_at(place) if fault.operator == "container" else None
        if container is not None:
            return {**words, "keeper": f"`{container}`", "inside": ""}
        inside = "" if fault.operator in (STATE, fault.tensor) else f" in {words['operator']}"
        return {**words, "keeper": words["tensor"], "inside": inside}

    def advises(self, fault: Fault) -> str:
        if fault.detail == BEFORE_CLOSURE:
            return "compute it inside of the closure"
        if fault.operator == STATE:
            return "detach the state that is kept, or compute it under `torch.no_grad()`"
        if fault.operator != "container":
            return super().advises(fault)
        name = (fault.tensor or "").replace("{", "{{").replace("}", "}}")
        kept = f"`{name}.item()` or `{name}.detach()`" if name else "`.item()` or `.detach()` of it"
        return f"store {kept} instead; for evaluation, use `torch.no_grad()`"

    def mend(self, fault: Fault, place: Place, chunk: Chunk) -> Fix | None:
        if fault.detail == EVALUATED and fault.built is not None and fault.built.place is not None:
            without = _without_grad_mode(fault.built.place, chunk)
            if without is not None:
                return without
        edits = chunk.mends.detach_kept(place, fault.tensor)
        return safe("Store it without its graph", edits, fault)


def _without_grad_mode(place: Place, chunk: Chunk) -> Fix | None:
    """The statement that evaluates at a place, under `no_grad()`."""
    lines = chunk.around(place).lines
    if lines.torch is None:
        return None
    header = f"with {lines.torch}.no_grad():"
    return unsafe(f"Evaluate under `{header}`", lines.under(place, header))
