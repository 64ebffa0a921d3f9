"""The page of saved tensors, drawn by a browser."""

import re
from pathlib import Path

from autograd_lint.live.kept import Graph, Kept
from autograd_lint.live.timeline import page
from autograd_lint.places import Place
from tests.browser import looked_at, needs_browser

SOURCE = ["h = torch.sigmoid(x)", "h.data.add_(1)", "h.sum().backward()"]


def place(row: int) -> Place:
    return Place("program.py", row, 1, row, 5)


def overwritten() -> str:
    """A page with one overwritten tensor."""
    written = ((place(2), 3),)
    kept = Kept(place(1), "sigmoid", "result", (3,), "float32", 12, "", 1, 0, written)
    return page([Graph("backward", place(3), 5, (kept,))], {"program.py": SOURCE})


@needs_browser
def test_bars_run_from_the_save_to_the_need_and_are_red_from_the_write(tmp_path: Path) -> None:
    light, dark = (looked_at(overwritten(), tmp_path, scheme) for scheme in ("light", "dark"))
    for look in (light, dark):
        assert not look["over"]
        bar, stale = look["bars"][0], look["stale"][0]
        assert bar[0] < bar[1] <= stale[0] + 1 < stale[1]  # rows of equal height, one below another
        assert bar[1] - bar[0] == stale[1] - stale[0]
        assert bar[2] != stale[2]
    assert light["paper"] == "rgb(255, 255, 255)"
    assert dark["paper"] != light["paper"]
    assert dark["stale"][0][2] != light["stale"][0][2]


def drawn(*kept: Kept, more: tuple[Graph, ...] = ()) -> str:
    return page([Graph("backward", place(3), 9, kept), *more], {"program.py": SOURCE})


def saved(operator: str, row: int, moment: int, shared: str = "", module: str = "") -> Kept:
    return Kept(
        place(row), operator, "result", (3,), "float32", 12, shared, moment, 0, module=module
    )


def test_memory_that_is_shared_is_drawn_once() -> None:
    text = drawn(saved("mul", 1, 1), saved("mul", 2, 2, "`mul` (row 1)"))
    assert text.count('class="bar"') == text.count('class="life"') == 1


def test_what_one_row_saves_has_one_lane_and_a_bar_each_over_time() -> None:
    text = drawn(saved("tanh", 1, 1), saved("tanh", 1, 4), saved("relu", 1, 5))
    assert text.count('class="bar"') == 1
    assert text.count('class="life"') == 3
    assert "tanh.result: float32[3], 12 B, version 0, 2 times" in text
    assert "tanh.result, row 1, 2 of 2, 12\N{NO-BREAK SPACE}B" in text


def test_a_phone_shows_the_page_in_its_own_width() -> None:
    assert 'name="viewport" content="width=device-width' in drawn(saved("relu", 1, 1))


def test_the_module_that_saved_is_named() -> None:
    text = drawn(saved("relu", 1, 1, module="`net.1` (ReLU)"))
    assert "relu.result in net.1 (ReLU)" in text


def test_memory_grows_with_each_save_and_falls_with_backward() -> None:
    again = Graph("backward", place(3), 18, (saved("tanh", 1, 10),))
    text = drawn(saved("tanh", 1, 1), saved("relu", 1, 5), more=(again,))
    assert "at most 24 B" in text
    path = re.search(r'<path d="(.*?)"', text)
    assert path is not None
    heights = [float(point.split(",")[1]) for point in re.findall(r"[\d.]+,[\d.]+", path[1])]
    assert heights == [80, 80, 40, 40, 0, 0, 80, 80, 40, 40, 80, 80]


def test_names_of_the_program_are_text() -> None:
    text = drawn(saved("relu", 1, 1, module="`nets['<b>']` (ReLU)"))
    assert "<b>" not in text


def test_tensors_are_counted_with_those_that_the_picture_leaves_out() -> None:
    text = drawn(*(saved("tanh", 1, moment) for moment in range(100)))
    assert text.count('class="life"') == 60
    assert "tanh.result, row 1, 1 of 100, 12\N{NO-BREAK SPACE}B" in text
    assert "40 smaller ones are left out." in text
