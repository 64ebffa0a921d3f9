"""The page of saved tensors, drawn by a browser."""

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


def test_memory_that_is_shared_is_drawn_once() -> None:
    first = Kept(place(1), "mul", "other", (3,), "float32", 12, "", 1, 0)
    again = Kept(place(2), "mul", "other", (3,), "float32", 12, "`mul` (row 1)", 2, 0)
    drawn = page([Graph("backward", place(3), 5, (first, again))], {"program.py": SOURCE})
    assert drawn.count('class="bar"') == 2  # over the source, and over time
