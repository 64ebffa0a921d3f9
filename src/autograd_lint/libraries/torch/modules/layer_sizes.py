"""Options of layers that are sizes: one number stands for all dimensions, and is kept as a tuple.

Source: `_single`, `_pair`, `_triple` and `_ntuple` in torch/nn/modules/utils.py, and their callers.
"""

from __future__ import annotations

import re

from autograd_lint.vm.values import Items, Value

_WINDOW = frozenset({"kernel_size", "stride", "padding", "dilation", "output_padding"})
_UNPOOLED = frozenset({"kernel_size", "stride", "padding"})
# Layers, their options that are kept so, and how many numbers there are for each dimension.
_KEPT = (
    (re.compile(r"(?:Lazy)?Conv(?:Transpose)?([123])d"), _WINDOW, 1),
    (re.compile(r"MaxUnpool([123])d"), _UNPOOLED, 1),
    (re.compile(r"AvgPool(1)d"), _UNPOOLED, 1),
    (re.compile(r"FractionalMaxPool([23])d"), frozenset({"kernel_size", "output_size"}), 1),
    (re.compile(r"\w+Pad([123])d"), frozenset({"padding"}), 2),
)
_NORMALIZED = {"LayerNorm", "RMSNorm"}


def kept(layer: str, option: str, given: Value) -> Value:
    """What a layer (`nn.Conv2d`) keeps of an option that it was given."""
    if isinstance(given, bool) or not isinstance(given, int):
        return given
    name = layer.rpartition(".")[2]
    if name in _NORMALIZED and option == "normalized_shape":
        return Items("tuple", [given])
    for pattern, options, times in _KEPT:
        match = pattern.fullmatch(name)
        if match is not None and option in options:
            return Items("tuple", [given] * (times * int(match[1])))
    return given
