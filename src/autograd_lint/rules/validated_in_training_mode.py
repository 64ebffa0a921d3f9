"""AG417: a module is validated in training mode."""

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import LOADED, TEACHER, Pitfall
from autograd_lint.rules.silent import SilentRule


class ValidatedInTrainingMode(SilentRule):
    """A module with dropout or batch normalization is validated in training mode.

    ## What it does

    Finds calls of a module that measure how good it is (the result is compared with something, and
    numbers come of it; or a function such as `validate` or `test_epoch` runs it without grad mode),
    between the steps that train it or after them, while the module is still in training mode. Only
    calls that run dropout, batch normalization or code that reads `self.training` count; of a
    module whose class is not seen, and that was put into training mode, it is assumed that they do.

    Also finds modules whose parameters were loaded by a program that trains nothing and never calls
    `eval()`, and modules with such layers that give another one its targets or features under
    `no_grad`, and are changed by nobody.

    ## Why it is bad

    Dropout drops elements of what is measured, and batch normalization uses the statistics of the
    batch in the place of those that were learned; it even learns from the validation data, for it
    updates its statistics under `no_grad` as well. No error is raised.

    ## Example

    ```python
    import torch

    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = torch.rand(4, 2), torch.zeros(4, dtype=torch.long)
    validation = [(torch.rand(4, 2), y)]
    for epoch in range(2):
        loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        known = model[1].running_mean.clone()
        correct = 0
        with torch.no_grad():
            for inputs, labels in validation:
                correct += (model(inputs).argmax(1) == labels).sum().item()
        assert torch.equal(model[1].running_mean, known)
    ```

    ## Use instead

    ```python
    import torch

    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = torch.rand(4, 2), torch.zeros(4, dtype=torch.long)
    validation = [(torch.rand(4, 2), y)]
    for epoch in range(2):
        model.train()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        known = model[1].running_mean.clone()
        correct = 0
        model.eval()
        with torch.no_grad():
            for inputs, labels in validation:
                correct += (model(inputs).argmax(1) == labels).sum().item()
        assert torch.equal(model[1].running_mean, known)
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.nn.Module.eval](https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.eval)
    """

    code = "AG417"
    name = "validated-in-training-mode"
    kinds = frozenset({Pitfall.TRAINING_MODE})
    message = "the module is still in training mode while it is validated here"
    label = "measured in training mode"
    reason = "in training mode dropout drops, and batch normalization uses and learns this batch"
    advice = "call `eval()` before the validation, and `train()` before training goes on"
    events = (("needed", "trained here"),)

    def says(self, fault: Fault) -> str:
        if fault.detail == TEACHER:
            return "the module computes in training mode here, and nothing trains it"
        if fault.detail == LOADED:
            return "the module was loaded, and is validated in training mode here"
        return super().says(fault)

    def advises(self, fault: Fault) -> str:
        if fault.detail == TEACHER:
            return "call `eval()` on it before the loop"
        if fault.detail == LOADED:
            return "call `eval()` behind `load_state_dict()`"
        return super().advises(fault)
