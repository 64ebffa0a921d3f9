"""The server on standard input and output, from its start to its exit code."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from threading import Event
from typing import BinaryIO, cast

from lsprotocol import types
from pygls.io_ import StdinAsyncReader, StdoutWriter, run_async
from pygls.lsp.server import LanguageServer

from autograd_lint.addresses import VERSION
from autograd_lint.checking.garbage import tune_collector
from autograd_lint.server.actions import FIX_ALL
from autograd_lint.server.session import Session
from autograd_lint.server.wire import Input, Protocol

_UNTIDY = 500_000  # objects that a check may leave behind until it is over
_INTERRUPTED = 2


def make() -> tuple[LanguageServer, Session]:
    """A server, and the session that answers for it."""
    server = LanguageServer(
        "autograd-lint",
        VERSION,
        protocol_cls=Protocol,
        # Whole texts: pygls counts lines at form feeds and the like, where editors do not.
        text_document_sync_kind=types.TextDocumentSyncKind.Full,
        notebook_document_sync=types.NotebookDocumentSyncOptions(
            [types.NotebookDocumentFilterWithCells([types.NotebookCellLanguage("python")])],
            save=True,
        ),
    )
    session = Session(server)
    _wire(server, session)
    return server, session


def _wire(server: LanguageServer, session: Session) -> None:
    pulled = types.DiagnosticOptions(
        inter_file_dependencies=True, workspace_diagnostics=False, identifier="autograd-lint"
    )
    kinds = types.CodeActionOptions([types.CodeActionKind.QuickFix, FIX_ALL], resolve_provider=True)
    options = {types.TEXT_DOCUMENT_DIAGNOSTIC: pulled, types.TEXT_DOCUMENT_CODE_ACTION: kinds}
    answers: dict[str, Callable[..., object]] = {
        types.INITIALIZE: session.initialize,
        types.INITIALIZED: session.initialized,
        types.SHUTDOWN: session.shutdown,
        types.WORKSPACE_DID_CHANGE_CONFIGURATION: session.did_change_configuration,
        types.WORKSPACE_DID_CHANGE_WATCHED_FILES: session.did_change_watched_files,
        types.TEXT_DOCUMENT_DID_OPEN: session.did_open,
        types.TEXT_DOCUMENT_DID_CHANGE: session.did_change,
        types.TEXT_DOCUMENT_DID_SAVE: session.did_save,
        types.TEXT_DOCUMENT_DID_CLOSE: session.did_close,
        types.NOTEBOOK_DOCUMENT_DID_OPEN: session.did_open_notebook,
        types.NOTEBOOK_DOCUMENT_DID_CHANGE: session.did_change_notebook,
        types.NOTEBOOK_DOCUMENT_DID_SAVE: session.did_save_notebook,
        types.NOTEBOOK_DOCUMENT_DID_CLOSE: session.did_close_notebook,
        types.TEXT_DOCUMENT_DIAGNOSTIC: session.diagnostic,
        types.TEXT_DOCUMENT_CODE_ACTION: session.code_action,
        types.CODE_ACTION_RESOLVE: session.resolve,
        types.TEXT_DOCUMENT_HOVER: session.hover,
    }
    for method, answer in answers.items():
        # pygls marks what it is given, and a bound method cannot be marked.
        server.feature(method, options.get(method))(partial(answer))


def serve() -> int:
    """Serve on standard input and output until the editor says `exit`, or is gone.

    Returns 0 after an orderly end and 1 after any other, as the protocol wants it. Does not return
    on Ctrl-C: the process ends there and then.
    """
    server, session = make()
    tune_collector(_UNTIDY)
    reading = ThreadPoolExecutor(1, "read")
    stdout = _own_stdout()
    server.protocol.set_writer(StdoutWriter(stdout))
    before = signal.getsignal(signal.SIGINT)
    try:
        asyncio.run(_exchange(server, reading))
    except SystemExit:
        pass  # how pygls answers `exit`
    finally:
        signal.signal(signal.SIGINT, before)
        session.stop()
        reading.shutdown(wait=False)
        with suppress(BrokenPipeError):
            stdout.close()
    return 0 if session.shut_down else 1


async def _exchange(server: LanguageServer, reading: ThreadPoolExecutor) -> None:
    """Answer messages until standard input ends."""
    loop, protocol = asyncio.get_running_loop(), server.protocol
    assert isinstance(protocol, Protocol)
    _listen_for_ctrl_c(loop)

    def refuse(why: str) -> None:
        loop.call_soon_threadsafe(partial(protocol.refuse, why))

    incoming = Input(sys.stdin.buffer, refuse)
    reader = StdinAsyncReader(cast(BinaryIO, incoming), reading)
    await run_async(Event(), reader, protocol, None, server.report_server_error)


def _listen_for_ctrl_c(loop: asyncio.AbstractEventLoop) -> None:
    """Have Ctrl-C end the process, whether the loop runs an answer or waits for a message.

    A handler of `signal` alone interrupts an answer, but not the wait that begins in the moment the
    signal comes: Python runs handlers between two instructions. One of the loop alone ends a wait,
    but is called between two answers. On Windows the loop wakes for signals by itself.
    """
    with suppress(NotImplementedError):
        loop.add_signal_handler(signal.SIGINT, _end_at_once)
    signal.signal(signal.SIGINT, _end_at_once)


def _end_at_once(*_: object) -> None:
    """Ctrl-C: the thread that waits for input cannot be woken, and Python would wait for it."""
    os.write(2, b"autograd-lint: interrupted\n")
    os._exit(_INTERRUPTED)


def _own_stdout() -> BinaryIO:
    """Standard output for the protocol alone; what anybody prints goes to standard error."""
    sys.stdout.flush()
    own = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return own
