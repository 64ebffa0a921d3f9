"""AG333: new threads and coroutines do not inherit grad mode."""

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class GradModeNotInherited(SilentRule):
    """New threads and coroutines do not inherit grad mode.

    ## What it does

    Finds functions that are started in other threads inside `no_grad()`, and grad-mode decorators
    on `async def`.

    ## Why it is bad

    Grad mode is thread-local, and the decorator has already returned when the coroutine runs:
    graphs are built anyway.

    ## Example

    ```python
    import threading

    import torch

    w = torch.ones(2, requires_grad=True)
    found = []


    def work():
        found.append((w * 2).requires_grad)


    with torch.no_grad():
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert found == [False]
    ```

    ## Use instead

    ```python
    import threading

    import torch

    w = torch.ones(2, requires_grad=True)
    found = []


    @torch.no_grad()
    def work():
        found.append((w * 2).requires_grad)


    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [False]
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [Autograd mechanics: locally disabling gradient computation](https://docs.pytorch.org/docs/stable/notes/autograd.html#locally-disabling-gradient-computation)
    """

    code = "AG333"
    name = "grad-mode-not-inherited"
    kinds = frozenset({Pitfall.MODE_NOT_INHERITED})
    message = "{operator} does not inherit grad mode: graphs are built there"
    label = "runs with grad mode on"
    reason = "a new thread begins with grad mode on"
    advice = "set the mode inside the function that runs"
    events = (("built", "turned off here, for this thread only"),)

    def explains(self, fault: Fault) -> str:
        if fault.operator == "async def":
            return "a coroutine runs after its decorator has returned, and left the mode"
        return super().explains(fault)
