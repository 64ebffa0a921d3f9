"""AG503: the gradient of a parameter keeps its own graph, and with it the parameter, alive."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class GradientKeepsGraph(SilentRule):
    """The gradient of a parameter keeps its own graph, and with it the parameter, alive.

    ## What it does

    Finds `backward(create_graph=True)` after which the gradients of parameters are not set to None.

    ## Why it is bad

    The graph of the gradient refers to the parameter, which holds the gradient: a reference cycle
    that keeps all activations of the step in memory. PyTorch warns about it at run time.

    ## Example

    ```python
    import torch

    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh())
    model(torch.ones(1, 2)).sum().backward(create_graph=True)
    curvature = sum((p.grad**2).sum() for p in model.parameters()).item()
    assert all(p.grad is None or p.grad.grad_fn is None for p in model.parameters())
    ```

    ## Use instead

    ```python
    import torch

    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh())
    loss = model(torch.ones(1, 2)).sum()
    grads = torch.autograd.grad(loss, list(model.parameters()), create_graph=True)
    curvature = sum((grad**2).sum() for grad in grads).item()
    assert all(p.grad is None or p.grad.grad_fn is None for p in model.parameters())
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.Tensor.backward](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html)
    """

    code = "AG503"
    name = "gradient-keeps-graph"
    kinds = frozenset({Pitfall.GRADIENT_KEEPS_GRAPH})
    message = "the gradient of {tensor} keeps a graph that leads back to {tensor}"
    label = "creates a reference cycle of parameters and gradients"
    reason = "nothing sets `.grad` to None afterwards, so the whole graph stays in memory"
    advice = "use `torch.autograd.grad`, or clear the gradients with `zero_grad()` after using them"
