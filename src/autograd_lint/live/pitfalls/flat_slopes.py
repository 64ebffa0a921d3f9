"""Second derivatives of what consists of straight lines: they are zero everywhere.

net = torch.nn.Sequential(torch.nn.Linear(1, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
slope, = torch.autograd.grad(net(x).sum(), x, create_graph=True)
bend, = torch.autograd.grad(slope.sum(), x, create_graph=True)
"""

from __future__ import annotations

from collections import Counter

from autograd_lint.engine.pitfalls import STRAIGHT, Pitfall
from autograd_lint.live.pitfalls.family import Family, Walked
from autograd_lint.live.pitfalls.told import Told, tensors_of
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.sites import Site

_AGAIN = 2  # calls that have given nothing but zeros
_STRAIGHT = {
    "hardtanh_backward": "Hardtanh",
    "leaky_relu_backward": "LeakyReLU",
    "threshold_backward": "ReLU",
}


class FlatSlopes(Family):
    """Looks at gradients with a graph that are gradients of gradients through such layers."""

    __slots__ = ("_layer", "_layers", "_moved", "_times", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._layer: str | None = None  # of the running call
        self._layers: dict[Site, str] = {}
        self._times: Counter[Site] = Counter()
        self._moved: set[Site] = set()

    def look(self, walk: Walk) -> None:
        """A call of the engine begins: does it differentiate a slope?"""
        names = (name for kind, name in _STRAIGHT.items() if kind in walk.kinds)
        self._layer = next(names, None) if walk.creates and walk.inputs else None

    def after_backward(self, walked: Walked) -> None:
        """It has returned: anything but zeros?"""
        layer, self._layer = self._layer, None
        if layer is None:
            return
        site, given = walked.call.site, tensors_of(walked.result)
        if site is None or not given or given[0].device.type != "cpu":
            return
        if any(bool(one.any()) for one in given):
            self._moved.add(site)
        else:
            self._times[site] += 1
            self._layers[site] = layer

    def trained(self) -> None:
        """The program has run to its end."""
        for site, times in self._times.items():
            if times >= _AGAIN and site not in self._moved:
                layer = self._layers[site]
                self._told.tell(Pitfall.CONSTANT_TERM, site, operator=layer, detail=STRAIGHT)
