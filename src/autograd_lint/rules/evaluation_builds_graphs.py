"""AG504: a model in evaluation mode is run with grad mode on."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class EvaluationBuildsGraphs(SilentRule):
    """A model in evaluation mode is run with grad mode on.

    ## What it does

    Finds modules that run after `eval()` while gradients are recorded, and whose results no
    backward ever runs through.

    ## Why it is bad

    `eval()` only changes dropout and normalisation. Graphs are still built: evaluation takes
    more time and up to several times the memory. Nothing is wrong with the values, so this
    rule is off by default.

    ## Example

    ```python
    import torch

    model = torch.nn.Linear(2, 1)
    model.eval()
    out = model(torch.ones(1, 2))
    assert out.grad_fn is None
    ```

    ## Use instead

    ```python
    import torch

    model = torch.nn.Linear(2, 1)
    model.eval()
    with torch.no_grad():
        out = model(torch.ones(1, 2))
    assert out.grad_fn is None
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [Evaluation mode](https://docs.pytorch.org/docs/stable/notes/autograd.html#evaluation-mode-nn-module-eval)
    """

    code = "AG504"
    name = "evaluation-builds-graphs"
    kinds = frozenset({Pitfall.EVALUATION_BUILDS_GRAPHS})
    on_by_default = False
    message = "this evaluation builds a graph: `eval()` does not turn grad mode off"
    label = "builds a graph"
    reason = "no backward runs through what is computed here"
    advice = "evaluate under `torch.no_grad()` or `torch.inference_mode()`"
    events = (("built", "evaluation mode is set here"),)
