"""The page of saved tensors, drawn by a browser."""

import json
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from autograd_lint.live.kept import Graph, Kept
from autograd_lint.live.timeline import page
from autograd_lint.places import Place

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
SOURCE = ["h = torch.sigmoid(x)", "h.data.add_(1)", "h.sum().backward()"]
# What a browser makes of the page: where bars are, and in which colours, told in its title.
LOOK = """
<script>
const look = (selector) => [...document.querySelectorAll(selector)].map((part) => {
  const box = part.getBoundingClientRect();
  return [Math.round(box.top), Math.round(box.bottom), getComputedStyle(part).stroke];
});
document.title = JSON.stringify({
  bars: look(".bar"), stale: look(".stale"), paper: getComputedStyle(document.body).backgroundColor,
  over: document.documentElement.scrollWidth > innerWidth,
});
</script>
"""


def place(row: int) -> Place:
    return Place("program.py", row, 1, row, 5)


def drawn(folder: Path, scheme: int) -> dict[str, Any]:
    """The look of a page with one overwritten tensor; the scheme 0 is dark, 1 is light."""
    written = ((place(2), 3),)
    kept = Kept(place(1), "sigmoid", "result", (3,), "float32", 12, "", 1, 0, written)
    text = page([Graph("backward", place(3), 5, (kept,))], {"program.py": SOURCE})
    (folder / "page.html").write_text(text + LOOK)
    assert BROWSER is not None
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'data'}"]
    options += [f"--blink-settings=preferredColorScheme={scheme}", "--window-size=1200,900"]
    result = subprocess.run(
        [BROWSER, *options, "--dump-dom", (folder / "page.html").as_uri()],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    title = re.search("<title>(.*?)</title>", result.stdout, re.DOTALL)
    assert title is not None
    found: dict[str, Any] = json.loads(unescape(title[1]))
    return found


@pytest.mark.skipif(BROWSER is None, reason="Chromium is not installed here")
def test_bars_run_from_the_save_to_the_need_and_are_red_from_the_write(tmp_path: Path) -> None:
    light, dark = drawn(tmp_path, 1), drawn(tmp_path, 0)
    for look in (light, dark):
        assert not look["over"]
        bar, stale = look["bars"][0], look["stale"][0]
        assert bar[0] < bar[1] <= stale[0] + 1 < stale[1]  # rows of equal height, one below another
        assert bar[1] - bar[0] == stale[1] - stale[0]
        assert bar[2] != stale[2]
    assert light["paper"] == "rgb(255, 255, 255)"
    assert dark["paper"] != light["paper"]
    assert dark["stale"][0][2] != light["stale"][0][2]
