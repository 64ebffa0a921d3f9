"""An editor to test with: pytest-lsp's client, speaking to the server as it is started."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.protocol import default_converter
from pytest_lsp import LanguageClient

SERVER = (
    sys.executable,
    "-W",
    "error",
    "-c",
    "import sys, autograd_lint.cli as cli; sys.exit(cli.main())",
    "server",
)

SILENT = "import torch\n\nw = torch.ones(3, requires_grad=True)\n"
LOSS = SILENT + "w += 1\n"
"""A program with one finding: AG101 on its last line."""


def capabilities(pulls: bool = False, **more: object) -> types.ClientCapabilities:
    """What the editor can do; one that pulls asks for diagnostics."""
    documents = types.TextDocumentClientCapabilities(
        publish_diagnostics=types.PublishDiagnosticsClientCapabilities(related_information=True),
        diagnostic=types.DiagnosticClientCapabilities(related_document_support=True)
        if pulls
        else None,
    )
    return types.ClientCapabilities(text_document=documents, **more)  # type: ignore[arg-type]


class Client(LanguageClient):
    """The editor; `reports` are the pushed diagnostics that nobody has looked at yet, `section` its
    settings for the server."""

    def __init__(self, section: object) -> None:
        super().__init__(converter_factory=default_converter)
        self.section = section
        self.reports: list[types.PublishDiagnosticsParams] = []
        self.registered: list[types.RegistrationParams] = []
        self.refreshed: list[None] = []
        taken: dict[str, list[Any]] = {
            types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS: self.reports,
            types.WINDOW_SHOW_MESSAGE: self.messages,
            types.CLIENT_REGISTER_CAPABILITY: self.registered,
            types.WORKSPACE_DIAGNOSTIC_REFRESH: self.refreshed,
        }
        for method, told in taken.items():
            self.feature(method)(partial(list.append, told))
        self.feature(types.WORKSPACE_CONFIGURATION)(lambda asked: [self.section])


@asynccontextmanager
async def editor(
    root: Path,
    can: types.ClientCapabilities | None = None,
    settings: object = None,
    section: object = None,
) -> AsyncIterator[Client]:
    """An editor in a session with the server; the session ends in order."""
    client = Client(section)
    await client.start_io(*SERVER)
    await client.initialize_session(
        types.InitializeParams(
            capabilities=can or capabilities(),
            root_uri=root.as_uri(),
            initialization_options=settings,  # type: ignore[arg-type]
        )
    )
    try:
        yield client
    finally:
        await client.shutdown_session()
        await client.stop()


def open_file(client: Client, path: Path, text: str, version: int = 1) -> str:
    """Open a file with a text that need not be on disk; returns its URI."""
    item = types.TextDocumentItem(path.as_uri(), "python", version, text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    return path.as_uri()


def change(client: Client, uri: str, text: str, version: int) -> None:
    """Replace the text of an open file."""
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(version, uri),
            [types.TextDocumentContentChangeWholeDocument(text)],
        )
    )


async def until(condition: Callable[[], bool]) -> None:
    """Wait until something is so."""
    for _ in range(6000):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise TimeoutError("it did not come to be")


async def pushed(client: Client, uri: str, version: int | None = None) -> list[types.Diagnostic]:
    """The diagnostics that are pushed next for a document, or for a version of it."""

    def found() -> list[types.PublishDiagnosticsParams]:
        told = [report for report in client.reports if report.uri == uri]
        return [report for report in told if version in (None, report.version)]

    await until(lambda: bool(found()))
    report = found()[0]
    client.reports.remove(report)
    return list(report.diagnostics)


async def pull(
    client: Client, uri: str, known: str | None = None
) -> types.DocumentDiagnosticReport:
    """The diagnostics of a document, asked for."""
    document = types.TextDocumentIdentifier(uri)
    return await client.text_document_diagnostic_async(
        types.DocumentDiagnosticParams(document, previous_result_id=known)
    )


def applied(edit: types.WorkspaceEdit | None, uri: str, text: str, version: int) -> str:
    """The text after an edit of that version of one document, columns counted in UTF-16."""
    assert edit is not None
    (change,) = edit.document_changes or ()
    assert isinstance(change, types.TextDocumentEdit)
    assert (change.text_document.uri, change.text_document.version) == (uri, version)
    lines = text.encode("utf-16-le").split("\n".encode("utf-16-le"))
    starts = [sum(len(line) + 2 for line in lines[:row]) for row in range(len(lines))]
    data = text.encode("utf-16-le")
    for one in sorted(change.edits, key=lambda e: -starts[e.range.start.line]):
        assert isinstance(one, types.TextEdit)
        start, end = (starts[at.line] + 2 * at.character for at in (one.range.start, one.range.end))
        data = data[:start] + one.new_text.encode("utf-16-le") + data[end:]
    return data.decode("utf-16-le")
