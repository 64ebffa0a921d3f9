"""The life of saved tensors as one self-contained page: over the source, and over time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from autograd_lint.live.kept import Graph, Kept, size
from autograd_lint.places import Place
from autograd_lint.report.text import relative

_LANES, _BARS = 12, 60
_ROW, _LANE, _CODE, _TOP = 20, 26, 640, 96
_WIDTH = 960

_STYLE = """
:root { color-scheme: light dark; --ink: #222; --paper: #fff; --faint: #8883; --bar: #2a7ab8;
  --red: #c92a2a; --call: #e8a90033; font: 15px/1.5 system-ui, sans-serif; }
@media (prefers-color-scheme: dark) { :root { --ink: #ddd; --paper: #16181c; --bar: #5aa9e6;
  --red: #ff6b6b; } }
body { max-width: 80rem; margin: 2rem auto; padding: 0 1rem; background: var(--paper);
  color: var(--ink); }
.scroll { overflow-x: auto; }
svg { font: 13px ui-monospace, monospace; }
svg text { fill: var(--ink); white-space: pre; }
.number { opacity: .5; } .small { font-size: 11px; } .grid { stroke: var(--faint); }
.bar { stroke: var(--bar); stroke-width: 7; stroke-linecap: round; }
.stale { stroke: var(--red); stroke-width: 7; stroke-linecap: round; }
.badge { fill: var(--paper); stroke: var(--ink); } .badge.red { stroke: var(--red); }
.call { fill: var(--call); }
"""


Scale = Callable[[int], float]


@dataclass(frozen=True, slots=True)
class Lane:
    """One saved tensor in one file: the rows that save it, write it and need it."""

    kept: Kept
    saved: int
    written: int | None
    needed: int


def page(graphs: Sequence[Graph], lines: dict[str, list[str]]) -> str:
    """The page for the graphs of a run; `lines` are the lines of the files they speak of."""
    body = [_source_view(graph, lines) for graph in _interesting(graphs)]
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">',
            f"<title>Life of saved tensors</title>\n<style>{_STYLE}</style>",
            "<h1>Life of saved tensors</h1>",
            "<p>A bar runs from the line that saves a tensor (1) to the backward that needs it (3);"
            " it is red from the line that overwrites it (2). Above: operator, bytes, version.</p>",
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
    lanes = _lanes(graph, graph.place)
    text = lines.get(graph.place.filename, [])
    rows = _rows(lanes, graph.place, len(text))
    at = {row: index for index, row in enumerate(rows)}
    width = _CODE + _LANE * max(len(lanes), 4) + 96
    height = _TOP + _ROW * len(rows) + 12
    parts = [*_code(rows, text), *_band(at, graph.place, width)]
    for index, lane in enumerate(lanes):
        parts += _lane(lane, _CODE + _LANE * index, at)
    title = f"{escape(relative(graph.place.filename))}, <code>{escape(graph.call)}</code> at row "
    return (
        f"<h2>{title}{graph.place.row}: {size(graph.bytes)} kept</h2>"
        f'<div class="scroll"><svg width="{width}" height="{height}" role="img">'
        f"{''.join(parts)}</svg></div>"
    )


def _lanes(graph: Graph, call: Place) -> list[Lane]:
    """The tensors that were saved in the call's file, overwritten and large ones first."""
    lanes = []
    for one in graph.kept:
        if one.place is None or one.place.filename != call.filename:
            continue
        rows = [place.row for place, _ in one.writes if place and place.filename == call.filename]
        lanes.append(Lane(one, one.place.row, rows[0] if rows else None, call.row))
    lanes.sort(key=lambda lane: (lane.written is None, bool(lane.kept.shared), -lane.kept.bytes))
    return lanes[:_LANES]


def _rows(lanes: list[Lane], call: Place, count: int) -> list[int]:
    """The rows to show: those that matter, with two around each."""
    marked = {call.row}
    for lane in lanes:
        marked |= {lane.saved, lane.written or call.row}
    near = {row + step for row in marked for step in range(-2, 3)}
    return sorted(row for row in near if 1 <= row <= count)


def _y(index: int) -> int:
    return _TOP + _ROW * index + _ROW // 2


def _code(rows: list[int], text: list[str]) -> Iterator[str]:
    before = rows[0] - 1 if rows else 0
    for index, row in enumerate(rows):
        y = _y(index)
        if row != before + 1:
            yield f'<line class="grid" x1="0" x2="{_CODE}" y1="{y - 10}" y2="{y - 10}"/>'
        before = row
        yield f'<text class="number" x="36" y="{y + 4}" text-anchor="end">{row}</text>'
        yield f'<text x="48" y="{y + 4}">{escape(text[row - 1][:76])}</text>'


def _band(at: dict[int, int], call: Place, width: int) -> Iterator[str]:
    if call.row in at:
        y = _y(at[call.row]) - _ROW // 2
        yield f'<rect class="call" x="0" y="{y}" width="{width}" height="{_ROW}"/>'


def _lane(lane: Lane, x: int, at: dict[int, int]) -> Iterator[str]:
    kept = lane.kept
    start, end = _y(at[lane.saved]), _y(at[lane.needed])
    middle = end if lane.written is None else _y(at[lane.written])
    tip = f"{kept.operator}.{kept.attribute} {kept.dtype}{list(kept.shape)}"
    said = (
        f"{tip}, {size(kept.bytes)}, version {kept.version}, {kept.shared or 'kept by the graph'}"
    )
    label = f"{kept.operator} {size(kept.bytes)} v{kept.version}"
    yield f"<g><title>{escape(said)}</title>"
    yield (
        f'<text class="small" transform="translate({x + 4} {_TOP - 8}) rotate(-40)">'
        f"{escape(label)}</text>"
    )
    yield f'<line class="bar" x1="{x}" x2="{x}" y1="{start}" y2="{middle}"/>'
    if lane.written is not None:
        yield f'<line class="stale" x1="{x}" x2="{x}" y1="{middle}" y2="{end}"/>'
        yield from _badge(x, middle, "2", "badge red")
    yield from _badge(x, start, "1", "badge")
    yield from _badge(x, end, "3", "badge")
    yield "</g>"


def _badge(x: int, y: int, text: str, kind: str) -> Iterator[str]:
    yield f'<circle class="{kind}" cx="{x}" cy="{y}" r="8"/>'
    yield f'<text class="small" x="{x}" y="{y + 4}" text-anchor="middle">{text}</text>'


def _time_view(graphs: Sequence[Graph]) -> str:
    """Bars over sequence numbers: the operators of the forward, then the backward, then again."""
    if not graphs:
        return "<p>Nothing called backward.</p>"
    bars = [(graph, one) for graph in graphs for one in graph.kept]
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
        f'<div class="scroll"><svg width="{_WIDTH}" height="{height}" role="img">'
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
