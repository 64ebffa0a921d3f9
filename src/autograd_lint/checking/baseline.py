"""Findings that are known already: a file that records them, and what is new against it.

A finding is known by its file, its code and the text of its line, so that it stays known when lines
above it come and go.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from autograd_lint import disk
from autograd_lint.errors import Trouble
from autograd_lint.findings import Finding
from autograd_lint.project.cells import file_of

Lines = Callable[[str], Sequence[str]]
Key = tuple[str, str, str]


def write(path: Path, found: Iterable[Finding], root: Path, lines: Lines) -> None:
    """Record `found` in the baseline `path`; files are named relative to `root`."""
    counted = Counter(_key(finding, root, lines) for finding in found)
    records = [
        {"file": file, "code": code, "line": line, "count": counted[file, code, line]}
        for file, code, line in sorted(counted)
    ]
    text = json.dumps({"version": 1, "findings": records}, indent=2, ensure_ascii=False)
    try:
        path.write_text(text + "\n", encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise Trouble(f"{path}: cannot be written ({error.strerror}); choose another") from None


def new(path: Path, found: Iterable[Finding], root: Path, lines: Lines) -> list[Finding]:
    """The findings that the baseline `path` does not know; raises Trouble where it is none."""
    known = _read(path)
    fresh = []
    for finding in found:
        key = _key(finding, root, lines)
        if known[key] > 0:
            known[key] -= 1
        else:
            fresh.append(finding)
    return fresh


def _read(path: Path) -> Counter[Key]:
    try:
        records = json.loads(disk.read_text(path))["findings"]
        return Counter({(r["file"], r["code"], r["line"]): int(r["count"]) for r in records})
    except FileNotFoundError:
        raise Trouble(f"{path}: no such baseline; create it with --write-baseline") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise Trouble(f"{path}: is not a baseline; write a new one with --write-baseline") from None


def _key(finding: Finding, root: Path, lines: Lines) -> Key:
    name = Path(file_of(finding.place.filename))
    file = name.relative_to(root).as_posix() if name.is_relative_to(root) else name.as_posix()
    texts = lines(finding.place.filename)
    row = finding.place.row
    return file, finding.code, texts[row - 1].strip() if row <= len(texts) else ""
