"""Work is dropped when the text moves on."""

from pathlib import Path

import pytest
from lsprotocol import types
from tests.server.editors import LOSS, SILENT, capabilities, change, editor, open_file, pull, pushed


@pytest.mark.asyncio
async def test_of_many_changes_the_last_is_told(tmp_path: Path) -> None:
    async with editor(tmp_path) as client:
        uri = open_file(client, tmp_path / "a.py", LOSS)
        assert await pushed(client, uri, 1)
        for version in range(2, 30):
            change(client, uri, f"# {version}\n{LOSS}", version)
        change(client, uri, SILENT, 30)
        assert await pushed(client, uri, 30) == []
        assert len(client.reports) < 5


@pytest.mark.asyncio
async def test_an_answer_is_about_the_newest_text(tmp_path: Path) -> None:
    async with editor(tmp_path, capabilities(pulls=True)) as client:
        uri = open_file(client, tmp_path / "a.py", SILENT)
        asked = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri))
        answer = client.text_document_diagnostic_async(asked)
        change(client, uri, LOSS, 2)
        report = await answer
    assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
    assert [one.code for one in report.items] == ["AG101"]


@pytest.mark.asyncio
async def test_a_question_may_be_withdrawn(tmp_path: Path) -> None:
    async with editor(tmp_path, capabilities(pulls=True)) as client:
        uri = open_file(client, tmp_path / "a.py", LOSS)
        params = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri))
        method = types.TEXT_DOCUMENT_DIAGNOSTIC
        asked = client.protocol.send_request(method, params, msg_id="withdrawn")
        client.protocol.notify(types.CANCEL_REQUEST, types.CancelParams("withdrawn"))
        report = await pull(client, uri)
        assert asked.done()
    assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
    assert [one.code for one in report.items] == ["AG101"]
