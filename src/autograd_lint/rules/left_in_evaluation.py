"""AG415: a module is trained on in the evaluation mode that a validation has left."""

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import NEVER_TRAINING, Pitfall
from autograd_lint.findings import Related
from autograd_lint.rules import wording
from autograd_lint.rules.silent import SilentRule


class LeftInEvaluation(SilentRule):
    """After a validation the module stays in evaluation mode, and is trained in it.

    ## What it does

    Finds modules with dropout or batch normalization that one line trains in training mode first,
    and in evaluation mode later, because nothing calls `train()` after `eval()`; and those that are
    put into evaluation mode before the training, and only trained in it. Of a module whose class is
    not seen, the first kind is told, and it is assumed that it has such layers. Loops whose text
    trains a module and runs a validation that puts it into evaluation mode, with nothing that may
    end that mode, are told without a run as well.

    ## Why it is bad

    From then on dropout drops nothing, and batch normalization uses its running statistics and
    updates them no more. The first epoch is trained in another way than all others. No error is
    raised.

    ## Example

    ```python
    import torch

    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Dropout(0.5))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    modes = []
    model.train()
    for epoch in range(2):
        modes.append(model.training)
        loss = model(torch.ones(4, 2)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        model.eval()
        with torch.no_grad():
            model(torch.ones(4, 2))
    assert all(modes)
    ```

    ## Use instead

    ```python
    import torch

    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Dropout(0.5))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    modes = []
    for epoch in range(2):
        model.train()
        modes.append(model.training)
        loss = model(torch.ones(4, 2)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        model.eval()
        with torch.no_grad():
            model(torch.ones(4, 2))
    assert all(modes)
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.nn.Module.eval](https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.eval)
    """

    code = "AG415"
    name = "left-in-evaluation"
    kinds = frozenset({Pitfall.LEFT_IN_EVALUATION})
    message = "the module stays in evaluation mode from here on, and is trained in it"
    label = "evaluation mode begins, and nothing ends it"
    reason = "in evaluation mode dropout drops nothing, and batch statistics are not used"
    advice = "call `train()` at the beginning of each epoch, or behind the evaluation"
    events = (("needed", "trained here, in training mode at first"),)

    def says(self, fault: Fault) -> str:
        if fault.detail == NEVER_TRAINING:
            return "evaluation mode begins here, and the module is only trained in it"
        return super().says(fault)

    def _related(self, fault: Fault, words: dict[str, str]) -> list[Related | None]:
        if fault.detail == NEVER_TRAINING:
            return [wording.needed(fault.needed, "trained here, in evaluation mode")]
        return super()._related(fault, words)
