"""Diagnostics: what they hold, pushed and pulled."""

from pathlib import Path

import pytest
from lsprotocol import types
from tests.fakes import write_tree
from tests.server.editors import LOSS, SILENT, capabilities, change, editor, open_file, pull, pushed

pytestmark = pytest.mark.asyncio

SAVED = """\
import torch

x = torch.ones(3, requires_grad=True)
h = torch.sigmoid(x)
{}h += 1
h.sum().backward()
"""


async def test_a_finding_is_pushed(tmp_path: Path) -> None:
    async with editor(tmp_path) as client:
        (found,) = await pushed(client, open_file(client, tmp_path / "a.py", LOSS))
    assert (found.code, found.source) == ("AG101", "autograd-lint")
    assert found.severity == types.DiagnosticSeverity.Error
    assert str(found.range) == "3:0-3:1"
    assert found.message.startswith("`w` is a leaf that requires grad, and is modified in place\n")
    assert "\nhelp: " in found.message


async def test_the_other_places_are_related_information(tmp_path: Path) -> None:
    async with editor(tmp_path) as client:
        uri = open_file(client, tmp_path / "a.py", SAVED.format(""))
        (found,) = await pushed(client, uri)
    assert found.code == "AG103"
    related = [
        (one.location.uri, str(one.location.range), one.message)
        for one in found.related_information or ()
    ]
    assert related == [
        (uri, "3:4-3:20", "`sigmoid` saves its result here"),
        (uri, "5:0-5:18", "`backward()` needs it here"),
    ]


@pytest.mark.parametrize(
    ("encodings", "column"),
    [(None, 12), (["utf-16"], 12), (["utf-32"], 11), (["utf-8"], 17)],
)
async def test_columns_count_what_the_editor_counts(
    tmp_path: Path, encodings: list[str] | None, column: int
) -> None:
    general = types.GeneralClientCapabilities(position_encodings=encodings)  # type: ignore[arg-type]
    async with editor(tmp_path, capabilities(general=general)) as client:
        text = SAVED.format('s = "é𝔻€"; ')
        (found,) = await pushed(client, open_file(client, tmp_path / "a.py", text))
    assert (found.range.start.line, found.range.start.character) == (4, column)


async def test_a_form_feed_ends_no_line(tmp_path: Path) -> None:
    text = LOSS.replace("\n\n", "\n\x0c\n# \u2028\n")
    async with editor(tmp_path) as client:
        (found,) = await pushed(client, open_file(client, tmp_path / "a.py", text))
    assert found.range.start.line == 4


async def test_what_cannot_be_parsed_is_a_finding(tmp_path: Path) -> None:
    async with editor(tmp_path) as client:
        uri = open_file(client, tmp_path / "a.py", LOSS + "x = (\n")
        (found,) = await pushed(client, uri)
    assert (found.code, found.range.start.line) == ("AG901", 4)


async def test_a_new_buffer_is_checked(tmp_path: Path) -> None:
    async with editor(tmp_path) as client:
        uri = "untitled:Untitled-1"
        item = types.TextDocumentItem(uri, "python", 1, LOSS)
        client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        (found,) = await pushed(client, uri)
    assert found.code == "AG101"


async def test_closing_takes_the_findings_away(tmp_path: Path) -> None:
    async with editor(tmp_path) as client:
        uri = open_file(client, tmp_path / "a.py", LOSS)
        assert await pushed(client, uri)
        closed = types.TextDocumentIdentifier(uri)
        client.text_document_did_close(types.DidCloseTextDocumentParams(closed))
        assert await pushed(client, uri) == []


HELPER = "def bump(t):\n    t.mul_(2)\n"
CALLER = "import torch\nfrom helper import bump\n\nw = torch.ones(3, requires_grad=True)\nbump(w)\n"


async def test_a_finding_in_an_imported_file_is_shown_there(tmp_path: Path) -> None:
    write_tree(tmp_path, {"pyproject.toml": "", "helper.py": HELPER, "caller.py": CALLER})
    text = SAVED.format("").replace("h += 1", "bump(h)").replace("\n", "\nimport helper\n", 1)
    async with editor(tmp_path) as client:
        caller = open_file(client, tmp_path / "caller.py", text.replace("bump", "helper.bump"))
        (found,) = await pushed(client, (tmp_path / "helper.py").as_uri())
    assert (found.code, found.range.start.line) == ("AG103", 1)
    assert [one.location.uri for one in found.related_information or ()] == [caller, caller]


async def test_what_an_importer_on_disk_shows_in_an_open_file_is_told_there(tmp_path: Path) -> None:
    write_tree(tmp_path, {"pyproject.toml": "", "helper.py": HELPER, "caller.py": CALLER})
    async with editor(tmp_path) as client:
        helper = open_file(client, tmp_path / "helper.py", HELPER)
        assert await pushed(client, helper) == []
        assert [one.code for one in await pushed(client, helper)] == ["AG101"]
        write_tree(tmp_path, {"caller.py": CALLER.replace("bump(w)", "bump(w.detach() + 1)")})
        caller = (tmp_path / "caller.py").as_uri()
        told = [types.FileEvent(caller, types.FileChangeType.Changed)]
        client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(told))
        assert await pushed(client, helper) == []


async def test_imports_see_the_unsaved_text_of_other_files(tmp_path: Path) -> None:
    write_tree(tmp_path, {"pyproject.toml": "", "helper.py": HELPER, "caller.py": CALLER})
    async with editor(tmp_path) as client:
        helper = open_file(client, tmp_path / "helper.py", HELPER)
        assert await pushed(client, helper) == []
        open_file(client, tmp_path / "caller.py", CALLER)
        assert [one.code for one in await pushed(client, helper)] == ["AG101"]
        change(client, helper, HELPER.replace("t.mul_", "print"), 2)
        assert [one.code for one in await pushed(client, helper, 2)] == ["AG101"]
        assert await pushed(client, helper, 2) == []


async def test_imports_see_what_changed_on_disk(tmp_path: Path) -> None:
    write_tree(tmp_path, {"pyproject.toml": "", "helper.py": HELPER, "caller.py": CALLER})
    async with editor(tmp_path) as client:
        open_file(client, tmp_path / "caller.py", CALLER)
        helper = (tmp_path / "helper.py").as_uri()
        assert await pushed(client, helper)
        write_tree(tmp_path, {"helper.py": HELPER.replace("t.mul_", "print")})
        told = [types.FileEvent(helper, types.FileChangeType.Changed)]
        client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(told))
        assert await pushed(client, helper) == []


async def test_diagnostics_are_pulled_by_an_editor_that_pulls(tmp_path: Path) -> None:
    async with editor(tmp_path, capabilities(pulls=True)) as client:
        uri = open_file(client, tmp_path / "a.py", LOSS)
        first = await pull(client, uri)
        assert isinstance(first, types.RelatedFullDocumentDiagnosticReport)
        assert [one.code for one in first.items] == ["AG101"]
        again = await pull(client, uri, first.result_id)
        assert isinstance(again, types.RelatedUnchangedDocumentDiagnosticReport)
        assert again.result_id == first.result_id
        change(client, uri, SILENT, 2)
        mended = await pull(client, uri, first.result_id)
        assert isinstance(mended, types.RelatedFullDocumentDiagnosticReport)
        assert list(mended.items) == []
        assert client.reports == []


async def test_a_pulled_report_holds_the_findings_in_imported_files(tmp_path: Path) -> None:
    write_tree(tmp_path, {"pyproject.toml": "", "helper.py": HELPER, "caller.py": CALLER})
    async with editor(tmp_path, capabilities(pulls=True)) as client:
        report = await pull(client, open_file(client, tmp_path / "caller.py", CALLER))
    (other,) = (report.related_documents or {}).items()
    assert other[0] == (tmp_path / "helper.py").as_uri()
    assert isinstance(other[1], types.FullDocumentDiagnosticReport)
    assert [one.code for one in other[1].items] == ["AG101"]


async def test_findings_stay_while_a_line_above_is_being_written(tmp_path: Path) -> None:
    text = "import torch\n\nw = torch.ones(3, requires_grad=True)\nw += 1\n"
    async with editor(tmp_path) as client:
        uri = open_file(client, tmp_path / "a.py", text)
        (whole,) = await pushed(client, uri)
        change(client, uri, text.replace("\n\n", "\nx = (\n\n"), 2)
        broken, held = await pushed(client, uri, 2)
        change(client, uri, text.replace("\n\n", "\nx = (1)\n\n"), 3)
        (again,) = await pushed(client, uri, 3)
    assert (whole.range.start.line, broken.code) == (3, "AG901")
    assert (held.code, held.range.start.line) == ("AG101", 4)
    assert held.message == f"{whole.message}\nfound before the syntax error"
    assert again.message == whole.message


async def test_what_was_found_on_a_line_that_is_being_written_goes(tmp_path: Path) -> None:
    text = "import torch\nw = torch.ones(3, requires_grad=True)\nw += 1\n"
    async with editor(tmp_path) as client:
        uri = open_file(client, tmp_path / "a.py", text)
        assert len(await pushed(client, uri)) == 1
        change(client, uri, text.replace("w += 1", "w += ("), 2)
        assert [one.code for one in await pushed(client, uri, 2)] == ["AG901"]
