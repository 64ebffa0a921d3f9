"""Hover: the rule's page."""

from pathlib import Path

import pytest
from lsprotocol import types
from tests.server.editors import LOSS, Client, editor, open_file

pytestmark = pytest.mark.asyncio


async def hovered(client: Client, uri: str, line: int, column: int) -> str | None:
    """The Markdown at a position."""
    at = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(line, column))
    found = await client.text_document_hover_async(at)
    if found is None:
        return None
    assert isinstance(found.contents, types.MarkupContent)
    return found.contents.value


async def test_findings_and_comments_show_the_page_of_their_rule(tmp_path: Path) -> None:
    text = (
        LOSS
        + 's = "é𝔻"; w += 1  # noqa: AG103, AG101\nv = 1  # autograd-lint: ignore[graph-freed]\n'
    )
    async with editor(tmp_path) as client:
        uri = open_file(client, tmp_path / "a.py", text)
        finding = await hovered(client, uri, 3, 0)
        assert finding is not None
        assert finding.startswith("# leaf-modified (AG101)\n")
        assert "## Use instead" in finding
        code = await hovered(client, uri, 4, 27)
        assert code is not None
        assert code.startswith("# saved-tensor-modified (AG103)\n")
        assert "(AG101)" not in code
        name = await hovered(client, uri, 5, 36)
        assert name is not None
        assert name.startswith("# graph-freed (AG201)\n")
        assert await hovered(client, uri, 0, 0) is None
