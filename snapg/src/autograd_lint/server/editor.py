"""The other side: what the editor can do, and what is told to it."""

from collections.abc import Sequence

from lsprotocol import types
from pygls.capabilities import get_capability
from pygls.lsp.server import LanguageServer

from autograd_lint.server.configuring import NAMES
from autograd_lint.server.preferences import SECTION


class Editor:
    """The editor behind a server that is initialized."""

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self._shown: set[str] = set()

    def can(self, capability: str) -> bool:
        """Whether the editor has a capability, by its dotted path."""
        return bool(get_capability(self._server.client_capabilities, capability))

    @property
    def pulls(self) -> bool:
        """Whether it asks for diagnostics, so that they need not be pushed."""
        return self.can("text_document.diagnostic")

    @property
    def resolves_edits(self) -> bool:
        """Whether the edit of a code action may be left for later."""
        later = get_capability(
            self._server.client_capabilities,
            "text_document.code_action.resolve_support.properties",
            [],
        )
        return "edit" in later

    def publish(self, uri: str, found: Sequence[types.Diagnostic], version: int | None) -> None:
        """Push the diagnostics of a document."""
        self._server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri, found, version)
        )

    def refresh(self) -> None:
        """Let an editor that asks for diagnostics ask anew."""
        if self.pulls and self.can("workspace.diagnostics.refresh_support"):
            self._server.workspace_diagnostic_refresh(None)

    def show(self, trouble: str) -> None:
        """Show what went wrong, each trouble once."""
        if trouble not in self._shown:
            self._shown.add(trouble)
            message = f"autograd-lint: {trouble}"
            self._server.window_show_message(
                types.ShowMessageParams(types.MessageType.Warning, message)
            )

    async def settings(self) -> object:
        """The editor's settings for this server, None where it cannot be asked for them."""
        if not self.can("workspace.configuration"):
            return None
        asked = types.ConfigurationParams([types.ConfigurationItem(section=SECTION)])
        found = await self._server.workspace_configuration_async(asked)
        return found[0] if found else None

    def watch(self) -> None:
        """Ask to be told when settings, configuration files or Python files change."""
        wanted = []
        if self.can("workspace.did_change_watched_files.dynamic_registration"):
            globs = ("**/*.py", *(f"**/{name}" for name in NAMES))
            watchers = [types.FileSystemWatcher(glob) for glob in globs]
            options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
            wanted.append(_registration(types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options))
        if self.can("workspace.did_change_configuration.dynamic_registration"):
            wanted.append(_registration(types.WORKSPACE_DID_CHANGE_CONFIGURATION, None))
        if wanted:
            self._server.client_register_capability(types.RegistrationParams(wanted))


def _registration(method: str, options: object) -> types.Registration:
    return types.Registration(f"autograd-lint {method}", method, options)
