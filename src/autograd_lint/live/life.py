"""Saved tensors over time: how much memory graphs keep, and a bar for each tensor, as HTML.

Positions are percentages, so that the picture fits any screen. Time is counted in graph nodes: the
operators of a forward, then its backward, then the next.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from autograd_lint.live.kept import Graph, Kept, size

_BARS = 60  # as many tensors are drawn
_HEIGHT = 80  # pixels of the curve

STYLE = """
.lives { --edge: 27rem; font: 12px/1.4 ui-monospace, monospace; }
.lives > div { display: grid; grid-template-columns: var(--edge) minmax(0, 1fr); gap: 0 .75rem;
  align-items: center; }
.lives span { overflow-wrap: anywhere; padding: 2px 0; }
.track { position: relative; align-self: stretch; min-height: 16px; background: var(--calls); }
.track i { position: absolute; top: calc(50% - 4px); height: 8px; min-width: 3px;
  border-radius: 4px; }
.life { background: var(--bar); } .lost { background: var(--red); }
.curve { display: block; width: 100%; background: var(--calls); }
.curve path { fill: var(--bar); opacity: .35; }
@media (max-width: 60rem) { .lives > div { grid-template-columns: minmax(0, 1fr); }
  .track { margin-bottom: .4rem; } }
"""

Scale = Callable[[int], float]
"""From a moment to a percentage of the picture."""


@dataclass(frozen=True)
class _Bar:
    """A saved tensor, the graph that keeps it, and how it is called in the picture."""

    graph: Graph
    kept: Kept
    label: str


def view(graphs: Sequence[Graph]) -> str:
    """The picture of the tensors that graphs have kept."""
    if not graphs:
        return "<p>Nothing called backward.</p>"
    bars = _numbered([(graph, one) for graph in graphs for one in buffers(graph)])
    chosen = sorted(bars, key=lambda bar: (not bar.kept.writes, -bar.kept.bytes))[:_BARS]
    chosen.sort(key=lambda bar: bar.kept.sequence)
    first = min((bar.kept.sequence for bar in bars), default=0)
    last = max(graph.sequence for graph in graphs)

    def at(moment: int) -> float:
        return 100 * (moment - first) / max(1, last - first)

    parts = [_curve(graphs, at), *(_row(bar, at) for bar in chosen)]
    left_out = len(bars) - len(chosen)
    more = f"<p>{left_out} smaller ones are left out.</p>" if left_out else ""
    return f'<div class="lives" style="--calls: {_calls(graphs, at)}">{"".join(parts)}</div>{more}'


def buffers(graph: Graph) -> list[Kept]:
    """What a graph keeps, memory that several share but once."""
    return [one for one in graph.kept if not one.shared or one.writes]


def _calls(graphs: Sequence[Graph], at: Scale) -> str:
    """A vertical line for each call of backward, as a background."""
    line = "linear-gradient(var(--call), var(--call))"
    return ", ".join(f"{line} {at(one.sequence):.2f}% 0 / 6px 100% no-repeat" for one in graphs)


def _numbered(kept: Iterable[tuple[Graph, Kept]]) -> list[_Bar]:
    """A bar for each tensor; those that one line saves again and again are counted, in order."""
    ordered = sorted(kept, key=lambda pair: pair[1].sequence)
    often = Counter(_said(one) for _, one in ordered)
    counted: Counter[str] = Counter()
    bars = []
    for graph, one in ordered:
        said = _said(one)
        counted[said] += 1
        number = f", {counted[said]} of {often[said]}" if often[said] > 1 else ""
        bars.append(_Bar(graph, one, f"{said}{number}, {_unbroken(size(one.bytes))}"))
    return bars


def _unbroken(amount: str) -> str:
    """An amount that keeps to one line with its unit."""
    return amount.replace(" ", "\N{NO-BREAK SPACE}")


def _row(bar: _Bar, at: Scale) -> str:
    """The label of a tensor, and beside it the time that the tensor was kept."""
    pieces = "".join(_pieces(bar, at))
    return f'<div><span>{escape(bar.label)}</span><div class="track">{pieces}</div></div>'


def _said(one: Kept) -> str:
    row = f", row {one.place.row}" if one.place else ""
    return f"{one.what}{row}"


def _pieces(bar: _Bar, at: Scale) -> Iterator[str]:
    start, end = at(bar.kept.sequence), at(bar.graph.sequence)
    middle = at(bar.kept.writes[0][1]) if bar.kept.writes else end
    yield _piece("life", start, middle)
    if bar.kept.writes:
        yield _piece("lost", middle, end)


def _piece(kind: str, start: float, end: float) -> str:
    return f'<i class="{kind}" style="left: {start:.2f}%; width: {end - start:.2f}%"></i>'


def _curve(graphs: Sequence[Graph], at: Scale) -> str:
    """The bytes that graphs keep, from moment to moment."""
    steps: Counter[int] = Counter()
    for graph in graphs:
        for one in graph.kept:
            if not one.shared:
                steps[one.sequence] += one.bytes
                steps[graph.sequence] -= one.bytes
    now, points, most = 0, [], 0
    for moment in sorted(steps):
        points.append((at(moment), now))
        now += steps[moment]
        points.append((at(moment), now))
        most = max(most, now)
    drawn = " ".join(f"{x:.2f},{_HEIGHT - _HEIGHT * y / max(1, most):.1f}" for x, y in points)
    path = f"M0,{_HEIGHT} L{drawn} L100,{_HEIGHT} Z" if points else ""
    return (
        f"<div><span>kept by graphs, at most {size(most)}</span>"
        f'<svg class="curve" height="{_HEIGHT}" viewBox="0 0 100 {_HEIGHT}"'
        f' preserveAspectRatio="none" role="img"><path d="{path}"/></svg></div>'
    )
