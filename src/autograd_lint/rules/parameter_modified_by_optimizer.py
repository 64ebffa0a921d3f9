"""AG105: an optimizer changes parameters between the forward that saved them and its backward."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.findings import Finding, Related
from autograd_lint.places import Place
from autograd_lint.rules import wording
from autograd_lint.rules.base import Rule, first_place
from autograd_lint.rules.hidden_modification import is_hidden
from autograd_lint.rules.wording import quoted, spoken

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk


class ParameterModifiedByOptimizer(Rule):
    """An optimizer changes parameters between the forward that saved them and its backward.

    ## What it does

    Finds `optimizer.step()` between a forward and the backward that needs its graph, where that
    graph has saved the parameters that the step changes. A typical case is two losses with shared
    parameters (generator and discriminator, actor and critic), each with its own step.

    ## Why it is bad

    `step()` writes the parameters in place. Backward would compute with the new values, so PyTorch
    raises: "one of the variables needed for gradient computation has been modified by an inplace
    operation". Optimizers with `fused=True` do not count their writes: there the gradient is
    silently wrong.

    ## Example

    ```python
    import torch

    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    out = model(torch.randn(4, 2))
    first, second = out.mean(), out.pow(2).mean()
    first.backward(retain_graph=True)
    opt.step()
    second.backward()
    ```

    ## Use instead

    ```python
    import torch

    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    out = model(torch.randn(4, 2))
    first, second = out.mean(), out.pow(2).mean()
    first.backward(retain_graph=True)
    second.backward()
    opt.step()
    ```

    ## Fix safety

    There is no automatic fix: moving the step changes what is computed.

    ## References

    - [Autograd mechanics: in-place correctness checks](https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-correctness-checks)
    """

    code = "AG105"
    name = "parameter-modified-by-optimizer"
    kinds = frozenset({FaultKind.SAVED_TENSOR_MODIFIED})

    def answers(self, fault: Fault) -> bool:
        by_optimizer = fault.modified is not None and fault.modified.by_optimizer
        return super().answers(fault) and by_optimizer and not is_hidden(fault)

    def primary(self, fault: Fault) -> Place | None:
        return _carried(fault) or first_place(fault) or fault.place

    def judge(self, fault: Fault, place: Place, chunk: Chunk) -> Finding | None:
        saver = spoken(fault.saved.operator if fault.saved else "")
        kept = (fault.saved.tensor if fault.saved else None) or fault.tensor
        changed = f"changed in place here{wording.versions(fault.saved, fault.modified)}"
        carried = _carried(fault) is not None
        return self.tell(
            fault,
            place,
            message=f"{_step(fault)} changes {quoted(kept, 'parameters')} after {saver} saved "
            f"{'it' if kept else 'them'} for a backward that is still to come",
            label="the graph built here is used again after the step" if carried else changed,
            role="built" if carried else "modified",
            reason=f"{wording.needing(fault)} needs the parameters as they were in"
            " the forward pass",
            help=_help(fault),
            related=(
                wording.saved(fault.saved),
                _modified(fault, changed) if carried else None,
                wording.needed(
                    fault.needed,
                    f"{wording.call(fault)} needs the old values here{wording.later(fault)}",
                ),
            ),
        )


def _carried(fault: Fault) -> Place | None:
    """Where the graph of an earlier round was built: a step belongs where it is, that does not."""
    return fault.built.place if fault.carried and fault.built else None


def _modified(fault: Fault, message: str) -> Related | None:
    place = fault.modified.place if fault.modified else None
    return Related("modified", message, place) if place else None


def _step(fault: Fault) -> str:
    optimizer = fault.modified.operator if fault.modified else ""
    return f"`{optimizer}.step()`" if optimizer else "`step()`"


def _help(fault: Fault) -> str:
    if fault.carried or _of_an_earlier_round(fault):
        return (
            "run the forward again after each `step()`, and `detach()` what is carried from one"
            " iteration to the next: `retain_graph=True` does not help here"
        )
    return (
        "call every backward that needs this graph before `step()`, or run the forward again after"
        " it (`detach()` what the other network should not learn from)"
    )


def _of_an_earlier_round(fault: Fault) -> bool:
    """Whether forward, backward and step stand in this order: only a loop makes that a fault."""
    events = (fault.saved, fault.needed, fault.modified)
    places = [event.place for event in events if event and event.place]
    return len(places) == 3 and places == sorted(places) and places[1] != places[2]
