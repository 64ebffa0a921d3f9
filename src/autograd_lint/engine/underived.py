"""Operators that give a result with history, but have no derivative: backward fails at them.

Source: `not_implemented` in tools/autograd/derivatives.yaml, and operators that have no entry
there. Where only some arguments are concerned, backward fails when one of those requires grad.
"""

from __future__ import annotations

from collections.abc import Mapping

EVERY = frozenset({"0", "1"})
FIRST = frozenset({"0"})
UNDERIVED: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(("floor_divide", "heaviside", "binomial", "histogram"), EVERY),
    **dict.fromkeys(("floor_divide_", "heaviside_"), EVERY),
    **dict.fromkeys(("igamma", "igammac", "gammainc", "gammaincc", "igamma_", "igammac_"), FIRST),
    **dict.fromkeys(("acosh_", "arccosh_", "asinh_", "arcsinh_", "atanh_", "arctanh_"), FIRST),
    **dict.fromkeys(("unique", "unique_consecutive", "geqrf", "zeta", "detach_copy"), FIRST),
    "_coalesced_": FIRST,
}
# Of them those that count or tell apart: what they are given is data rather than a result.
OF_DATA = frozenset({"floor_divide", "floor_divide_", "histogram", "unique", "unique_consecutive"})
