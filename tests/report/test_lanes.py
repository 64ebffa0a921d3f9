"""The life of a tensor over the source, and a page of findings as a browser shows it."""

import re
from itertools import pairwise
from pathlib import Path

from tests.browser import looked_at, needs_browser
from tests.report.examples import TRAIN, saved_tensor_modified

from autograd_lint.report import html
from autograd_lint.report.lanes import Lane, picture

TEXT = [f"line {row}" for row in range(1, 30)]


def badges(drawn: str) -> list[str]:
    return re.findall(r'text-anchor="middle">(\d)<', drawn)


def test_places_are_numbered_in_the_order_of_the_program() -> None:
    assert badges(picture([Lane("", "", 3, 5, 9)], TEXT)) == ["1", "2", "3"]
    assert badges(picture([Lane("", "", 3, None, 9)], TEXT)) == ["1", "2"]
    assert badges(picture([Lane("", "", 3, 5, None)], TEXT)) == ["1", "2"]


def test_the_numbers_of_one_row_cover_one_another_in_no_lane() -> None:
    drawn = picture([Lane("", "", 3, 3, 3), Lane("", "", 3, None, 3)], TEXT)
    centres = sorted(int(x) for x in re.findall(r'<circle [^>]*cx="(\d+)"', drawn))
    assert len(centres) == 5
    assert all(right - left > 16 for left, right in pairwise(centres))


def test_rows_that_matter_stand_with_those_around_them() -> None:
    drawn = picture([Lane("", "", 3, None, 20)], TEXT)
    shown = [int(row) for row in re.findall(r'text-anchor="end">(\d+)<', drawn)]
    assert shown == [1, 2, 3, 4, 5, 18, 19, 20, 21, 22]


def test_nothing_is_red_where_nothing_is_written() -> None:
    assert 'class="stale"' not in picture([Lane("", "", 3, None, 9)], TEXT)
    assert 'class="stale"' in picture([Lane("", "", 3, 5, 9)], TEXT)


def test_a_lane_of_rows_that_are_not_there_is_left_out() -> None:
    assert badges(picture([Lane("", "", 3, 5, 400)], TEXT)) == []


@needs_browser
def test_a_finding_is_drawn_as_a_run_is(tmp_path: Path) -> None:
    page = html.findings([saved_tensor_modified()], lambda name: TRAIN.split("\n"))
    light, dark = (looked_at(page, tmp_path, scheme) for scheme in ("light", "dark"))
    for look in (light, dark):
        assert not look["over"]
        (bar,), (stale,) = look["bars"], look["stale"]
        assert bar[0] < bar[1] <= stale[0] + 1 < stale[1]
        assert look["badges"] == ["1", "2", "3"]
        assert look["ink"] != look["paper"]
    assert dark["paper"] != light["paper"] and dark["ink"] != light["ink"]


@needs_browser
def test_the_counts_of_the_index_stand_on_one_line(tmp_path: Path) -> None:
    once = html.findings([saved_tensor_modified()], lambda name: TRAIN.split("\n"))
    often = html.findings([saved_tensor_modified()] * 1000, lambda name: TRAIN.split("\n"))
    one, many = (looked_at(page, tmp_path, "light")["cells"] for page in (once, often))
    assert one == many
