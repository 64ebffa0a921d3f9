"""AG117: a parameter is given the memory of another one instead of a copy."""

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import MADE_OF_ONE, Pitfall
from autograd_lint.rules.silent import SilentRule


class MemoryShared(SilentRule):
    """`mine.data = other.data` makes two parameters share their memory.

    ## What it does

    Finds parameters whose `.data` is set to that of another parameter, where an optimizer moves one
    of them and the other one is used after that. `trace` also reports a frozen parameter that was
    made of the memory of a trained one: of the same array of NumPy, or of its `.data`.

    ## Why it is bad

    The assignment copies nothing. A target network, a snapshot or an average that is set so moves
    with every step of the network that is trained: both are always equal. Nothing is raised.

    ## Example

    ```python
    import torch

    online, target = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)
    target.weight.data = online.weight.data
    before = target.weight.clone()
    optimizer = torch.optim.SGD(online.parameters(), lr=0.1)
    online(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    assert torch.equal(target.weight, before)
    ```

    ## Use instead

    ```python
    import torch

    online, target = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)
    target.weight.data.copy_(online.weight.data)
    before = target.weight.clone()
    optimizer = torch.optim.SGD(online.parameters(), lr=0.1)
    online(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    assert torch.equal(target.weight, before)
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.Tensor.copy_](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.copy_.html)
    """

    code = "AG117"
    name = "memory-shared"
    kinds = frozenset({Pitfall.MEMORY_SHARED})
    message = "the two parameters share their memory from here on: nothing is copied"
    label = "shares the memory"
    reason = "an assignment to `.data` takes over the memory, so a step moves both"
    advice = "copy the values: `mine.data.copy_(other.data)`, or `load_state_dict()`"
    events = (("modified", "moves both"), ("needed", "used here, with the moved values"))

    def explains(self, fault: Fault) -> str:
        if fault.detail == MADE_OF_ONE:
            return "`Parameter(tensor)` and `from_numpy` take over the memory, so a step moves both"
        return super().explains(fault)

    def advises(self, fault: Fault) -> str:
        if fault.detail == MADE_OF_ONE:
            return "copy the values: `Parameter(tensor.clone())`, `torch.tensor(array)`"
        return super().advises(fault)
