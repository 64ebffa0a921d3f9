"""AG504: a model in evaluation mode is run with grad mode on."""

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import ONLY_READ, Pitfall
from autograd_lint.findings import Severity
from autograd_lint.rules.silent import SilentRule


class EvaluationBuildsGraphs(SilentRule):
    """A model in evaluation mode runs with grad mode on.

    ## What it does

    Finds modules that run after `eval()` while gradients are recorded, in a function or a loop, and
    whose results no `backward()` uses. Only the first such call in each function is reported, and
    none that only tries a module out, once, with made-up numbers (`torch.rand`) and for no result.
    Without `eval()` a function that says by its name that it evaluates (`validate`, `test`) counts
    where it runs a module that an optimizer has, and makes no object of the result; so does one
    that runs such a module step after step on its own results, as a sampler does, and gives back
    nothing with a graph.
    `trace` also reports what a module that is trained computes between steps only to be read.

    ## Why it is bad

    `eval()` only changes layers such as dropout and batch normalization. Graphs are still built, so
    evaluation takes more time and up to several times the memory. The values are correct, so the
    severity of this rule is `info`.

    ## Example

    ```python
    import torch

    model = torch.nn.Linear(2, 1)
    model.eval()
    for _ in range(3):
        out = model(torch.ones(1, 2))
    assert out.grad_fn is None  # fails: `out` has a graph
    ```

    ## Use instead

    ```python
    import torch

    model = torch.nn.Linear(2, 1)
    model.eval()
    with torch.no_grad():
        for _ in range(3):
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
    severity = Severity.INFO
    message = "this evaluation builds a graph: `eval()` does not turn grad mode off"
    label = "builds a graph"
    reason = "no backward runs through what is computed here"
    advice = "evaluate under `torch.no_grad()` or `torch.inference_mode()`"
    events = (("built", "evaluation mode is set here"),)

    def says(self, fault: Fault) -> str:
        if fault.detail == ONLY_READ:
            return "the graph that is built here is never used: its result is only read"
        return super().says(fault)

    def advises(self, fault: Fault) -> str:
        if fault.detail == ONLY_READ:
            return "compute it under `torch.no_grad()`"
        return super().advises(fault)
