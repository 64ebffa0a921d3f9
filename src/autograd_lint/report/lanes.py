"""The life of saved tensors over the source: code down the page, a lane for each before it, as SVG.

A bar runs from the row that saves a tensor to the one that needs it, red from the row that
overwrites it; the three are numbered. Lanes stand between the row and its code, so that a narrow
screen shows them first; what is said of a row stands behind its code.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape

from autograd_lint.immutable import immutable

_ROW, _LANE, _FIRST, _TOP, _AROUND = 20, 30, 60, 28, 2
_BADGE = 17  # pixels of a number in its circle
_CHARACTER, _SMALL = 7.9, 6.7  # pixels of one in the code, and in what is said of it
_MOST_CHARACTERS = 100  # of a row of code

STYLE = """
:root { --ink: #222; --paper: #fff; --faint: #8883; --bar: #2a7ab8; --red: #c92a2a;
  --call: #e8a90033; }
@media (prefers-color-scheme: dark) { :root { --ink: #ddd; --paper: #16181c; --bar: #5aa9e6;
  --red: #ff6b6b; } }
body { background: var(--paper); color: var(--ink); }
.scroll { overflow-x: auto; } .scroll svg { display: block; }
svg { font: 13px ui-monospace, monospace; }
svg text { fill: var(--ink); white-space: pre; }
.number { opacity: .5; } .small { font-size: 11px; } .grid { stroke: var(--faint); }
.bar { stroke: var(--bar); stroke-width: 7; stroke-linecap: round; }
.stale { stroke: var(--red); stroke-width: 7; stroke-linecap: round; }
.badge { fill: var(--paper); stroke: var(--ink); } .badge.red { stroke: var(--red); }
.call { fill: var(--call); }
"""


@immutable
class Lane:
    """One tensor in one file: the rows that save it, overwrite it and need it.

    `written` is None where nothing overwrites it, `needed` where that is in no row of the file: the
    bar then runs to the end. `label` is a letter or two above the bar, `tip` is what a pointer
    shows, `notes` are words about rows.
    """

    label: str
    tip: str
    saved: int
    written: int | None
    needed: int | None
    notes: tuple[tuple[int, str], ...] = ()

    @property
    def rows(self) -> list[int]:
        """The rows that matter, in the order in which the program comes to them."""
        return [row for row in (self.saved, self.written, self.needed) if row is not None]


def picture(lanes: Sequence[Lane], text: Sequence[str], call: int | None = None) -> str:
    """The rows that matter with their surroundings, and the lanes beside; `call` is a row to shade.

    `text` are all lines of the file.
    """
    marked = {row for lane in lanes for row in lane.rows} | ({call} if call else set())
    near = {row + step for row in marked for step in range(-_AROUND, _AROUND + 1)}
    rows = sorted(row for row in near if 1 <= row <= len(text))
    at = {row: index for index, row in enumerate(rows)}
    shown = [lane for lane in lanes if set(lane.rows) <= at.keys()]
    width = _width(shown)
    code = _Code(rows, text, _FIRST + width * len(shown), shown)
    height = _TOP + _ROW * len(rows) + 12
    top = 0 if any(lane.label for lane in shown) else _TOP - 8  # nothing stands above the bars
    parts = [*_band(at, call, code.width), *code.drawn()]
    for index, lane in enumerate(shown):
        parts += _lane(lane, _FIRST + width * index, at)
    drawn = "".join(parts)
    size = f'width="{code.width}" height="{height - top}"'
    box = f'viewBox="0 {top} {code.width} {height - top}"'
    return f'<div class="scroll"><svg {size} {box} role="img">{drawn}</svg></div>'


def _width(lanes: Sequence[Lane]) -> int:
    """The pixels of a lane, so that the numbers of one row stand side by side."""
    most = max((max(Counter(lane.rows).values()) for lane in lanes), default=1)
    return max(_LANE, _BADGE * most)


def _y(index: int) -> int:
    return _TOP + _ROW * index + _ROW // 2


@dataclass(frozen=True)
class _Code:
    """Rows of code, which begin at `left`, and what lanes say of them."""

    rows: Sequence[int]
    text: Sequence[str]
    left: int
    lanes: Sequence[Lane]

    @cached_property
    def _notes(self) -> dict[int, str]:
        said: dict[int, list[str]] = {}
        for row, words in (note for lane in self.lanes for note in lane.notes):
            said.setdefault(row, []).append(words)
        return {row: "; ".join(words) for row, words in said.items()}

    def _shown(self, row: int) -> str:
        return self.text[row - 1][:_MOST_CHARACTERS]

    def _end(self, row: int) -> float:
        return self.left + _CHARACTER * len(self._shown(row)) + 20

    @cached_property
    def width(self) -> int:
        """The pixels up to the end of the longest row, with what is said of it."""
        ends = (self._end(row) + _SMALL * len(self._notes.get(row, "")) for row in self.rows)
        return round(max(ends, default=self.left))

    def drawn(self) -> Iterator[str]:
        """The rows, a line between those that do not follow one another."""
        before = self.rows[0] - 1 if self.rows else 0
        for index, row in enumerate(self.rows):
            y = _y(index)
            if row != before + 1:
                yield f'<line class="grid" x1="0" x2="{self.width}" y1="{y - 10}" y2="{y - 10}"/>'
            before = row
            yield f'<text class="number" x="36" y="{y + 4}" text-anchor="end">{row}</text>'
            yield f'<text x="{self.left}" y="{y + 4}">{escape(self._shown(row))}</text>'
            if row in self._notes:
                said = escape(self._notes[row])
                yield f'<text class="small" x="{self._end(row):.0f}" y="{y + 4}">{said}</text>'


def _band(at: dict[int, int], call: int | None, width: int) -> Iterator[str]:
    if call in at:
        y = _y(at[call]) - _ROW // 2
        yield f'<rect class="call" x="0" y="{y}" width="{width}" height="{_ROW}"/>'


def _lane(lane: Lane, x: int, at: dict[int, int]) -> Iterator[str]:
    start = _y(at[lane.saved])
    end = _y(len(at)) - _ROW // 2 if lane.needed is None else _y(at[lane.needed])
    middle = end if lane.written is None else _y(at[lane.written])
    yield f"<g><title>{escape(lane.tip)}</title>"
    if lane.label:
        label = escape(lane.label)
        yield f'<text class="small" x="{x}" y="{_TOP - 10}" text-anchor="middle">{label}</text>'
    yield f'<line class="bar" x1="{x}" x2="{x}" y1="{start}" y2="{middle}"/>'
    if lane.written is not None:
        yield f'<line class="stale" x1="{x}" x2="{x}" y1="{middle}" y2="{end}"/>'
    taken = Counter[int]()  # places in one row stand side by side
    for number, row in enumerate(lane.rows, 1):
        kind = "badge red" if row == lane.written else "badge"
        yield from _badge(x + _BADGE * taken[row], _y(at[row]), str(number), kind)
        taken[row] += 1
    yield "</g>"


def _badge(x: int, y: int, text: str, kind: str) -> Iterator[str]:
    yield f'<circle class="{kind}" cx="{x}" cy="{y}" r="8"/>'
    yield f'<text class="small" x="{x}" y="{y + 4}" text-anchor="middle">{text}</text>'
