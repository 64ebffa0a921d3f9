"""AG419: the running statistics of a frozen layer still move."""

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import MODE_UNDONE, Pitfall
from autograd_lint.rules.silent import SilentRule


class FrozenStatisticsDrift(SilentRule):
    """A frozen batch normalization is in training mode: its running statistics still move.

    ## What it does

    Finds batch normalization whose parameters the program freezes with `requires_grad = False`, and
    which is called in training mode while another part of the model is trained. Where the program
    has put a part that is frozen altogether into evaluation mode, and a later `train()` undoes
    that for its layers, the finding is likely; otherwise, also where only the evaluation of the
    whole model is undone, as after each validation, it is possible. Layers that are unfrozen later,
    and copies that follow another network, are not reported. A function that calls `eval()` of each
    batch normalization of a model, and a `train()` of that model in the loop behind its call, are
    told without a run. `trace` reports layers in a part that is frozen altogether.

    ## Why it is bad

    `requires_grad` only concerns parameters. `running_mean` and `running_var` are buffers, which
    each forward in training mode overwrites: the frozen part computes something else after training
    than before, and each batch is normalized by its own statistics.

    ## Example

    ```python
    import torch

    backbone = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
    model = torch.nn.Sequential(backbone, torch.nn.Linear(2, 1))
    for p in backbone.parameters():
        p.requires_grad = False
    backbone.eval()
    optimizer = torch.optim.SGD(model[1].parameters(), lr=0.1)
    before = backbone[1].running_mean.clone()
    model.train()
    model(torch.randn(8, 2)).sum().backward()
    optimizer.step()
    assert torch.equal(backbone[1].running_mean, before)
    ```

    ## Use instead

    ```python
    import torch

    backbone = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
    model = torch.nn.Sequential(backbone, torch.nn.Linear(2, 1))
    for p in backbone.parameters():
        p.requires_grad = False
    optimizer = torch.optim.SGD(model[1].parameters(), lr=0.1)
    before = backbone[1].running_mean.clone()
    model.train()
    backbone.eval()
    model(torch.randn(8, 2)).sum().backward()
    optimizer.step()
    assert torch.equal(backbone[1].running_mean, before)
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.nn.BatchNorm2d](https://docs.pytorch.org/docs/stable/generated/torch.nn.BatchNorm2d.html)
    - [Autograd mechanics: evaluation mode](https://docs.pytorch.org/docs/stable/notes/autograd.html#evaluation-mode-nn-module-eval)
    """

    code = "AG419"
    name = "frozen-statistics-drift"
    kinds = frozenset({Pitfall.STATISTICS_DRIFT})
    message = "the running statistics of a frozen batch normalization move: it is in training mode"
    label = "the frozen layer is in training mode"
    reason = "`requires_grad` concerns parameters; running statistics move in training mode"
    advice = "call `eval()` of the frozen part after each `train()`, or override `train`"
    events = (("built", "frozen here"), ("needed", "its statistics move here"))

    def says(self, fault: Fault) -> str:
        if fault.detail == MODE_UNDONE:
            return "this undoes the `eval()` of a frozen batch normalization: its statistics move"
        return super().says(fault)
