"""Findings as one page of HTML: an index to choose from, and every finding once, drawn into the
source, with the life of the tensor at fault to unfold."""

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from urllib.parse import quote

from autograd_lint.findings import Finding
from autograd_lint.places import Place
from autograd_lint.project.cells import file_of
from autograd_lint.report import text
from autograd_lint.report.excerpt import Line
from autograd_lint.report.flow import Step, steps
from autograd_lint.report.lanes import STYLE, Lane, picture
from autograd_lint.report.notes import notes
from autograd_lint.report.summary import summary

# What is kept or built, what overwrites or frees it, what needs it.
_PARTS = {
    "saved": "saved",
    "built": "saved",
    "modified": "written",
    "freed": "written",
    "needed": "needed",
}
_CODE = re.compile("`([^`]+)`")
_STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; --error: #c22;
  --warning: #960; --kept: #07a; --write: #939; --use: #282; --line: #8884; --link: #06c; }
@media (prefers-color-scheme: dark) { :root { --error: #f77; --warning: #fb4; --kept: #5cf;
  --write: #f8f; --use: #7d7; --link: #7bf; } }
* { box-sizing: border-box; }
body { max-width: 75rem; margin: 0 auto; padding: 1rem; }
a { color: var(--link); } h1, h2, p, dd, td, .place { overflow-wrap: anywhere; }
form { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: end; position: sticky; top: 0;
  background: var(--paper); padding: .5rem 0; border-bottom: 1px solid var(--line); z-index: 1; }
label { display: flex; flex-direction: column; font-size: .8rem; flex: 1 1 12rem; min-width: 0; }
select, input { font: inherit; font-size: 1rem; width: 100%; padding: .25rem; }
article { border: 1px solid var(--line); border-left: 4px solid var(--error); border-radius: 6px;
  padding: .75rem 1rem; margin: 1rem 0; scroll-margin-top: 6rem; }
article.warning { border-left-color: var(--warning); }
article.info { border-left-color: var(--link); }
article h2 { font-size: 1.05rem; margin: 0; }
.place { font: .9rem ui-monospace, monospace; margin: .75rem 0 0; }
.tag { font-size: .8rem; border: 1px solid var(--line); border-radius: 1rem; padding: 0 .5rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: .5rem 0; }
dt { font-weight: 600; } dd { margin: 0; }
pre { overflow-x: auto; background: #8881; padding: .75rem; border-radius: 6px; line-height: 1.35;
  margin: .25rem 0; font-size: .875rem; }
pre .gutter { opacity: .6; } pre .error { color: var(--error); }
pre .warning { color: var(--warning); } pre .saved, pre .built { color: var(--kept); }
pre .modified, pre .freed { color: var(--write); } pre .needed { color: var(--use); }
code { font: .95em ui-monospace, monospace; background: #8882; border-radius: 3px;
  padding: 0 .2em; }
table { border-collapse: collapse; width: 100%; } td { padding: .1rem .75rem .1rem 0; }
td:first-child { text-align: right; width: 1%; white-space: nowrap; overflow-wrap: normal; }
.rules { columns: 20rem; }
@media (max-width: 40rem) { dl { grid-template-columns: 1fr; } dd { margin: 0 0 .5rem; }
  form { position: static; } }
"""
_SCRIPT = """
const form = document.querySelector("form");
const articles = [...document.querySelectorAll("article")];
function choose() {
  const { rule, file, words } = Object.fromEntries(new FormData(form));
  let shown = 0;
  for (const one of articles) {
    const fits = (!rule || one.dataset.rule === rule) && (!file || one.dataset.file === file)
      && one.textContent.toLowerCase().includes(words.toLowerCase());
    one.hidden = !fits;
    shown += fits;
  }
  document.querySelector("output").value = `${shown} of ${articles.length} shown`;
}
form.addEventListener("input", choose);
form.addEventListener("submit", (event) => event.preventDefault());
for (const link of document.querySelectorAll("a[data-rule]"))
  link.addEventListener("click", () => { form.rule.value = link.dataset.rule; choose(); });
"""


def findings(found: Sequence[Finding], lines: text.Lines) -> str:
    """All findings as the text of one page, which needs nothing from elsewhere."""
    articles = (_article(number, one, lines) for number, one in enumerate(found, 1))
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            "<title>autograd-lint</title>",
            f"<style>{STYLE}{_STYLE}</style>",
            f"<h1>autograd-lint</h1>\n<p>{escape(summary(found))}</p>",
            *(_index(found) if found else ()),
            *articles,
            *((f"<script>{_SCRIPT}</script>",) if found else ()),
            "</html>",
        ]
    )


def _index(found: Sequence[Finding]) -> Iterator[str]:
    """How often each rule was found, and what to choose the findings by."""
    rules = Counter((one.code, one.name) for one in found)
    files = sorted({_file(one) for one in found})
    yield '<details open><summary>Rules</summary><div class="rules"><table>'
    for (code, name), count in sorted(rules.items(), key=lambda row: (-row[1], row[0])):
        link = f'<a href="#findings" data-rule="{code}">{code}</a>'
        yield f"<tr><td>{count}</td><td>{link} {escape(name)}</td></tr>"
    yield '</table></div></details>\n<form id="findings">'
    yield _choice("rule", [(code, f"{code} {name}") for code, name in sorted(rules)])
    yield _choice("file", [(name, name) for name in files])
    yield '<label>words <input name="words" type="search"></label>'
    yield f"<output>{len(found)} of {len(found)} shown</output></form>"


def _choice(name: str, values: Sequence[tuple[str, str]]) -> str:
    given = (f'<option value="{escape(one)}">{escape(said)}</option>' for one, said in values)
    options = "".join(['<option value="">all</option>', *given])
    return f'<label>{name} <select name="{name}">{options}</select></label>'


def _article(number: int, finding: Finding, lines: text.Lines) -> str:
    rule = f'<a href="{escape(finding.url)}">{finding.code}</a>'
    certainty = f'<span class="tag">{finding.certainty.value}</span>'
    told = "".join(f"<dt>{word}</dt><dd>{_prose(said)}</dd>" for word, said in notes(finding))
    return "\n".join(
        [
            f'<article id="finding-{number}" class="{finding.severity.value}" '
            f'data-rule="{finding.code}" data-file="{escape(_file(finding))}">',
            f"<h2>{rule} {_prose(finding.message)} {certainty}</h2>",
            *_drawn(finding, lines),
            f"<dl>{told}</dl>",
            *_picture(finding, lines),
            "</article>",
        ]
    )


def _prose(said: str) -> str:
    """A sentence whose code stands between backticks."""
    return _CODE.sub(r"<code>\1</code>", escape(said))


def _file(finding: Finding) -> str:
    return text.portable(file_of(finding.place.filename))


def _drawn(finding: Finding, lines: text.Lines) -> Iterator[str]:
    """The lines that matter, under a link to each file."""
    places = [finding.place, *(other.place for other in finding.related)]
    for filename, drawing in text.excerpts(finding, lines):
        first = next(place for place in places if place.filename == filename)
        drawn = "\n".join("".join(_spans(line)) for line in drawing)
        yield f'<p class="place">{_link(first)}</p>\n<pre>{drawn}</pre>'


def _link(place: Place) -> str:
    """A place that leads to its file, from where the run was made."""
    target = quote(os.fsencode(text.portable(file_of(place.filename))))
    return f'<a href="{target}#L{place.row}">{escape(text.shown(place))}</a>'


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
    drawn = picture([lane], lines(filename), rows.get("needed"))
    yield f"<details><summary>life of the tensor</summary>{drawn}</details>"


def _spans(line: Line) -> Iterator[str]:
    for part, style in line:
        shown = escape(part, quote=False)
        yield f'<span class="{style}">{shown}</span>' if style else shown
