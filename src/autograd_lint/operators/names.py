"""What programs call operators, and what the table does."""

from __future__ import annotations

from collections.abc import Iterator

# Special methods of Python and the operators that they are, where these have another name.
_SPECIAL = {
    "truediv": "div",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "invert": "bitwise_not",
    "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift",
    "pos": "positive",
}
_IN_PLACE = {"add", "sub", "mul", "pow", *_SPECIAL}


def called(name: str) -> str:
    """What the user calls an operator: `add_` for `__iadd__`, `relu` for `nn.functional.relu`."""
    last = name.rpartition(".")[2]
    if not last.startswith("__"):
        return last
    bare = last.strip("_")
    if bare[0] == "i" and bare[1:] in _IN_PLACE:
        return _SPECIAL.get(bare[1:], bare[1:]) + "_"
    return _SPECIAL.get(bare, _SPECIAL.get(bare.removeprefix("r"), bare))


def twins(dotted: str) -> Iterator[str]:
    """The named operators that a special method may be: `torch.Tensor.add_` of `__iadd__`."""
    head, _, name = dotted.rpartition(".")
    if not (name.startswith("__") and name.endswith("__")):
        return
    bare = name.strip("_")
    for prefix, suffix in (("", ""), ("i", "_"), ("r", "")):
        stem = bare[len(prefix) :]
        if bare.startswith(prefix):
            yield f"{head}.{_SPECIAL.get(stem, stem)}{suffix}"
