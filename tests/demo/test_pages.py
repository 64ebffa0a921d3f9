"""What the first page and the tutorials show is what a reader sees."""

from pathlib import Path

import pytest

from tests.demo.pages import PAGES, followed


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_console_block_shows_what_the_tool_prints(page: Path, tmp_path: Path) -> None:
    shown: list[str] = []
    printed: list[str] = []

    def compare(block: str, output: str) -> str:
        shown.append(block)
        printed.append(output)
        return block

    followed(page, tmp_path, compare)
    assert shown
    assert printed == shown
