"""AG342: a function is differentiated at zero, where its derivative is infinite."""

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import (
    EMPTY_ROWS,
    NEGATIVE,
    NEVER_COUNTED,
    ONE_ELEMENT,
    OVERFLOW,
    REPEATED,
    TOO_SHORT,
    Pitfall,
)
from autograd_lint.rules.silent import SilentRule

AT_ONE = {"acos", "acosh", "arccosh", "arccos", "asin", "arcsin", "atanh", "arctanh", "erfinv"}
ABOVE_ONE = {"acosh", "arccosh"}
_ADVICE_AT_ONE = {
    False: "clamp its argument to less than one: `clamp(-1 + 1e-6, 1 - 1e-6)`",
    True: "clamp its argument to more than one: `clamp(min=1 + 1e-6)`",
}
_AT = {"log1p": "minus one", "logit": "zero or one"}
_SAYS = {
    OVERFLOW: "{operator} overflows here: its result is infinite somewhere",
    NEGATIVE: "{operator} is not a number here: its argument is negative somewhere",
    ONE_ELEMENT: "{operator} is not a number here: it is taken over a single element",
    REPEATED: "the derivative of {operator} is infinite here: two of its values are equal",
    TOO_SHORT: "{operator} is infinite where a text is too long for its recording",
    NEVER_COUNTED: "this divides by a count, which is zero where nothing was counted",
}
_EXPLAINS = {
    OVERFLOW: "what is computed from it is infinite or not a number, and so are the gradients",
    TOO_SHORT: "no path of so few frames spells it out; the gradients are not a number then",
    REPEATED: "backward divides by the differences of the values",
    NEVER_COUNTED: "zero is divided by zero, and so the gradients are not a number",
    NEGATIVE: "no real number has such a root",
    ONE_ELEMENT: "the squares are divided by the number of elements less one, which is zero",
}
_ADVICE = {
    OVERFLOW: "bound its argument, or compute in logarithms (`logsumexp`, `softplus`)",
    TOO_SHORT: "give it `zero_infinity=True`, or leave such recordings out",
    NEVER_COUNTED: "count one at least: `clamp(min=1)`",
    NEGATIVE: "clamp its argument: `clamp_min(1e-12)`",
    ONE_ELEMENT: "give it several elements, or `correction=0`",
    REPEATED: "use a Cholesky decomposition or a matrix function, or add noise to the diagonal",
}


class SingularAtZero(SilentRule):
    """A function is differentiated at zero, where its derivative is infinite.

    ## What it does

    Finds `sqrt`, `log` or `std` of a value that is certainly zero somewhere: a leaf of zeros, or
    the pairwise distances between the rows of one tensor, which are zero on the diagonal; `acosh`
    and others of one and what is zero there. Finds `acos`, `asin` and `atanh` of the cosine of each
    row with all rows, which is one on the diagonal. Where the data may come to it finds a
    `ctc_loss` without `zero_infinity`, and a division by what was counted (*possible*). `trace`
    also finds `softmax` of a row that is masked everywhere, `exp` that overflows, roots of negative
    numbers, `std` and `var` of a single element, and `eigh` and `svd` with equal values.

    ## Why it is bad

    The gradient there is infinite or NaN, and so is that of every parameter behind it. `torch.norm`
    and `torch.cdist` return zero instead. `clamp(-1, 1)` does not help: the ones stay.

    ## Example

    ```python
    import torch

    x = torch.randn(3, 2, requires_grad=True)
    squares = (x.unsqueeze(0) - x.unsqueeze(1)).pow(2).sum(-1)
    squares.sqrt().sum().backward()
    assert x.grad.isfinite().all()
    ```

    ## Use instead

    ```python
    import torch

    x = torch.randn(3, 2, requires_grad=True)
    squares = (x.unsqueeze(0) - x.unsqueeze(1)).pow(2).sum(-1)
    (squares + 1e-12).sqrt().sum().backward()
    assert x.grad.isfinite().all()
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.cdist](https://docs.pytorch.org/docs/stable/generated/torch.cdist.html)
    """

    code = "AG342"
    name = "singular-at-zero"
    kinds = frozenset({Pitfall.SINGULAR_AT_ZERO})
    message = "the derivative of {operator} is infinite here: its argument is zero somewhere"
    label = "its gradient is infinite or not a number"
    reason = "the chain rule multiplies by this derivative, all the way to the parameters"
    advice = (
        "add a small number to its argument, or use `torch.cdist` or `norm`, whose derivative is "
        "zero there"
    )
    events = (("needed", "backward runs through it here"),)

    def says(self, fault: Fault) -> str:
        if fault.detail in _SAYS:
            return _SAYS[fault.detail]
        if fault.operator in _AT:
            infinite = "the derivative of {operator} is infinite here: its argument is"
            return f"{infinite} {_AT[fault.operator]} somewhere"
        if fault.operator in AT_ONE:
            return "the derivative of {operator} is infinite here: its argument is one somewhere"
        if fault.operator in EMPTY_ROWS:
            return "{operator} is not a number here: a row of its argument is -inf everywhere"
        return super().says(fault)

    def explains(self, fault: Fault) -> str:
        if fault.detail in _EXPLAINS:
            return _EXPLAINS[fault.detail]
        if fault.operator in EMPTY_ROWS:
            return "the sum that each row is divided by is zero"
        return super().explains(fault)

    def advises(self, fault: Fault) -> str:
        if fault.detail in _ADVICE:
            return _ADVICE[fault.detail]
        if fault.operator in AT_ONE:
            return _ADVICE_AT_ONE[fault.operator in ABOVE_ONE]
        if fault.operator in EMPTY_ROWS:
            return "leave an element of each row unmasked, or mask with a large negative number"
        return super().advises(fault)
