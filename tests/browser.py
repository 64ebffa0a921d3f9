"""What a browser makes of a page; tests that look are skipped where Chromium is absent."""

import json
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import pytest

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
needs_browser = pytest.mark.skipif(BROWSER is None, reason="Chromium is not installed here")
SCHEMES = {"dark": 0, "light": 1}
# Where bars are, and in which colours, told in the title of the page.
_LOOK = """
<script>
const look = (selector) => [...document.querySelectorAll(selector)].map((part) => {
  const box = part.getBoundingClientRect();
  return [Math.round(box.top), Math.round(box.bottom), getComputedStyle(part).stroke];
});
document.title = JSON.stringify({
  bars: look(".bar"), stale: look(".stale"), paper: getComputedStyle(document.body).backgroundColor,
  ink: getComputedStyle(document.querySelector("svg text")).fill,
  badges: [...document.querySelectorAll("circle + text")].map((part) => part.textContent),
  over: document.documentElement.scrollWidth > innerWidth,
  cells: [...document.querySelectorAll("td")].map((cell) => cell.clientHeight),
});
</script>
"""


def looked_at(page: str, folder: Path, scheme: str) -> dict[str, Any]:
    """The look of a page in the `light` or `dark` scheme."""
    file = folder / "page.html"
    file.write_text(page + _LOOK)
    assert BROWSER is not None
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'data'}"]
    options += [f"--blink-settings=preferredColorScheme={SCHEMES[scheme]}"]
    result = subprocess.run(
        [BROWSER, *options, "--window-size=1200,900", "--dump-dom", file.as_uri()],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    title = re.search("<title>(.*?)</title>", result.stdout, re.DOTALL)
    assert title is not None
    found: dict[str, Any] = json.loads(unescape(title[1]))
    return found
