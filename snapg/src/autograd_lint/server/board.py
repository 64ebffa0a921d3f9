"""The diagnostics that are to be shown, by the program whose check found them."""

from collections.abc import Callable
from hashlib import sha256

from lsprotocol import types
from pygls.workspace import PositionCodec

from autograd_lint.server.checking import Result
from autograd_lint.server.diagnostics import by_uri
from autograd_lint.server.editor import Editor


class Board:
    """Knows what every document is to show; what is found in an imported file is shown there."""

    def __init__(self, editor: Editor, codec: Callable[[], PositionCodec]) -> None:
        self._editor = editor
        self._codec = codec
        self._found: dict[str, dict[str, list[types.Diagnostic]]] = {}
        self._results: dict[str, Result] = {}

    def told(self, uri: str, result: Result | None) -> None:
        """Take over the new result of a program, None when it was closed; push what it changes."""
        before = self._found.pop(uri, {})
        self._results.pop(uri, None)
        after: dict[str, list[types.Diagnostic]] = {}
        if result is not None:
            self._results[uri] = result
            after = self._found[uri] = by_uri(result, self._codec())
            for trouble in result.troubles:
                self._editor.show(trouble)
        versions = self._versions()
        if not self._editor.pulls:
            for one in before | after:
                self._editor.publish(one, self._shown(one), versions.get(one))

    def stale(self) -> None:
        """Other results are being made anew: an editor that asks for them is to ask again."""
        self._editor.refresh()

    def report(self, uri: str, document: str, known: str | None) -> types.DocumentDiagnosticReport:
        """The answer for a document of the program `uri`, where the editor knows that of `known`.

        Beside it stands what the program's check found in files that it leads to.
        """
        found = self._shown(document)
        name = sha256(repr(found).encode(errors="backslashreplace")).hexdigest()
        others = None
        if self._editor.can("text_document.diagnostic.related_document_support"):
            others = self._elsewhere(uri)
        if name == known:
            return types.RelatedUnchangedDocumentDiagnosticReport(name, others)
        return types.RelatedFullDocumentDiagnosticReport(found, others, result_id=name)

    def _elsewhere(
        self, uri: str
    ) -> dict[str, types.FullDocumentDiagnosticReport | types.UnchangedDocumentDiagnosticReport]:
        others = self._found.get(uri, {}).keys() - self._versions().keys()
        return {one: types.FullDocumentDiagnosticReport(self._shown(one)) for one in others}

    def _versions(self) -> dict[str, int | None]:
        """The versions of the open documents, as they were checked."""
        parts = [part for result in self._results.values() for part in result.program.parts]
        return {part.uri: part.version for part in parts}

    def _shown(self, document: str) -> list[types.Diagnostic]:
        """The diagnostics of a document, from every program that leads to it, each once."""
        shown: list[types.Diagnostic] = []
        for found in self._found.values():
            shown.extend(one for one in found.get(document, ()) if one not in shown)
        return shown
