"""The life of saved tensors as one self-contained page: over the source, and over time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape

from autograd_lint.live.kept import Graph, Kept, size
from autograd_lint.places import Place
from autograd_lint.report import lanes
from autograd_lint.report.lanes import Lane
from autograd_lint.report.text import relative

_LANES, _BARS = 12, 60
_WIDTH = 960

_STYLE = (
    """
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 80rem; margin: 2rem auto; padding: 0 1rem; }
"""
    + lanes.STYLE
)


Scale = Callable[[int], float]


def page(graphs: Sequence[Graph], lines: dict[str, list[str]]) -> str:
    """The page for the graphs of a run; `lines` are the lines of the files they speak of."""
    body = [_source_view(graph, lines) for graph in _interesting(graphs)]
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">',
            f"<title>Life of saved tensors</title>\n<style>{_STYLE}</style>",
            "<h1>Life of saved tensors</h1>",
            "<p>A bar runs from the line that saves a tensor to the backward that needs it;"
            " it is red from the line that overwrites it. Above: operator, bytes, version."
            " Memory that is shared, with another one or a parameter, is drawn again only where it"
            " is overwritten.</p>",
            *body,
            "<h2>Over time</h2>",
            _time_view(graphs),
            "</html>\n",
        ]
    )


def _interesting(graphs: Sequence[Graph]) -> list[Graph]:
    """The first graph with an overwritten tensor, else the one that keeps most."""
    stale = [graph for graph in graphs if any(one.writes for one in graph.kept)]
    if stale:
        return stale[:1]
    return [max(graphs, key=lambda graph: graph.bytes)] if graphs else []


def _source_view(graph: Graph, lines: dict[str, list[str]]) -> str:
    if graph.place is None:
        return "<p>The program's own lines take no part in this backward.</p>"
    text = lines.get(graph.place.filename, [])
    drawn = lanes.picture(_lanes(graph, graph.place), text, graph.place.row)
    title = f"{escape(relative(graph.place.filename))}, <code>{escape(graph.call)}</code> at row "
    return f"<h2>{title}{graph.place.row}: {size(graph.bytes)} kept</h2>{drawn}"


def _lanes(graph: Graph, call: Place) -> list[Lane]:
    """The tensors that were saved in the call's file, overwritten and large ones first."""
    kept = [one for one in _buffers(graph) if one.place and one.place.filename == call.filename]
    kept.sort(key=lambda one: (not one.writes, bool(one.shared), -one.bytes))
    return [_lane(one, call) for one in kept[:_LANES]]


def _buffers(graph: Graph) -> list[Kept]:
    """What a graph keeps, memory that several share but once."""
    return [one for one in graph.kept if not one.shared or one.writes]


def _lane(one: Kept, call: Place) -> Lane:
    rows = [place.row for place, _ in one.writes if place and place.filename == call.filename]
    what = f"{one.operator}.{one.attribute} {one.dtype}{list(one.shape)}"
    tip = f"{what}, {size(one.bytes)}, version {one.version}, {one.shared or 'kept by the graph'}"
    label = f"{one.operator} {size(one.bytes)} v{one.version}"
    saved = one.place.row if one.place else call.row
    return Lane(label, tip, saved, rows[0] if rows else None, call.row)


def _time_view(graphs: Sequence[Graph]) -> str:
    """Bars over sequence numbers: the operators of the forward, then the backward, then again."""
    if not graphs:
        return "<p>Nothing called backward.</p>"
    bars = [(graph, one) for graph in graphs for one in _buffers(graph)]
    bars.sort(key=lambda pair: (not pair[1].writes, bool(pair[1].shared), -pair[1].bytes))
    chosen = sorted(bars[:_BARS], key=lambda pair: pair[1].sequence)
    first = min((one.sequence for _, one in chosen), default=0)
    last = max(graph.sequence for graph in graphs)
    scale = (_WIDTH - 340) / max(1, last - first)
    height = 16 * len(chosen) + 24
    parts = [_call_line(graph, 320 + (graph.sequence - first) * scale, height) for graph in graphs]
    for index, (graph, one) in enumerate(chosen):
        parts += _bar(graph, one, 16 * index + 12, lambda number: 320 + (number - first) * scale)
    left_out = f"<p>{len(bars) - len(chosen)} smaller ones are left out.</p>"
    return (
        f'<div class="scroll"><svg width="{_WIDTH}" height="{height}" role="img"'
        f' viewBox="0 0 {_WIDTH} {height}">'
        f"{''.join(parts)}</svg></div>{left_out if len(bars) > len(chosen) else ''}"
    )


def _call_line(graph: Graph, x: float, height: int) -> str:
    row = graph.place.row if graph.place else "?"
    return (
        f"<g><title>{escape(graph.call)} at row {row}</title>"
        f'<rect class="call" x="{x - 4:.1f}" y="0" width="8" height="{height}"/></g>'
    )


def _bar(graph: Graph, one: Kept, y: int, x: Scale) -> Iterator[str]:
    row = f" row {one.place.row}" if one.place else ""
    label = f"{one.operator}.{one.attribute}{row} {size(one.bytes)}"
    yield f'<text class="small" x="0" y="{y + 4}">{escape(label)}</text>'
    start, end = x(one.sequence), x(graph.sequence)
    middle = x(one.writes[0][1]) if one.writes else end
    yield f'<line class="bar" x1="{start:.1f}" x2="{middle:.1f}" y1="{y}" y2="{y}"/>'
    if one.writes:
        yield f'<line class="stale" x1="{middle:.1f}" x2="{end:.1f}" y1="{y}" y2="{y}"/>'
