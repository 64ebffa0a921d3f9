"""What is open in the editor as the programs to check: a file, or a notebook with its cells."""

import io
import json
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import unquote

from lsprotocol import types
from pygls.uris import to_fs_path
from pygls.workspace import TextDocument, Workspace

from autograd_lint.fixes.editing import Document
from autograd_lint.project import notebooks
from autograd_lint.project.source import Source

LANGUAGES = ("python",)


@dataclass(frozen=True)
class Part:
    """A text document as it stands: a file, or a code cell with its number among all cells.

    `name` is what findings call it.
    """

    uri: str
    name: str
    text: str
    version: int | None
    number: int = 0

    @cached_property
    def lines(self) -> list[str]:
        """Its lines, without their ends."""
        return Source(self.name, self.text).lines


@dataclass(frozen=True)
class Program:
    """What is checked as one: a file of one part, or the code cells of a notebook in order."""

    uri: str
    filename: str
    parts: tuple[Part, ...]
    is_notebook: bool = False

    @property
    def torch(self) -> bool:
        """The gate: without this word it holds nothing for autograd."""
        return any("torch" in part.text for part in self.parts)

    def part(self, uri: str) -> Part | None:
        """The part that the editor calls `uri`."""
        return next((part for part in self.parts if part.uri == uri), None)

    def named(self, name: str) -> Part | None:
        """The part that findings call `name`."""
        return next((part for part in self.parts if part.name == name), None)

    def data(self) -> bytes:
        """The program as the bytes of a file: a notebook without outputs, a text in the encoding
        that its coding comment names. Raises SyntaxError, LookupError or ValueError where that
        cannot be.
        """
        if self.is_notebook:
            return _notebook_of(self.parts)
        text = self.parts[0].text
        encoding, _ = tokenize.detect_encoding(io.BytesIO(text.encode()).readline)
        return text.encode(encoding)

    def texts(self, data: bytes) -> list[str]:
        """The texts of the parts in other bytes for the same program."""
        if not self.is_notebook:
            return [Document.of(data).text]
        cells = json.loads(data)["cells"]
        return [cells[part.number - 1]["source"] for part in self.parts]

    def notebook(self) -> notebooks.Notebook:
        """The cells as the notebook that is checked."""
        return notebooks.of_cells(self.filename, ((part.number, part.text) for part in self.parts))


def _notebook_of(parts: Iterable[Part]) -> bytes:
    texts = {part.number: part.text for part in parts}
    cells = [
        {"cell_type": "code" if number in texts else "raw", "source": texts.get(number, "")}
        for number in range(1, max(texts, default=0) + 1)
    ]
    return json.dumps({"cells": cells}).encode()


def home_of(workspace: Workspace, uri: str) -> str:
    """The program that a document belongs to, by its URI: the notebook of a cell, else itself."""
    notebook = workspace.get_notebook_document(cell_uri=uri)
    return notebook.uri if notebook else uri


def read(workspace: Workspace, uri: str) -> Program | None:
    """The program `uri` as it stands in the editor; None for what is not open, or not Python."""
    notebook = workspace.get_notebook_document(notebook_uri=uri)
    if notebook is not None:
        filename = filename_of(notebook.uri)
        cells = tuple(_cells(workspace, notebook, filename))
        return Program(notebook.uri, filename, cells, is_notebook=True)
    document = _opened(workspace, uri)
    if document is None or document.language_id not in LANGUAGES:
        return None
    filename = filename_of(document.uri)
    part = Part(document.uri, filename, document.source, document.version)
    return Program(document.uri, filename, (part,))


def opened(workspace: Workspace) -> list[str]:
    """The URIs of all programs that are open."""
    found = dict.fromkeys(document.uri for document in workspace.notebook_documents.values())
    for document in workspace.text_documents.values():
        found.setdefault(home_of(workspace, document.uri))
    return list(found)


def _cells(workspace: Workspace, notebook: types.NotebookDocument, filename: str) -> Iterator[Part]:
    for number, cell in enumerate(notebook.cells, 1):
        document = _opened(workspace, cell.document)
        if cell.kind != types.NotebookCellKind.Code or document is None:
            continue
        if document.language_id in LANGUAGES:
            name = notebooks.Notebook(filename, ()).name(number)
            yield Part(cell.document, name, document.source, document.version, number)


def _opened(workspace: Workspace, uri: str) -> TextDocument | None:
    # `get_text_document` would read from disk what is not open.
    document: TextDocument | None = workspace.text_documents.get(unquote(uri))
    return document


def filename_of(uri: str) -> str:
    """The path of a file; what has none (a new buffer) is called by its URI."""
    path = to_fs_path(uri) if uri.startswith("file:") else None
    return path or uri
