"""AG345: a loss is given the result of another activation than the one it expects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import NO_LOGARITHM, Pitfall
from autograd_lint.places import Place
from autograd_lint.rules.silent import SilentRule

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk

_BINARY = {"binary_cross_entropy_with_logits", "BCEWithLogitsLoss"}


class ActivationTwice(SilentRule):
    """A loss applies softmax or sigmoid once more, or gets no logarithms.

    ## What it does

    Finds `CrossEntropyLoss` and `BCEWithLogitsLoss` of what softmax or sigmoid gave, and `NLLLoss`
    and `KLDivLoss` of what is no logarithm of probabilities.

    ## Why it is bad

    Softmax of probabilities is nearly uniform, however sure the module is: gradients are small, and
    the loss cannot go below a bound. `NLLLoss` takes the logarithm for granted: of probabilities
    its gradient does not grow where they are small, and of logits it has no minimum. No error is
    raised.

    ## Example

    ```python
    import torch
    import torch.nn.functional as F

    logits = torch.tensor([[20.0, 0.0, 0.0]], requires_grad=True)
    loss = F.cross_entropy(logits.softmax(dim=1), torch.tensor([0]))
    loss.backward()
    assert loss.item() < 0.01
    ```

    ## Use instead

    ```python
    import torch
    import torch.nn.functional as F

    logits = torch.tensor([[20.0, 0.0, 0.0]], requires_grad=True)
    loss = F.cross_entropy(logits, torch.tensor([0]))
    loss.backward()
    assert loss.item() < 0.01
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.nn.CrossEntropyLoss](https://docs.pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html)
    - [torch.nn.NLLLoss](https://docs.pytorch.org/docs/stable/generated/torch.nn.NLLLoss.html)
    """

    code = "AG345"
    name = "activation-twice"
    kinds = frozenset({Pitfall.ACTIVATION_TWICE})
    message = "the loss is computed from the result of {tensor}, and applies such a function itself"
    label = "not what the loss expects"
    reason = "{operator} expects logits: it applies {applied} to them itself"
    advice = "give the loss the logits, and apply {tensor} where probabilities are wanted"
    events = (("built", "computed here"), ("needed", "the loss is computed here"))

    def words(self, fault: Fault, place: Place, chunk: Chunk) -> dict[str, str]:
        binary = fault.operator in _BINARY
        return {**super().words(fault, place, chunk), "applied": "sigmoid" if binary else "softmax"}

    def says(self, fault: Fault) -> str:
        if fault.detail == NO_LOGARITHM:
            return "the loss expects logarithms of probabilities, not the result of {tensor}"
        return super().says(fault)

    def explains(self, fault: Fault) -> str:
        if fault.detail == NO_LOGARITHM:
            return "{operator} takes no logarithm"
        return super().explains(fault)

    def advises(self, fault: Fault) -> str:
        if fault.detail == NO_LOGARITHM:
            return "give it the result of `log_softmax`, or give logits to `cross_entropy`"
        return super().advises(fault)
