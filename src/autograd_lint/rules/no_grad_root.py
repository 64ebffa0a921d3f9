"""AG301: backward starts at a tensor that does not require grad."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.engine.pitfalls import MODE_OFF, PLAIN_NUMBER, Pitfall
from autograd_lint.findings import Finding, Fix
from autograd_lint.places import Place
from autograd_lint.rules import wording
from autograd_lint.rules.base import Rule
from autograd_lint.rules.mending import unsafe
from autograd_lint.rules.wording import quoted, spoken

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk

_COPIES = frozenset({"tensor", "as_tensor", "asarray", "from_numpy", "Tensor", "FloatTensor"})
_COPIES |= {"lift_fresh"}  # what PyTorch runs for `tensor`
_CUTS = frozenset({"detach", "detach_", "data", "item", "tolist", "numpy"})
_GRADIENT = "grad"
_STEPS = frozenset(
    {"argmax", "argmin", "argsort", "eq", "ne", "lt", "le", "gt", "ge", "isclose", "nonzero"}
    | {"isnan", "isinf", "isfinite", "one_hot", "_to_copy"}  # the last one for a cast to integers
    | {"long", "int", "bool", "bincount", "histc", "multinomial", "searchsorted", "bucketize"}
)


class NoGradRoot(Rule):
    """Backward starts at a tensor that does not require grad.

    ## What it does

    Finds `backward()` and `torch.autograd.grad()` on a tensor without a graph: it was detached,
    copied out of the graph by `torch.tensor(...)`, returned by an operator that has no gradient
    (`argmax`, comparisons), computed under `no_grad()`, or computed from tensors none of which
    requires grad. So is a loss of which only the data of a batch could have a graph, where an
    optimizer waits for gradients of the network whose graph was cut.

    ## Why it is bad

    There is nothing to differentiate. PyTorch raises: "element 0 of tensors does not require grad
    and does not have a grad_fn".

    ## Example

    ```python
    import torch

    w = torch.randn(3, requires_grad=True)
    loss = (w * 2).sum().detach()
    loss.backward()
    ```

    ## Use instead

    ```python
    import torch

    w = torch.randn(3, requires_grad=True)
    loss = (w * 2).sum()
    loss.backward()
    ```

    ## Fix safety

    The fixes are unsafe: without `.detach()`, with `create_graph=True`, and with
    `use_reentrant=False` in a checkpoint, more parameters get gradients.

    ## References

    - [Autograd mechanics: locally disabling gradient computation](https://docs.pytorch.org/docs/stable/notes/autograd.html#locally-disabling-gradient-computation)
    """

    code = "AG301"
    name = "no-grad-root"
    kinds = frozenset({FaultKind.NO_GRAD_ROOT})

    def primary(self, fault: Fault) -> Place | None:
        return (fault.built and fault.built.place) or super().primary(fault)

    def judge(self, fault: Fault, place: Place, chunk: Chunk) -> Finding | None:
        operator = (fault.built.operator if fault.built else "") or fault.operator
        at_cut = fault.built is not None and fault.built.place is not None
        root = quoted(fault.tensor, "the root of backward")
        by = f": {spoken(operator)} left it without a `grad_fn`" if operator else ""
        return self.tell(
            fault,
            place,
            message=_message(fault, root, by),
            label="the graph ends here" if at_cut else "nothing to differentiate",
            role="built" if at_cut else "needed",
            reason=f"{wording.needing(fault)} has no graph to differentiate",
            help=_help_with_number(fault) or _help(fault, operator),
            related=(wording.needed(fault.needed, "needs a `grad_fn` here") if at_cut else None,),
            fix=_fix(fault, place, chunk),
        )


def _message(fault: Fault, root: str, by: str) -> str:
    if _is_number(fault):
        return f"{root} is a Python number, which has no `backward()`"
    if fault.detail == MODE_OFF:
        return f"{root} does not require grad: grad mode was off where it was computed"
    return f"{root} does not require grad{by}"


def _is_number(fault: Fault) -> bool:
    """Whether it is a number of Python, which has no `backward` at all."""
    return fault.detail == PLAIN_NUMBER


def _help_with_number(fault: Fault) -> str:
    """What to do instead of calling backward of a number."""
    if not _is_number(fault):
        return ""
    name, item, _ = (fault.tensor or "").rpartition(".item()")
    if item:
        return f"remove `.item()`: `{name}.backward()`"
    return "keep the loss a tensor: do not use `.item()`, `float()` or `len()` before `backward()`"


def _fix(fault: Fault, place: Place, chunk: Chunk) -> Fix | None:
    if fault.shows(Pitfall.CHECKPOINT_CUTS):
        edits = chunk.mends.set_keyword(place, "use_reentrant", "False")
        return unsafe("Write `use_reentrant=False`", edits)
    if (fault.tensor or "").endswith(".item()") and _is_number(fault):
        return unsafe("Remove `.item()`", chunk.mends.drop_method_below(place, "item"))
    last = fault.built.operator.rpartition(".")[2] if fault.built else ""
    if last == _GRADIENT:
        edits = chunk.mends.set_keyword(place, "create_graph", "True")
        return unsafe("Give the gradient a graph with `create_graph=True`", edits)
    if last not in _CUTS:
        return None
    return unsafe(f"Remove `.{last}()`", chunk.mends.drop_method(place, last))


def _help(fault: Fault, operator: str) -> str:
    if fault.shows(Pitfall.CHECKPOINT_CUTS):
        return "write `use_reentrant=False`: otherwise an input of the checkpoint must require grad"
    if fault.shows(Pitfall.MODE_LEAKS):
        return "write `with torch.no_grad():` around what needs it: this mode stays on afterwards"
    if fault.detail == MODE_OFF:
        return "compute it where grad mode is on: outside of `no_grad()`"
    last = operator.rpartition(".")[2]
    if last in _COPIES:
        return "use the tensor itself, or `torch.stack` for several: a copy has no graph"
    if last == _GRADIENT:
        return "pass `create_graph=True`: without it a gradient has no graph"
    if last in _CUTS:
        return f"do not use `{last}` between the parameters and the loss"
    if last in _STEPS:
        return "use a differentiable quantity: scores or probabilities instead of hard decisions"
    if fault.noted and not operator:
        return "let what is to learn require grad again, or freeze before it is added"
    return (
        "make what it is computed from require grad (`requires_grad=True`, parameters that are not"
        " frozen), outside of `no_grad()`"
    )
