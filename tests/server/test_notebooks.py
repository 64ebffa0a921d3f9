"""Notebooks: the cells as one program, findings in their cells."""

from pathlib import Path

import pytest
from lsprotocol import types
from tests.server.editors import Client, editor, pushed

pytestmark = pytest.mark.asyncio

CELLS = [
    ("markdown", "# torch"),
    ("python", "%matplotlib inline\nimport torch"),
    ("python", "w = torch.ones(3, requires_grad=True)\nh = torch.sigmoid(w)"),
    ("python", 's = "é𝔻"; h += 1'),
    ("python", "h.sum().backward()"),
]


def cell_uri(root: Path, number: int) -> str:
    """What the editor calls a cell."""
    return f"vscode-notebook-cell:{root}/a.ipynb#W{number}sZmlsZQ%3D%3D"


def open_notebook(client: Client, root: Path) -> str:
    """Open a notebook with the cells above; returns its URI."""
    uri = (root / "a.ipynb").as_uri()
    kinds = {"markdown": types.NotebookCellKind.Markup, "python": types.NotebookCellKind.Code}
    cells = [
        types.NotebookCell(kinds[language], cell_uri(root, number))
        for number, (language, _) in enumerate(CELLS)
    ]
    texts = [
        types.TextDocumentItem(cell_uri(root, number), language, 1, text)
        for number, (language, text) in enumerate(CELLS)
    ]
    notebook = types.NotebookDocument(uri, "jupyter-notebook", 1, cells)
    client.notebook_document_did_open(types.DidOpenNotebookDocumentParams(notebook, texts))
    return uri


def change_notebook(client: Client, uri: str, version: int, **cells: object) -> None:
    """Tell what happened to cells."""
    changed = types.NotebookDocumentChangeEvent(
        cells=types.NotebookDocumentCellChanges(**cells)  # type: ignore[arg-type]
    )
    notebook = types.VersionedNotebookDocumentIdentifier(version, uri)
    params = types.DidChangeNotebookDocumentParams(notebook, changed)
    client.notebook_document_did_change(params)


async def test_a_finding_stands_in_its_cell(tmp_path: Path) -> None:
    async with editor(tmp_path) as client:
        open_notebook(client, tmp_path)
        (found,) = await pushed(client, cell_uri(tmp_path, 3))
    assert (found.code, str(found.range)) == ("AG103", "0:11-0:12")
    related = [
        (one.location.uri, one.location.range.start.line) for one in found.related_information
    ]
    assert related == [(cell_uri(tmp_path, 2), 1), (cell_uri(tmp_path, 4), 0)]


async def test_cells_change_and_go(tmp_path: Path) -> None:
    async with editor(tmp_path) as client:
        uri = open_notebook(client, tmp_path)
        cell = cell_uri(tmp_path, 3)
        assert len(await pushed(client, cell)) == 1
        text = types.NotebookDocumentCellContentChanges(
            types.VersionedTextDocumentIdentifier(2, cell),
            [types.TextDocumentContentChangeWholeDocument("h = h + 1")],
        )
        change_notebook(client, uri, 2, text_content=[text])
        assert await pushed(client, cell, 2) == []
        text.document.version = 3
        text.changes = [types.TextDocumentContentChangeWholeDocument("\n\nh += 1")]
        change_notebook(client, uri, 3, text_content=[text])
        (found,) = await pushed(client, cell, 3)
        assert found.range.start.line == 2
        gone = types.NotebookDocumentCellChangeStructure(
            types.NotebookCellArrayChange(4, 1),
            did_close=[types.TextDocumentIdentifier(cell_uri(tmp_path, 4))],
        )
        change_notebook(client, uri, 4, structure=gone)
        assert await pushed(client, cell, 3) == []


async def test_all_cells_are_fixed_at_once(tmp_path: Path) -> None:
    async with editor(tmp_path, settings={"unsafe-fixes": True}) as client:
        open_notebook(client, tmp_path)
        cell = cell_uri(tmp_path, 3)
        start = types.Position(0, 0)
        found = await client.text_document_code_action_async(
            types.CodeActionParams(
                types.TextDocumentIdentifier(cell),
                types.Range(start, start),
                types.CodeActionContext([], only=["source.fixAll"]),  # type: ignore[list-item]
            )
        )
    (all_of_them,) = found or ()
    assert isinstance(all_of_them, types.CodeAction)
    assert all_of_them.edit is not None
    assert all_of_them.edit.changes is not None
    ((changed, (edit,)),) = all_of_them.edit.changes.items()
    assert (changed, edit.new_text) == (cell, 's = "é𝔻"; h = h + 1')


async def test_a_line_of_a_cell_is_silenced(tmp_path: Path) -> None:
    async with editor(tmp_path) as client:
        open_notebook(client, tmp_path)
        cell = cell_uri(tmp_path, 3)
        at = types.Position(0, 11)
        found = await client.text_document_code_action_async(
            types.CodeActionParams(
                types.TextDocumentIdentifier(cell),
                types.Range(at, at),
                types.CodeActionContext([]),
            )
        )
    silence = (found or ())[-1]
    assert isinstance(silence, types.CodeAction)
    assert silence.edit is not None
    assert silence.edit.changes is not None
    (edit,) = silence.edit.changes[cell]
    assert (edit.new_text, str(edit.range)) == ("  # autograd-lint: ignore[AG103]", "0:17-0:17")


async def test_closing_takes_the_findings_away(tmp_path: Path) -> None:
    async with editor(tmp_path) as client:
        uri = open_notebook(client, tmp_path)
        assert await pushed(client, cell_uri(tmp_path, 3))
        cells = [types.TextDocumentIdentifier(cell_uri(tmp_path, n)) for n in range(len(CELLS))]
        closed = types.DidCloseNotebookDocumentParams(types.NotebookDocumentIdentifier(uri), cells)
        client.notebook_document_did_close(closed)
        assert await pushed(client, cell_uri(tmp_path, 3)) == []
