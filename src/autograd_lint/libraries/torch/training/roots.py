"""Where a backward begins."""

from __future__ import annotations

from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.operators.unknown_tensors import as_tensor, assumed
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.terms import take_for_term, terms_of
from autograd_lint.vm.values import COMPUTED_WITH, VALUE_OF, Items, Unknown, Value


def root_of(interp: Interpreter, value: Value) -> Tensor | None:
    """The tensor that a value is which backward begins at; of one that is not known the graph leads
    to the terms that it is the sum of."""
    if isinstance(value, Unknown) and value.tensor is None and value.source is None:
        terms = list(terms_of(value))
        found = [_as_term(interp, term) for term in terms]
        leaves = [one for one, term in zip(found, terms, strict=True) if one and term is not value]
        if leaves:
            value.attributes[COMPUTED_WITH] = Items("list", [*leaves])
    return as_tensor(interp, value)


def _as_term(interp: Interpreter, term: Unknown) -> Tensor | None:
    """The tensor that a term is; all values of its dictionary are of one graph."""
    take_for_term(term)
    whole = term.attributes.get(VALUE_OF)
    if isinstance(whole, Unknown):
        whole.source = whole.source or assumed(interp, whole, 0).node
        term.source = term.source or whole.source
    return as_tensor(interp, term)
