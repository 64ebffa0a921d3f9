"""Findings as one page of HTML: excerpts, and the life of the tensor at fault over the source."""

from collections.abc import Iterator, Sequence
from html import escape

from autograd_lint.findings import Finding
from autograd_lint.report import text
from autograd_lint.report.excerpt import Line
from autograd_lint.report.flow import Step, steps
from autograd_lint.report.lanes import STYLE, Lane, picture
from autograd_lint.report.summary import summary

# What is kept or built, what overwrites or frees it, what needs it.
_PARTS = {
    "saved": "saved",
    "built": "saved",
    "modified": "written",
    "freed": "written",
    "needed": "needed",
}
_STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
article { border: 1px solid #8884; border-radius: 8px; padding: 1rem; margin: 1.5rem 0; }
h2 { font-size: 1.1rem; margin: 0 0 .5rem; }
h2 code { color: #d33; }
.likely h2 code, .warning h2 code { color: #b70; }
ol { list-style: none; display: flex; flex-wrap: wrap; gap: .5rem; padding: 0; }
li { border-top: 4px solid #888; padding: .25rem .75rem 0 0; flex: 1 1 12rem; font-size: .9rem; }
li.saved, li.built { border-color: #08a; }
li.modified, li.freed { border-color: #a3a; }
li.needed { border-color: #292; }
pre { overflow-x: auto; background: #8881; padding: .75rem; border-radius: 6px; line-height: 1.35; }
pre .gutter { color: #37c; } pre .note { color: #088; }
pre .error { color: #d33; } pre .warning { color: #b70; }
pre .saved, pre .built { color: #08a; } pre .modified, pre .freed { color: #a3a; }
pre .needed { color: #292; }
"""


def findings(found: Sequence[Finding], lines: text.Lines) -> str:
    """All findings as the text of one page, which needs nothing from elsewhere."""
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">',
            "<title>autograd-lint</title>",
            f"<style>{_STYLE}{STYLE}</style>",
            "<h1>autograd-lint</h1>",
            f"<p>{escape(summary(found))}</p>",
            *(_article(finding, lines) for finding in found),
            "</html>",
        ]
    )


def _article(finding: Finding, lines: text.Lines) -> str:
    title = f"<code>{finding.code}</code> {escape(finding.name)}: {escape(finding.message)}"
    timeline = "".join(map(_item, steps(finding)))
    life = "".join(_picture(finding, lines))
    _, *drawing = text.one(finding, lines)
    drawn = "\n".join("".join(_spans(line)) for line in drawing)
    kinds = f"{finding.severity.value} {finding.certainty.value}"
    return (
        f'<article class="{kinds}">\n<h2>{title}</h2>\n<ol>{timeline}</ol>\n{life}'
        f"<pre>{drawn}</pre>\n</article>"
    )


def _picture(finding: Finding, lines: text.Lines) -> Iterator[str]:
    """The life of the tensor at fault over the source, where more than one place is known."""
    filename = finding.place.filename
    parts: dict[str, Step] = {}
    for step in steps(finding):
        if step.place.filename == filename and step.role in _PARTS:
            parts.setdefault(_PARTS[step.role], step)
    rows = {part: step.place.row for part, step in parts.items()}
    start = rows.get("saved", rows.get("written"))
    if start is None or len(rows) < 2:
        return
    said: dict[int, str] = {}
    for step in parts.values():
        row = step.place.row
        said[row] = f"{said[row]}; {step.message}" if row in said else step.message
    lane = Lane(
        "", finding.message, start, rows.get("written"), rows.get("needed"), tuple(said.items())
    )
    yield picture([lane], lines(filename), rows.get("needed")) + "\n"


def _item(step: Step) -> str:
    place = escape(text.shown(step.place))
    return f'<li class="{step.role}"><b>{escape(step.message)}</b><br>{place}</li>'


def _spans(line: Line) -> Iterator[str]:
    for part, style in line:
        shown = escape(part, quote=False)
        yield f'<span class="{style}">{shown}</span>' if style else shown
