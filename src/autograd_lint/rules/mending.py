"""What to write instead of an in-place write: help lines and edits that rules share."""

from __future__ import annotations

import re
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
    "function": "call the function without the trailing underscore and use its result",
    "inplace=True": "remove `inplace=True` and use the returned tensor",
    "out=": "remove `out=` and use the returned tensor",
    "call": "do not write in place inside of the call (no `inplace=True`, no method that ends in"
    " `_`), or write into a copy ({0})",
}
_LONGEST = 72  # characters of code in a help line
_ANYWAY = "use the out-of-place operator, or give the operator a `.clone()`"


def write_of(fault: Fault, place: Place, chunk: Chunk) -> Write | None:
    """The write that a fault speaks of, as it is written at `place`."""
    event = fault.modified
    if event is None:
        return chunk.write_at(place, fault.tensor, fault.operator)
    return chunk.write_at(place, event.tensor or fault.tensor, event.operator)


def written(fault: Fault) -> str | None:
    """What the writing line calls the tensor."""
    return (fault.modified.tensor if fault.modified else None) or fault.tensor


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


def unsafe_fix(write: Write | None, chunk: Chunk, tensor: str | None) -> Fix | None:
    """The edits that write to a new tensor; unsafe, as other names of the same memory no longer see
    the change. None where what comes later would not see it either."""
    if write is None:
        return None
    form = write.form.value
    if form == "call":
        return _quiet_call(write, chunk, tensor)
    if form.endswith("item assignment") and write.base == tensor:
        return into_a_copy(write, chunk)
    goal = _root(write.target) if write.alone else None
    if goal and not chunk.can_rebind(write.place, goal):
        return None
    message = f"Write `{_short(write.instead)}`" if write.instead else "Do not write in place"
    return unsafe(message, write.edits)


def keep_saved(fault: Fault, chunk: Chunk) -> Fix | None:
    """A `.clone()` for the operator to save, so that the tensor can be written."""
    saved = fault.saved
    if saved is None or saved.place is None or saved.slot == "closure":
        return None
    around = chunk.around(saved.place).mends
    if saved.slot == "result":
        return unsafe("Write to a copy of the result", around.call_method(saved.place, "clone"))
    copied = around.clone_read(saved.place, saved.tensor) if saved.tensor else ()
    return unsafe(f"Let {spoken(saved.operator)} save `{saved.tensor}.clone()`", copied)


def into_a_copy(write: Write, chunk: Chunk) -> Fix | None:
    """A line before a write to a part of a tensor that makes the tensor a copy of itself."""
    base = write.base or ""
    if not chunk.can_rebind(write.place, base):
        return None
    line = f"{base} = {base}.clone()"
    copied = chunk.lines.before(write.place, line)
    if not copied:
        return None
    # What the value is computed from is saved before the write, which comes last.
    return unsafe(f"Write into a copy: `{line}`", copied + chunk.mends.clone_reads(base))


def update_fix(write: Write | None, chunk: Chunk, tensor: str | None) -> Fix | None:
    """A write to a leaf under `no_grad()`, where it is a statement of its own: an update."""
    if write is None or not write.alone or write.form.value == "call":
        return unsafe_fix(write, chunk, tensor)
    torch = chunk.lines.torch
    if torch is None:
        return None
    header = f"with {torch}.no_grad():"
    return unsafe(f"Write under `{header}`", chunk.lines.under(write.place, header))


def unsafe(message: str, edits: tuple[Edit, ...]) -> Fix | None:
    """An unsafe fix, None without edits."""
    return Fix("unsafe", message, edits) if edits else None


def safe(message: str, edits: tuple[Edit, ...], fault: Fault) -> Fix | None:
    """A fix after which the program computes the same; unsafe where something is assumed."""
    if not edits:
        return None
    return Fix("unsafe" if fault.premises else "safe", message, edits)


def _quiet_call(write: Write, chunk: Chunk, tensor: str | None) -> Fix | None:
    """Layers made without `inplace=True`, else a copy for the call to write to."""
    flags = chunk.mends.drop_inplace_flags(write.place)
    if flags:
        return unsafe("Remove `inplace=True` where the layer is created", flags)
    copied = (
        chunk.mends.method_on_argument(write.place, tensor, "clone")
        if tensor and not write.alone
        else ()
    )
    return unsafe(f"Let the call write to `{tensor}.clone()`", copied)


def _root(target: str | None) -> str:
    """The name that a chain of methods starts from: `x` for `x.add_(1)`."""
    found = re.match(r"[\w.]+?(?=\.\w+\(|$)", target or "")
    return found[0] if found else target or ""
