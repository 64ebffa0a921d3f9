"""AG420: a module applies dropout in evaluation mode too."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class DropoutInEvaluation(SilentRule):
    """A module applies dropout in evaluation mode too.

    ## What it does

    Finds a `forward` that calls `F.dropout` without `training`, makes an `nn.Dropout` where it is
    called, or gives a constant `dropout_p` to `scaled_dot_product_attention`.

    Where a rate is zero by default, or set anew later, nothing is told; nor where an argument that
    is off by default, or always given, switches the dropout on, and of a `forward` that its class
    calls for its loss alone.

    ## Why it is bad

    These functions do not know in which mode the module is: `training` is True by default, a new
    layer is in training mode, and `dropout_p` is always applied. `eval()` does not switch them off,
    so that predictions and validation scores are random. No error is raised.

    ## Example

    ```python
    import torch
    import torch.nn.functional as F


    class Net(torch.nn.Module):
        def forward(self, x):
            return F.dropout(x, 0.5)


    net = Net().eval()
    x = torch.ones(100)
    assert torch.equal(net(x), x)
    ```

    ## Use instead

    ```python
    import torch
    import torch.nn.functional as F


    class Net(torch.nn.Module):
        def forward(self, x):
            return F.dropout(x, 0.5, training=self.training)


    net = Net().eval()
    x = torch.ones(100)
    assert torch.equal(net(x), x)
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.nn.functional.dropout](https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.dropout.html)
    - [torch.nn.functional.scaled_dot_product_attention](https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html)
    """

    code = "AG420"
    name = "dropout-in-evaluation"
    kinds = frozenset({Pitfall.CONSTANT_DROPOUT})
    message = "this drops in evaluation mode too: {operator} is not told the mode of the module"
    label = "drops in every mode"
    reason = "`eval()` only reaches the layers of a module, not what its `forward` calls"
    advice = (
        "tell it the mode (`training=self.training`, `dropout_p=p if self.training else 0.0`), "
        "or use an `nn.Dropout` that is made in `__init__`"
    )
