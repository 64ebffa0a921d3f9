"""The life of saved tensors as one self-contained page: over the source, and over time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import escape
from itertools import islice

from autograd_lint.live import life
from autograd_lint.live.kept import Graph, Kept, size
from autograd_lint.places import Place
from autograd_lint.report import lanes
from autograd_lint.report.lanes import Lane
from autograd_lint.report.text import relative

_LETTERS = "abcdefghijkl"  # of as many lanes as are drawn
_MOST_ITEMS = 12  # listed of one lane

_STYLE = (
    """
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 80rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2, li { overflow-wrap: anywhere; }
h3 { font-size: .9rem; margin: .75rem 0 0; } ul { font-size: .85rem; margin: .25rem 0;
  padding-left: 1.25rem; }
"""
    + lanes.STYLE
    + life.STYLE
)


def page(graphs: Sequence[Graph], lines: dict[str, list[str]]) -> str:
    """The page for the graphs of a run; `lines` are the lines of the files they speak of."""
    body = [_source_view(graph, lines) for graph in _interesting(graphs)]
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>Life of saved tensors</title>\n<style>{_STYLE}</style>",
            "<h1>Life of saved tensors</h1>",
            "<p>A bar runs from the line that saves a tensor to the backward that needs it;"
            " it is red from the line that overwrites it. Memory that is shared, with another one"
            " or a parameter, is drawn again only where it is overwritten.</p>",
            *body,
            "<h2>Over time</h2>",
            life.view(graphs),
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
    shown = _shown(graph, graph.place)
    drawn = lanes.picture([lane for lane, _ in shown], text, graph.place.row)
    title = f"{escape(relative(graph.place.filename))}, <code>{escape(graph.call)}</code> at row "
    return f"<h2>{title}{graph.place.row}: {size(graph.bytes)} kept</h2>{drawn}{_legend(shown)}"


def _shown(graph: Graph, call: Place) -> list[tuple[Lane, list[Kept]]]:
    """The lanes of the tensors that were saved in the call's file, overwritten and large ones
    first: one for all that the same rows save, overwrite and need."""
    kept = [one for one in life.buffers(graph) if one.place]
    own = [one for one in kept if one.place and one.place.filename == call.filename]
    own.sort(key=lambda one: (not one.writes, bool(one.shared), -one.bytes))
    groups: dict[Lane, list[Kept]] = {}
    for one in own:
        groups.setdefault(_lane(one, call), []).append(one)
    return [
        (replace(lane, label=letter, tip=f"{len(group)} saved"), group)
        for letter, (lane, group) in zip(_LETTERS, groups.items(), strict=False)
    ]


def _legend(shown: Sequence[tuple[Lane, list[Kept]]]) -> str:
    return "".join(
        f"<h3>{lane.label}: saved in row {lane.saved}, {size(sum(one.bytes for one in group))}</h3>"
        f"<ul>{''.join(_items(group))}</ul>"
        for lane, group in shown
    )


def _items(group: Sequence[Kept]) -> Iterator[str]:
    """The tensors of a lane, the first ones; those that are alike stand together."""
    alike = Counter(map(_said, group))
    for said, number in islice(alike.items(), _MOST_ITEMS):
        times = f", {number} times" if number > 1 else ""
        yield f"<li>{escape(said)}{times}</li>"
    if len(alike) > _MOST_ITEMS:
        yield f"<li>and {len(alike) - _MOST_ITEMS} more</li>"


def _said(one: Kept) -> str:
    shape = f"{one.dtype}{list(one.shape)}"
    return f"{one.what}: {shape}, {size(one.bytes)}, version {one.version}"


def _lane(one: Kept, call: Place) -> Lane:
    rows = [place.row for place, _ in one.writes if place and place.filename == call.filename]
    saved = one.place.row if one.place else call.row
    return Lane("", "", saved, rows[0] if rows else None, call.row)
