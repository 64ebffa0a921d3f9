"""AG421: a learning rate is set where the optimizer does not read it."""

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import FIRST_GROUP, OUTDATED_RATE, ROUNDED, WRONG_KEY, Pitfall
from autograd_lint.rules.silent import SilentRule


class RateWithoutEffect(SilentRule):
    """A learning rate is set where the optimizer does not read it.

    ## What it does

    Finds learning rates (and other options) that are set as an attribute of an optimizer, in its
    `defaults`, under a key of a group that it does not have, in a copy of its groups, or in the
    first group alone of several. Also finds a variable that has given an optimizer its rate, and
    is changed later without anybody reading it. `trace` also finds optimizers whose steps are
    rounded away, for all parameters have 16 bits (`bfloat16`) and the rate is too small for that.

    ## Why it is bad

    An optimizer reads its options from `param_groups` alone. Training goes on with the old rate,
    and no error is raised.

    ## Example

    ```python
    import torch

    w = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.5)
    optimizer.lr = 0.0
    w.sum().backward()
    optimizer.step()
    assert w.item() == 0.0
    ```

    ## Use instead

    ```python
    import torch

    w = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.5)
    for group in optimizer.param_groups:
        group["lr"] = 0.0
    w.sum().backward()
    optimizer.step()
    assert w.item() == 0.0
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.optim: per-parameter options](https://docs.pytorch.org/docs/stable/optim.html#per-parameter-options)
    """

    code = "AG421"
    name = "rate-without-effect"
    kinds = frozenset({Pitfall.RATE_WITHOUT_EFFECT})
    message = "the optimizer does not read {tensor}: it goes on as before"
    label = "has no effect on the optimizer"
    reason = "an optimizer reads its options from `param_groups`"
    advice = 'set it in each group: `for group in optimizer.param_groups: group["lr"] = ...`'
    events = (("built", "the optimizer is given the rate here"),)

    def says(self, fault: Fault) -> str:
        if fault.detail == OUTDATED_RATE:
            return "the optimizer still has the old rate: only the number {tensor} changes"
        if fault.detail == FIRST_GROUP:
            return "{tensor} is the rate of the first group: the other groups keep theirs"
        if fault.detail == ROUNDED:
            return "no step changes the parameters: 16 bits are too few for this learning rate"
        if fault.detail == WRONG_KEY:
            return "{tensor} is no option of the optimizer: it goes on as before"
        return super().says(fault)

    def explains(self, fault: Fault) -> str:
        if fault.detail == ROUNDED:
            return "a step that is less than a 256th of a number in `bfloat16` is rounded away"
        return super().explains(fault)

    def advises(self, fault: Fault) -> str:
        if fault.detail == ROUNDED:
            return "keep the parameters in `float32`, and compute under `torch.autocast`"
        return super().advises(fault)
