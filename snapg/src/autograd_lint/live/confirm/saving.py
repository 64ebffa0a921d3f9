"""Witnesses as files to run, with what they showed behind their last line."""

from __future__ import annotations

from collections.abc import Collection
from itertools import count
from pathlib import Path

from autograd_lint.errors import Trouble
from autograd_lint.findings import Confirmation, Finding
from autograd_lint.project.reading import UNREADABLE, decode

_MARK = "# A witness of autograd-lint: "


def save(finding: Finding, folder: Path, written: Collection[Path | None] = ()) -> Path | None:
    """Write the witness of a finding into a folder; None where nothing could be run.

    Rows stay those of the witness. Those that are `written` already are let alone. Raises Trouble
    where it cannot be written, or where a file of this name is none of ours.
    """
    confirmation = finding.confirmation
    text = None if confirmation is None else _source(confirmation)
    if confirmation is None or text is None:
        return None
    place = finding.place
    name = f"{finding.code}_{Path(place.filename).stem}_{place.row}"
    names = (f"{name}.py" if number == 1 else f"{name}_{number}.py" for number in count(1))
    target = next(folder / one for one in names if folder / one not in written)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if target.exists() and _MARK not in target.read_text(encoding="utf-8", errors="replace"):
            raise Trouble(f"--save-witnesses: {target} is there already, and no witness")
        told = "".join(f"# {line}\n" for line in _told(finding, confirmation))
        target.write_text(f"{text.rstrip()}\n\n{_MARK}{told[2:]}", encoding="utf-8")
    except OSError as error:
        raise Trouble(f"--save-witnesses {folder}: cannot be written ({error.strerror})") from None
    return target


def _source(confirmation: Confirmation) -> str | None:
    """The program that was run: the witness itself, or the file that it names."""
    witness = confirmation.witness
    if witness is None or "\n" in witness:
        return witness
    try:
        return decode(Path(witness).read_bytes(), witness).text
    except (OSError, *UNREADABLE):
        return None


def _told(finding: Finding, confirmation: Confirmation) -> list[str]:
    place = finding.place
    lines = [f"{finding.code} {finding.message} ({Path(place.filename).name}:{place.row})"]
    lines.append(f"{confirmation.verdict} by torch {confirmation.torch} on {confirmation.device}")
    lines += [confirmation.reason or "", *(confirmation.error or "").splitlines()[:1]]
    lines += [f"assuming: {one}" for one in confirmation.assumptions]
    return [line for line in lines if line]
