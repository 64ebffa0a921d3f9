"""Code actions: the edits they make."""

from pathlib import Path

import pytest
from lsprotocol import types
from tests.server.editors import Client, applied, capabilities, change, editor, open_file, pushed

pytestmark = pytest.mark.asyncio

SAVED = """\
import torch

x = torch.ones(3, requires_grad=True)
h = torch.sigmoid(x)
h += 1
h.sum().backward()
k = torch.tanh(x)
k += 1  # keep
k.sum().backward()
"""
MENDED = SAVED.replace("h += 1", "h = h + 1").replace("k += 1", "k = k + 1")
UNSAFE = {"unsafe-fixes": True}


def able(resolve: bool = True, versions: bool = True) -> types.ClientCapabilities:
    """An editor that can resolve edits and take edits of versions."""
    properties = ["edit"] if resolve else ["command"]
    can = capabilities(
        workspace=types.WorkspaceClientCapabilities(
            workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=versions)
        )
    )
    assert can.text_document is not None
    can.text_document.code_action = types.CodeActionClientCapabilities(
        resolve_support=types.ClientCodeActionResolveOptions(properties),
        data_support=True,
    )
    return can


async def ask(
    client: Client, uri: str, line: int, only: list[str] | None = None, column: int = 0
) -> list[types.CodeAction]:
    """The actions at a position."""
    at = types.Position(line, column)
    found = await client.text_document_code_action_async(
        types.CodeActionParams(
            types.TextDocumentIdentifier(uri),
            types.Range(at, at),
            types.CodeActionContext([], only=only),  # type: ignore[arg-type]
        )
    )
    return [one for one in found or () if isinstance(one, types.CodeAction)]


async def test_a_fix_mends_the_buffer(tmp_path: Path) -> None:
    async with editor(tmp_path, able()) as client:
        uri = open_file(client, tmp_path / "a.py", SAVED, version=7)
        fix, silence = await ask(client, uri, 4)
    assert fix.title.startswith("AG103: ")
    assert fix.title.endswith(" (unsafe)")
    assert not fix.is_preferred
    assert fix.diagnostics is not None
    assert [one.code for one in fix.diagnostics] == ["AG103"]
    assert applied(fix.edit, uri, SAVED, version=7) == SAVED.replace("h += 1", "h = h + 1")
    assert silence.title == "AG103: ignore it on this line"


STEPPED = """\
import torch

model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh(), torch.nn.Linear(2, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss = model(torch.ones(1, 2)).sum()
loss.backward()
optimizer.step()
loss.backward()
"""


async def test_a_fix_that_leads_into_another_error_is_not_offered(tmp_path: Path) -> None:
    kept = STEPPED.replace("optimizer.step()\n", "")
    async with editor(tmp_path, able()) as client:
        uri = open_file(client, tmp_path / "a.py", STEPPED)
        before = [one.title for one in await ask(client, uri, 7)]
        change(client, uri, kept, version=2)
        after = [one.title for one in await ask(client, uri, 6)]
    assert before == ["AG201: ignore it on this line"]
    assert after == [
        "AG201: Keep the graph with `retain_graph=True` (unsafe)",
        "AG201: ignore it on this line",
    ]


async def test_a_line_is_silenced(tmp_path: Path) -> None:
    text = 'import torch\nw = torch.ones(3, requires_grad=True)\ns = "é𝔻"; w += 1 # why\n'
    async with editor(tmp_path, able()) as client:
        uri = open_file(client, tmp_path / "a.py", text)
        (silence,) = await ask(client, uri, 2, column=11)
        silenced = applied(silence.edit, uri, text, version=1)
        assert silenced == text.rstrip() + "  # autograd-lint: ignore[AG101]\n"
        change(client, uri, silenced, 2)
        assert await ask(client, uri, 2, column=11) == []


async def test_everything_is_fixed_at_once(tmp_path: Path) -> None:
    async with editor(tmp_path, able(), UNSAFE) as client:
        uri = open_file(client, tmp_path / "a.py", SAVED)
        (all_of_them,) = await ask(client, uri, 0, only=["source.fixAll"])
        assert all_of_them.kind == "source.fixAll.autograd-lint"
        assert all_of_them.edit is None
        resolved = await client.code_action_resolve_async(all_of_them)
    assert applied(resolved.edit, uri, SAVED, version=1) == MENDED


async def test_a_comment_that_silences_nothing_is_taken_away(tmp_path: Path) -> None:
    text = "import torch\nx = torch.ones(3)  # noqa: AG101\n"
    async with editor(tmp_path, able()) as client:
        uri = open_file(client, tmp_path / "a.py", text)
        (found,) = await pushed(client, uri)
        (all_of_them,) = await ask(client, uri, 0, only=["source.fixAll"])
        resolved = await client.code_action_resolve_async(all_of_them)
        (fix,) = await ask(client, uri, 1, only=["quickfix"], column=22)
    assert found.code == "AG902"
    assert list(found.tags or ()) == [types.DiagnosticTag.Unnecessary]
    assert applied(resolved.edit, uri, text, version=1) == "import torch\nx = torch.ones(3)\n"
    assert fix.is_preferred
    assert applied(fix.edit, uri, text, version=1) == "import torch\nx = torch.ones(3)\n"


async def test_unsafe_fixes_are_not_applied_at_once_unasked(tmp_path: Path) -> None:
    async with editor(tmp_path, able()) as client:
        uri = open_file(client, tmp_path / "a.py", SAVED)
        assert await ask(client, uri, 0, only=["source.fixAll"]) == []


async def test_an_editor_that_cannot_resolve_gets_the_edit_at_once(tmp_path: Path) -> None:
    async with editor(tmp_path, able(resolve=False, versions=False), UNSAFE) as client:
        uri = open_file(client, tmp_path / "a.py", SAVED)
        (all_of_them,) = await ask(client, uri, 0, only=["source"])
    assert all_of_them.edit is not None
    assert all_of_them.edit.changes is not None
    assert [edit.new_text for edit in all_of_them.edit.changes[uri]] == [
        "h = h + 1\n",
        "k = k + 1  # keep\n",
    ]


async def test_line_ends_and_the_rest_of_the_text_stay(tmp_path: Path) -> None:
    text = SAVED.replace("\n", "\r\n").rstrip()
    async with editor(tmp_path, able(), UNSAFE) as client:
        uri = open_file(client, tmp_path / "a.py", text)
        (all_of_them,) = await ask(client, uri, 0, only=["source.fixAll"])
        resolved = await client.code_action_resolve_async(all_of_them)
    assert applied(resolved.edit, uri, text, version=1) == MENDED.replace("\n", "\r\n").rstrip()


async def test_only_what_is_asked_for_is_offered(tmp_path: Path) -> None:
    async with editor(tmp_path, able(), UNSAFE) as client:
        uri = open_file(client, tmp_path / "a.py", SAVED)
        assert await ask(client, uri, 4, only=["refactor"]) == []
        quick = await ask(client, uri, 4, only=["quickfix"])
        assert {one.kind for one in quick} == {types.CodeActionKind.QuickFix}
        assert await ask(client, uri, 1, only=["quickfix"]) == []
