"""What to write instead of an in-place write: help lines and edits that rules share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault
from autograd_lint.findings import Edit, Fix
from autograd_lint.places import Place
from autograd_lint.rules.wording import spoken

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk, Write

_BY_FORM = {
    "item assignment": "write into a copy ({0}), or collect the parts in a list and join them with"
    " `torch.stack` or `torch.cat`",
    "method": "write into a copy ({0})",
    "function": "call the function without the underscore, and use what it returns",
    "inplace=True": "leave `inplace=True` out, and use what the call returns",
    "out=": "leave `out=` out, and use what the call returns",
    "call": "make what is called work out of place (no `inplace=True`, no method that ends in"
    " `_`), or write into a copy ({0})",
}
_LONGEST = 72  # characters of code in a help line
_ANYWAY = "make a new tensor instead of writing in place, or let the operator have a `.clone()`"


def write_of(fault: Fault, place: Place, chunk: Chunk) -> Write | None:
    """The write that a fault speaks of, as it is written at `place`."""
    event = fault.modified
    if event is None:
        return chunk.write_at(place, fault.tensor, fault.operator)
    return chunk.write_at(place, event.tensor or fault.tensor, event.operator)


def how(write: Write | None, operator: str) -> str:
    """The label under a write: an assignment speaks for itself, a call is given its operator."""
    form = write.form.value if write else ""
    if not operator or form.endswith("assignment"):
        return "modified in place here"
    inside = ", inside of this call" if form == "call" else ""
    return f"modified in place by {spoken(operator)}{inside}"


def out_of_place(write: Write | None, tensor: str | None) -> str:
    """The help line: how to have the same values without the write."""
    if write is None:
        return _ANYWAY
    if write.form.value == "augmented item assignment":
        return _element(write, tensor)
    if write.instead:
        return f"write `{_short(write.instead)}`, which makes a new tensor"
    return _BY_FORM[write.form.value].format(_copy(write.base or write.target or tensor))


def _element(write: Write, tensor: str | None) -> str:
    """`x[0] += 1` writes in place to a part of a tensor, or to a whole tensor in a list."""
    part = _BY_FORM["item assignment"].format(_copy(write.base))
    if tensor == write.base:
        return part
    return f"if `{write.base}` is a list, write `{_short(write.instead or '')}`; else {part}"


def _copy(name: str | None) -> str:
    # Not for attributes: a parameter of a module takes no plain tensor.
    return f"`{name} = {name}.clone()` before" if name and name.isidentifier() else "`.clone()`"


def _short(code: str) -> str:
    line = " ".join(code.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1].rstrip()}…"


def unsafe_fix(write: Write | None) -> Fix | None:
    """The edit to `instead`; unsafe, as other names of the same memory no longer see the change."""
    if write is None or write.instead is None or write.whole is None or write.base:
        return None
    edit = Edit(write.instead, write.whole)
    return Fix("unsafe", f"Write `{write.instead}`", (edit,))
