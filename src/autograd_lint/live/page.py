"""The report of a traced part of a program as one self-contained page."""

from __future__ import annotations

from collections.abc import Sequence

from autograd_lint.findings import Finding
from autograd_lint.live.kept import Graph
from autograd_lint.live.source import lines_of
from autograd_lint.live.timeline import page as timeline
from autograd_lint.report import html

_END = "</html>"


def page(found: Sequence[Finding], graphs: Sequence[Graph]) -> str:
    """Findings first, then the life of saved tensors, where any backward ran."""
    text = html.findings(found, lines_of)
    if not graphs:
        return text
    files = {
        graph.place.filename: lines_of(graph.place.filename) for graph in graphs if graph.place
    }
    drawn = timeline(graphs, files)
    style = drawn.partition("<style>")[2].partition("</style>")[0]
    body = drawn.partition("</style>")[2].rpartition(_END)[0]
    before, _, _ = text.rpartition(_END)
    return f"{before}\n<section>\n<style>{style}</style>\n{body}\n</section>\n{_END}\n"
