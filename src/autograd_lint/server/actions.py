"""Code actions: mend a finding, mend all of a file, silence a line."""

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from lsprotocol import types
from pygls.workspace import PositionCodec

from autograd_lint.findings import Edit, Finding
from autograd_lint.fixes import applying
from autograd_lint.fixes.editing import Document
from autograd_lint.fixes.mending import Recheck, applicable
from autograd_lint.fixes.silencing import silencing_edits
from autograd_lint.immutable import immutable
from autograd_lint.places import Place
from autograd_lint.project import reading
from autograd_lint.project.cells import is_notebook
from autograd_lint.server.checking import Result
from autograd_lint.server.columns import touches
from autograd_lint.server.diagnostics import diagnostic, place_range, uri_in
from autograd_lint.server.programs import Part, Program

FIX_ALL = "source.fixAll.autograd-lint"
KINDS = (types.CodeActionKind.QuickFix, FIX_ALL)


@immutable
class Client:
    """What matters here of the editor: its columns, whether edits may name versions, and whether
    fixing all is to apply the unsafe fixes, too."""

    codec: PositionCodec
    versions: bool
    unsafe: bool


def actions(
    result: Result, part: Part, params: types.CodeActionParams, client: Client
) -> Iterator[types.CodeAction]:
    """The actions for the findings that touch a range, and the one that mends all in the file.

    That one has no edit yet, for it takes an analysis: see `fixing_all`.
    """
    for finding in _touched(result, part, params, client):
        yield from _quick(result, part, finding, client)
    if _asked(FIX_ALL, params.context) and _mendable(result, client):
        title = f"autograd-lint: apply all {'fixes' if client.unsafe else 'safe fixes'}"
        yield types.CodeAction(title, FIX_ALL, data={"uri": result.program.uri})


def fixable(
    result: Result, part: Part, params: types.CodeActionParams, client: Client
) -> tuple[Finding, ...]:
    """The findings whose fixes those actions would apply."""
    return tuple(one for one in _touched(result, part, params, client) if one.fix)


def _touched(
    result: Result, part: Part, params: types.CodeActionParams, client: Client
) -> Iterator[Finding]:
    """The findings in a range, if anything is to be done about each."""
    if not _asked(types.CodeActionKind.QuickFix, params.context):
        return
    for finding in result.findings:
        place = finding.place
        if place.filename != part.name:
            continue
        if touches(place_range(place, result, client.codec), params.range):
            yield finding


def proven(result: Result, wanted: Sequence[Finding], recheck: Recheck) -> Result:
    """The result without those fixes of some findings that do not hold: see `fixes.applying`."""
    program, found = result.program, result.findings
    if not _is_known(program):
        return result
    try:
        data = program.data()
    except reading.UNREADABLE:
        return result
    findings = applying.proven(data, program.filename, found, recheck, wanted)
    return replace(result, findings=findings)


def fixing_all(result: Result, recheck: Recheck, client: Client) -> types.WorkspaceEdit | None:
    """The edit of a program that applies its fixes, until there is nothing left to fix.

    None where nothing is to be fixed, or the text has characters that its encoding cannot say.
    """
    program = result.program
    try:
        data = program.data()
    except reading.UNREADABLE:
        return None
    fixed = applying.apply(data, program.filename, result.findings, recheck, client.unsafe)
    if not fixed.count:
        return None
    pairs = zip(program.parts, program.texts(fixed.data), strict=True)
    changes = [edit for part, text in pairs for edit in _changes(part, text)]
    return _workspace_edit(result, changes, client)


def _asked(kind: str, context: types.CodeActionContext) -> bool:
    """Whether a kind is wanted: kinds are prefixes, `source.fixAll` means ours too."""
    wanted = context.only
    return not wanted or any(kind == one or kind.startswith(f"{one}.") for one in wanted)


def _mendable(result: Result, client: Client) -> bool:
    fixes = any(applicable(finding, client.unsafe) for finding in result.findings)
    return fixes and _is_known(result.program)


def _is_known(program: Program) -> bool:
    """Whether it is what its name says: a notebook without a name is not."""
    return program.is_notebook == is_notebook(program.filename)


def _quick(
    result: Result, part: Part, finding: Finding, client: Client
) -> Iterator[types.CodeAction]:
    told = [diagnostic(finding, result, client.codec)]
    fix = finding.fix
    if fix is not None and applicable(finding, unsafe=True):
        safe = applicable(finding, unsafe=False)
        yield types.CodeAction(
            f"{finding.code}: {fix.message}{'' if safe else ' (unsafe)'}",
            types.CodeActionKind.QuickFix,
            told,
            is_preferred=safe,
            edit=_workspace_edit(result, fix.edits, client),
        )
    silencing = silencing_edits(Document(part.text), [finding])
    if silencing:
        here = [replace(edit, place=_at(edit.place, part.name)) for edit in silencing]
        yield types.CodeAction(
            f"{finding.code}: ignore it on this line",
            types.CodeActionKind.QuickFix,
            told,
            edit=_workspace_edit(result, here, client),
        )


def _at(place: Place, name: str) -> Place:
    return replace(place, filename=name)


def _workspace_edit(result: Result, edits: Iterable[Edit], client: Client) -> types.WorkspaceEdit:
    uri = uri_in(result)
    changes: dict[str, list[types.TextEdit]] = {}
    for edit in edits:
        at = place_range(edit.place, result, client.codec)
        changes.setdefault(uri(edit.place.filename), []).append(types.TextEdit(at, edit.content))
    if not client.versions:
        return types.WorkspaceEdit(changes=changes)
    return types.WorkspaceEdit(
        document_changes=[
            types.TextDocumentEdit(
                types.OptionalVersionedTextDocumentIdentifier(one, _version(result, one)), edits
            )
            for one, edits in changes.items()
        ]
    )


def _version(result: Result, uri: str) -> int | None:
    part = result.program.part(uri)
    return part.version if part else None


def _changes(part: Part, text: str) -> Iterator[Edit]:
    """The edits from a part to a new text, by whole lines, so that the rest is not touched."""
    before, after = (_lines(one) for one in (part.text, text))
    for kind, first, end, start, stop in SequenceMatcher(None, before, after).get_opcodes():
        if kind != "equal":
            place = Place(part.name, first + 1, 1, end + 1, 1)
            yield Edit("".join(after[start:stop]), place)


def _lines(text: str) -> list[str]:
    return io.StringIO(text, newline="").readlines()
