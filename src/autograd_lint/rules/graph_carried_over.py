"""AG202: state of an earlier iteration carries its graph, which was freed, into a later one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.findings import Finding, Fix, Related
from autograd_lint.places import Place
from autograd_lint.rules import wording
from autograd_lint.rules.base import Rule, first_place
from autograd_lint.rules.mending import unsafe
from autograd_lint.rules.wording import spoken

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Assigned, Chunk


class GraphCarriedOver(Rule):
    """State from an earlier iteration carries its graph, which has been freed, into a later one.

    ## What it does

    Finds tensors that outlive an iteration or a training step together with their graph: hidden
    states of recurrent networks, running averages, caches on `self`, accumulated losses. What is
    computed from them later leads back into the graph of the earlier step.

    ## Why it is bad

    The backward of the earlier step has freed that graph, so the backward of the later step raises:
    "Trying to backward through the graph a second time". With `retain_graph=True` every earlier
    graph stays in memory, and once `step()` has changed the weights, backward raises anyway.

    ## Example

    ```python
    import torch

    cell = torch.nn.RNNCell(2, 2)
    h = torch.zeros(1, 2)
    for _ in range(3):
        h = cell(torch.randn(1, 2), h)
        h.sum().backward()
    ```

    ## Use instead

    ```python
    import torch

    cell = torch.nn.RNNCell(2, 2)
    h = torch.zeros(1, 2)
    for _ in range(3):
        h = cell(torch.randn(1, 2), h.detach())
        h.sum().backward()
    ```

    ## Fix safety

    The fix to `detach()` the state after backward is unsafe: where the graph is cut determines how
    far back gradients flow.

    ## References

    - [torch.Tensor.detach](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.detach.html)
    """

    code = "AG202"
    name = "graph-carried-over"
    kinds = frozenset({FaultKind.GRAPH_FREED})

    def answers(self, fault: Fault) -> bool:
        return super().answers(fault) and fault.carried

    def primary(self, fault: Fault) -> Place | None:
        built = fault.built.place if fault.built else None
        return built or fault.place or first_place(fault)

    def judge(self, fault: Fault, place: Place, chunk: Chunk) -> Finding | None:
        calls = _two_calls(fault)
        if calls is not None:
            return self._judge_calls(fault, place, chunk, *calls)
        is_built = fault.built is not None and fault.built.place is not None
        kept = chunk.assigned_at(place) if is_built else None
        return self.tell(
            fault,
            place,
            message=f"the graph of {_owner(fault, kept)} is needed again in the next iteration, "
            "after backward has freed it",
            label=_label(kept) if is_built else "needs a freed graph",
            role="built" if is_built else "needed",
            reason=f"{wording.needing(fault)} goes back into the graph of an earlier iteration, "
            "which that backward has freed",
            help=_help(fault, kept),
            related=_related(fault, is_built),
            fix=_fix(fault, place, chunk) if is_built else None,
        )

    def _judge_calls(
        self, fault: Fault, place: Place, chunk: Chunk, first: Place, second: Place
    ) -> Finding | None:
        """Two calls of one function run backward, each once."""
        is_built = fault.built is not None and fault.built.place is not None
        owner = _owner(fault, chunk.assigned_at(place) if is_built else None)
        return self.tell(
            fault,
            place,
            message=f"the graph of {owner} is needed again in a later call, after backward has"
            " freed it",
            label="built here" if is_built else "needs a freed graph",
            role="built" if is_built else "needed",
            reason="`backward()` frees the graph unless it is called with `retain_graph=True`",
            help="add the losses and run one backward, or compute what they share anew for each",
            related=(
                Related("freed", "the backward of this call frees it", first),
                Related("needed", "the backward of this call needs it again", second),
            ),
        )


def _two_calls(fault: Fault) -> tuple[Place, Place] | None:
    """The calls by which the program comes to the backward that frees and to the one that needs,
    where these are two."""
    if fault.freed is None or fault.needed is None:
        return None
    pairs = zip(fault.freed.path, fault.needed.path, strict=False)
    return next(((one, other) for one, other in pairs if one != other), None)


def _fix(fault: Fault, place: Place, chunk: Chunk) -> Fix | None:
    """Cut where backward has freed the graph, or where the state is read."""
    freed = fault.freed.place if fault.freed else None
    carried = chunk.mends.carried_at(place)
    if not carried:
        return None
    is_pair = fault.built is not None and fault.built.operator.endswith("LSTM")
    detached = [_detached(name, is_pair and len(carried) == 1) for name in carried]
    if freed is not None and chunk.lines.share_function(place, freed):
        line = f"{', '.join(carried)} = {', '.join(detached)}"
        return unsafe(f"Cut the graph after backward: `{line}`", chunk.lines.after(freed, line))
    reads = map(chunk.mends.detach_reads, [place] * len(carried), carried, detached)
    return unsafe("Cut the graph of the state", tuple(edit for each in reads for edit in each))


def _detached(name: str, is_pair: bool) -> str:
    return f"tuple(part.detach() for part in {name})" if is_pair else f"{name}.detach()"


def _owner(fault: Fault, kept: Assigned | None) -> str:
    """What the graph belongs to, as far as the line that built it says so."""
    if kept is not None:
        return f"`{kept.name}`"
    if fault.tensor:
        return f"`{fault.tensor}`"
    maker = fault.built.operator if fault.built else fault.operator
    return f"the result of {spoken(maker)}"


def _related(fault: Fault, is_built: bool) -> tuple[Related | None, ...]:
    call = wording.call(fault)
    if fault.freed and fault.needed and fault.freed.place == fault.needed.place:
        both = f"{call} frees it in that iteration, and needs it again in the next"
        return (wording.needed(fault.needed, both) if is_built else None,)
    return (
        wording.freed(fault.freed, "freed here, by the backward of that iteration"),
        wording.needed(fault.needed, "needed here, one iteration later") if is_built else None,
    )


def _label(kept: Assigned | None) -> str:
    return "built here, in an earlier iteration" if kept and kept.from_itself else "built here"


def _help(fault: Fault, kept: Assigned | None) -> str:
    cut = "recompute it in each iteration, or `detach()` what is carried over to the next"
    if kept is None and fault.tensor:
        cut = f"detach the state between iterations: detach `{fault.tensor}` after `backward()`"
    if kept is not None and kept.from_itself:
        cut = f"cut the graph between iterations: `{kept.name} = {kept.name}.detach()`"
    return f"{cut}; `retain_graph=True` would only keep all earlier graphs alive"
