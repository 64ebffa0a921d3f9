"""One session with an editor: what it tells and asks, and the answers."""

import os
from functools import partial

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.workspace import PositionCodec, Workspace

from autograd_lint.errors import Trouble
from autograd_lint.findings import Finding
from autograd_lint.server import preferences, programs
from autograd_lint.server.actions import Client, actions, fixable, fixing_all, proven
from autograd_lint.server.board import Board
from autograd_lint.server.checking import Checking, Result
from autograd_lint.server.configuring import NAMES, Configuration
from autograd_lint.server.desk import PAUSE, Desk
from autograd_lint.server.editor import Editor
from autograd_lint.server.hover import hover
from autograd_lint.server.preferences import Preferences
from autograd_lint.server.wire import end_with


class Session:
    """Answers one editor. `shut_down` tells whether it asked to end, as it should before `exit`."""

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self._editor = Editor(server)
        self._configuration = Configuration()
        self._board = Board(self._editor, lambda: self._codec)
        self._desk = Desk(lambda: self._workspace, Checking(self._configuration), self._board)
        self._given: object = None
        self._tried: tuple[Result, tuple[Finding, ...], Result] | None = None
        self.shut_down = False

    @property
    def _workspace(self) -> Workspace:
        return self._server.workspace

    @property
    def _codec(self) -> PositionCodec:
        return self._workspace.position_codec

    @property
    def _client(self) -> Client:
        versions = self._editor.can("workspace.workspace_edit.document_changes")
        return Client(self._codec, versions, self._configuration.preferences.unsafe_fixes)

    def initialize(self, params: types.InitializeParams) -> None:
        """The editor's greeting, with the settings it was started with."""
        self._given = params.initialization_options
        if params.process_id is not None:
            end_with(params.process_id, lambda: os._exit(1))

    async def initialized(self, params: types.InitializedParams) -> None:
        """The editor can be asked from now on."""
        self._editor.watch()
        await self._configure(None)

    async def did_change_configuration(self, params: types.DidChangeConfigurationParams) -> None:
        """The editor's settings have changed."""
        await self._configure(params.settings)

    async def _configure(self, told: object) -> None:
        asked = await self._editor.settings()
        try:
            wanted = preferences.read(asked or told or self._given)
        except Trouble as trouble:
            self._editor.show(str(trouble))
            wanted = Preferences()
        if wanted != self._configuration.preferences:
            self._configuration.preferences = wanted
            self._desk.touch_all()

    def did_change_watched_files(self, params: types.DidChangeWatchedFilesParams) -> None:
        """Files changed on disk."""
        changed = [programs.filename_of(event.uri) for event in params.changes]
        if any(name.endswith(NAMES) for name in changed):
            self._desk.touch_all()
        for name in changed:
            self._desk.touch_importers(name)

    def did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """A file was opened."""
        self._desk.touch(params.text_document.uri, 0)

    def did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """A text changed, not yet on disk."""
        self._changed(params.text_document.uri)

    def did_save(self, params: types.DidSaveTextDocumentParams) -> None:
        """A text was written to disk."""
        if params.text_document.uri.endswith(NAMES):
            self._desk.touch_all()
        elif self._configuration.preferences.run == "save":
            self._desk.touch(params.text_document.uri, 0)

    def did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """A file was closed."""
        self._desk.close(params.text_document.uri)

    def did_open_notebook(self, params: types.DidOpenNotebookDocumentParams) -> None:
        """A notebook was opened."""
        self._desk.touch(params.notebook_document.uri, 0)

    def did_change_notebook(self, params: types.DidChangeNotebookDocumentParams) -> None:
        """Cells changed, came, went or moved."""
        self._changed(params.notebook_document.uri)

    def did_save_notebook(self, params: types.DidSaveNotebookDocumentParams) -> None:
        """A notebook was written to disk."""
        if self._configuration.preferences.run == "save":
            self._desk.touch(params.notebook_document.uri, 0)

    def did_close_notebook(self, params: types.DidCloseNotebookDocumentParams) -> None:
        """A notebook was closed."""
        self._desk.close(params.notebook_document.uri)

    def _changed(self, uri: str) -> None:
        if self._configuration.preferences.run == "type":
            self._desk.touch(uri, 0 if self._editor.pulls else PAUSE)

    async def diagnostic(
        self, params: types.DocumentDiagnosticParams
    ) -> types.DocumentDiagnosticReport:
        """The diagnostics of a document as it stands."""
        uri = programs.home_of(self._workspace, params.text_document.uri)
        if self._configuration.preferences.run == "type" or not self._desk.knows(uri):
            await self._desk.newest(uri)
        return self._board.report(uri, params.text_document.uri, params.previous_result_id)

    async def code_action(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        """What can be done about the findings in a range."""
        uri = params.text_document.uri
        result = await self._desk.newest(programs.home_of(self._workspace, uri))
        part = result.program.part(uri) if result else None
        if result is None or part is None:
            return []
        wanted = fixable(result, part, params, self._client)
        if wanted:
            result = await self._proven(result, wanted)
        found = list(actions(result, part, params, self._client))
        if self._editor.resolves_edits:
            return found
        return [one if one.edit else await self.resolve(one) for one in found]

    async def _proven(self, result: Result, wanted: tuple[Finding, ...]) -> Result:
        """The result with those fixes of some findings that hold; asked again it is as before."""
        if self._tried is None or self._tried[0] is not result or self._tried[1] != wanted:
            recheck = partial(self._desk.checking.findings_in, result.program)
            work = partial(proven, result, wanted, recheck)
            self._tried = result, wanted, await self._desk.in_thread(work)
        return self._tried[2]

    async def resolve(self, action: types.CodeAction) -> types.CodeAction:
        """The action with its edit, which was left for later."""
        result = await self._desk.newest(action.data["uri"]) if action.data else None
        if result is not None:
            recheck = partial(self._desk.checking.findings_in, result.program)
            work = partial(fixing_all, result, recheck, self._client)
            action.edit = await self._desk.in_thread(work)
        return action

    async def hover(self, params: types.HoverParams) -> types.Hover | None:
        """The pages of the rules that a position speaks of."""
        uri = params.text_document.uri
        result = await self._desk.newest(programs.home_of(self._workspace, uri))
        part = result.program.part(uri) if result else None
        if result is None or part is None:
            return None
        return hover(result, part, params.position, self._codec)

    def shutdown(self, params: None) -> None:
        """The editor is about to end the server."""
        self.shut_down = True
        self.stop()

    def stop(self) -> None:
        """Drop what is under way."""
        self._desk.stop()
