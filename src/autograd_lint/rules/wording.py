"""The words of findings: names of tensors and operators, and labels that rules share."""

from autograd_lint.engine.events import READING, Created, Freed, Modified, Needed, Saved
from autograd_lint.engine.faults import Fault
from autograd_lint.findings import Related
from autograd_lint.places import Place

_SPOKEN = {
    "getitem": "indexing",
    "setitem": "item assignment",
    "iter": "iteration",
    "setattr": "assignment",
    "running sum": "a running sum",
    "container": "a list or dictionary",
    "thread": "a thread",
    "async def": "an `async def` function",
    "backward hook": "a backward hook",
    "indexing by a mask": "indexing by a mask",
    # What PyTorch runs for an operator of another name.
    "lift_fresh": "`tensor`",
    "to_copy": "`to`",
    "checkpoint_function": "`checkpoint`",
    "compiled_function": "a compiled function",
    "scaled_dot_product_flash_attention_for_cpu": "`scaled_dot_product_attention`",
    "scaled_dot_product_flash_attention": "`scaled_dot_product_attention`",
    "scaled_dot_product_efficient_attention": "`scaled_dot_product_attention`",
    "scaled_dot_product_cudnn_attention": "`scaled_dot_product_attention`",
}


def spoken(operator: str) -> str:
    """An operator as a sentence names it: `sigmoid` for `nn.functional.sigmoid`."""
    if not operator:
        return "an operator"
    return _SPOKEN.get(operator.strip("_")) or f"`{_short(operator)}`"


def _short(operator: str) -> str:
    """The last of dotted names; where nothing is known the operator is the code of a whole call."""
    parts = operator.split(".")
    if not all(part.isidentifier() for part in parts):
        return operator
    is_layer = parts[0] == "nn" and parts[-1][0].isupper()
    return f"nn.{parts[-1]}" if is_layer else parts[-1]


def quoted(tensor: str | None, otherwise: str = "a tensor") -> str:
    """A tensor as a sentence names it."""
    return f"`{tensor}`" if tensor else otherwise


def call(fault: Fault) -> str:
    """The call that raises, as a sentence names it."""
    return short_call(fault.needed.call if fault.needed else "")


def short_call(name: str) -> str:
    """A call of `backward` or `grad`, or a reader of saved tensors, as a sentence names it."""
    if name == READING:
        return "reading a saved tensor"
    return f"`{_short(name.removesuffix('()'))}()`" if name else "backward"


def needing(fault: Fault) -> str:
    """Who needs the graph: a call of the program, or the training step that nobody has written."""
    if fault.place is None:
        return "backward through the result of `forward`"
    return call(fault)


def built(event: Created | None, message: str) -> Related | None:
    """Where a graph was built, if known."""
    return _related("built", message, event.place if event else None)


def made(event: Created | None) -> Related | None:
    """Where a tensor was made, if known."""
    by = f" by {spoken(event.operator)}" if event and event.operator else ""
    return built(event, f"made here{by}")


def inside(fault: Fault) -> Related | None:
    """Where a function raises with what it was handed, if that is elsewhere."""
    if fault.handed is None or fault.place is None:
        return None
    return Related("needed", "raises here", fault.place)


def saved(event: Saved | None, modified: Modified | None = None) -> Related | None:
    """Where a tensor was saved, if known."""
    if event is None:
        return None
    what = "its result" if event.slot == "result" else quoted(event.tensor, "its input")
    by = f" in {event.module}" if event.module else ""
    when = _before(event, modified)
    return _related("saved", f"{spoken(event.operator)}{by} saves {what} here{when}", event.place)


def _before(event: Saved, modified: Modified | None) -> str:
    """When something was saved at the very place that writes to it later."""
    if modified is None or event.place is None or event.place != modified.place:
        return ""
    one_operator = event.operator.strip("_") == modified.operator.strip("_")
    same = one_operator and event.module == modified.module
    return ", in an earlier iteration" if same else ", earlier in the same call"


def writer(event: Modified | None) -> str:
    """The module that wrote, as the end of a label; empty where none is known."""
    return f" by {event.module}" if event is not None and event.module else ""


def freed(event: Freed | None, message: str) -> Related | None:
    """Where a graph was freed, if known."""
    return _related("freed", message, event.place if event else None)


def needed(event: Needed | None, message: str) -> Related | None:
    """Where a graph was needed, if known."""
    return _related("needed", message, event.place if event else None)


def later(fault: Fault) -> str:
    """The end of a label for what stands above the write, but happens after it."""
    written = fault.modified.place if fault.modified else None
    if written is None or fault.needed is None or fault.needed.place is None:
        return ""
    same_file = fault.needed.place.filename == written.filename
    return ", later on" if same_file and fault.needed.place.row <= written.row else ""


def versions(saved: Saved | None, modified: Modified | None) -> str:
    """The two version counters, as the end of a label; empty where they are not known to differ."""
    if saved is None or modified is None or saved.version >= modified.version:
        return ""
    return f": version {modified.version}, saved at version {saved.version}"


def _related(role: str, message: str, place: Place | None) -> Related | None:
    return Related(role, message, place) if place else None
