"""AG310: PyTorch refuses an operation because of what its tensors are to autograd."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.faults import ABSENT_GRADIENT, Fault, FaultKind
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.findings import Finding, Related
from autograd_lint.places import Place
from autograd_lint.rules.base import Rule
from autograd_lint.rules.forbidden_inplace import is_write
from autograd_lint.rules.not_differentiable import is_on_the_way
from autograd_lint.rules.refusals import advice
from autograd_lint.rules.wording import made, quoted, spoken

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk


# Operators of which an earlier call is at fault.
_EARLIER = {
    "DataLoader",
    "GradScaler.step",
    "GradScaler.unscale_",
    "LBFGS.step",
    "backward hook",
    "saved_tensors_hooks",
}
_LONGEST = 120  # characters of PyTorch's words in a message


class RefusedByAutograd(Rule):
    """PyTorch rejects an operation because of the autograd state of its tensors.

    ## What it does

    Finds operations that only work on leaves, on tensors that require grad, or on floating point
    tensors: `copy.deepcopy` of the result of an operator, `requires_grad_()` on integers, a plain
    tensor assigned to a parameter, `.item()` inside `vmap`, an optimizer called with wrong
    arguments, and similar ones, unless a more specific rule applies.

    ## Why it is bad

    PyTorch raises at the call, for example: "Only Tensors created explicitly by the user (graph
    leaves) support the deepcopy protocol at the moment".

    ## Example

    ```python
    import copy

    import torch

    w = torch.randn(3, requires_grad=True)
    kept = copy.deepcopy(w * 2)
    ```

    ## Use instead

    ```python
    import torch

    w = torch.randn(3, requires_grad=True)
    kept = (w * 2).detach().clone()
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.Tensor.is_leaf](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.is_leaf.html)
    """

    code = "AG310"
    name = "refused-by-autograd"
    kinds = frozenset({FaultKind.OTHER})

    def answers(self, fault: Fault) -> bool:
        other = is_write(fault) or is_on_the_way(fault)
        return super().answers(fault) and not other

    def primary(self, fault: Fault) -> Place | None:
        early = fault.operator in _EARLIER or fault.handed is not None
        return (fault.built.place if early and fault.built else None) or super().primary(fault)

    def judge(self, fault: Fault, place: Place, chunk: Chunk) -> Finding | None:
        return self.tell(
            fault,
            place,
            message=_message(fault),
            label="PyTorch warns here" if fault.warned else "refused here",
            reason=fault.detail,
            help=_help(fault),
            related=(made(fault.built), *map(_unregistered, fault.also)),
        )


def _help(fault: Fault) -> str:
    if fault.shows(Pitfall.UNREGISTERED):
        return (
            "register them with the module: `nn.ModuleList`, `nn.ModuleDict`, `nn.ParameterList`"
            " or `nn.Parameter`"
        )
    return advice(fault.detail)


def _unregistered(pitfall: Fault) -> Related | None:
    """Where the module holds what it has not registered."""
    if pitfall.kind is not Pitfall.UNREGISTERED or pitfall.place is None:
        return None
    return Related("built", "not registered with the module", pitfall.place)


def beginning(text: str) -> str:
    """The first sentence of what PyTorch says, or as much of it as a message may hold."""
    sentence = " ".join(text.split()).partition(". ")[0].rstrip(".")
    if len(sentence) <= _LONGEST:
        return sentence
    return sentence[:_LONGEST].rpartition(" ")[0] + " ..."


def _message(fault: Fault) -> str:
    if fault.warned or not fault.operator:
        said = beginning(fault.detail)
        return f"PyTorch {'warns' if fault.warned else 'refuses this'}{said and f': {said}'}"
    if fault.operator == ABSENT_GRADIENT:
        return f"{quoted(fault.tensor)} is None here"
    what = f" for `{fault.tensor}`" if fault.tensor else ""
    return f"PyTorch refuses {spoken(fault.operator)}{what}"
