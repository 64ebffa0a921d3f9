"""AG329: a module gets gradients, and no optimizer has its parameters."""

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import LEFT_OUT, UNFROZEN, Pitfall
from autograd_lint.rules.silent import SilentRule


class ModuleWithoutOptimizer(SilentRule):
    """A module gets gradients, but no optimizer was given its parameters.

    ## What it does

    Finds modules that a program creates and uses in a loss that trains another module, but whose
    own parameters are given neither to an optimizer nor to unknown code. Only whole programs are
    considered, functions and classes that make and step their optimizers (of a class only what no
    other file asks its objects for), modules in training mode, and gradients that nothing reads or
    clears. Modules that are loaded, copied, frozen or initialized by the program may be meant to
    stay fixed and are not reported. A single parameter is reported where an optimizer has the other
    parameters of its module, for example where groups are picked by the ends of names and match all
    but one.

    In a program of several files a module of layers may be there to stay as it was drawn, so that
    is only possible. It is likely where an optimizer has most of its neighbours, and where the
    program declares the parameters itself or switches them on.

    ## Why it is bad

    The module keeps its random initial values: the loss still goes down, because the other modules
    adapt to it.

    ## Example

    ```python
    import torch

    encoder, decoder = torch.nn.Linear(4, 2), torch.nn.Linear(2, 4)
    optimizer = torch.optim.SGD(encoder.parameters(), lr=0.1)
    before = decoder.weight.clone()
    for _ in range(3):
        x = torch.randn(8, 4)
        optimizer.zero_grad()
        (decoder(encoder(x)) - x).pow(2).mean().backward()
        optimizer.step()
    assert not torch.equal(decoder.weight, before)
    ```

    ## Use instead

    ```python
    import torch

    encoder, decoder = torch.nn.Linear(4, 2), torch.nn.Linear(2, 4)
    optimizer = torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.1)
    before = decoder.weight.clone()
    for _ in range(3):
        x = torch.randn(8, 4)
        optimizer.zero_grad()
        (decoder(encoder(x)) - x).pow(2).mean().backward()
        optimizer.step()
    assert not torch.equal(decoder.weight, before)
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.optim: constructing it](https://docs.pytorch.org/docs/stable/optim.html#constructing-it)
    """

    code = "AG329"
    name = "module-without-optimizer"
    kinds = frozenset({Pitfall.NO_OPTIMIZER})
    message = "this module is never trained: no optimizer was given its parameters"
    label = "gets gradients, but is never updated"
    reason = "an optimizer only updates the parameters it was given"
    advice = "give its parameters to an optimizer, or freeze it with `requires_grad_(False)`"
    events = (("built", "this optimizer only has other parameters of the loss"),)

    def says(self, fault: Fault) -> str:
        if fault.detail == LEFT_OUT:
            if fault.built is not None:
                return "{tensor} is never trained: no optimizer was given it"
            return "{tensor} is never trained: it is missing from this optimizer"
        if fault.detail == UNFROZEN:
            return "this switches on parameters that no optimizer has: they are never trained"
        return super().says(fault)

    def explains(self, fault: Fault) -> str:
        if fault.detail == LEFT_OUT and fault.built is None:
            return "the optimizer has the other parameters of its module, and only updates those"
        if fault.detail == UNFROZEN:
            return "an optimizer has the parameters that it was given when it was made"
        return super().explains(fault)

    def advises(self, fault: Fault) -> str:
        if fault.detail == LEFT_OUT:
            return "give {tensor} to the optimizer, or freeze it with `requires_grad_(False)`"
        if fault.detail == UNFROZEN:
            return "give them to the optimizer: `add_param_group`"
        return super().advises(fault)
