"""What was found in files that have not changed since: one small database beside the configuration.

A result is good while the file has the same content, every file that its imports asked for is as it
was (or still missing), and settings, Python and this package are the same.
"""

import json
import os
import sqlite3
import sys
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

from autograd_lint.check import Checked
from autograd_lint.findings import Certainty, Edit, Finding, Fix, Prediction, Related, Severity
from autograd_lint.places import Place
from autograd_lint.project.stamps import Stamp, stamp_of


class Cache:
    """Results by file. Whatever goes wrong with the database, the files are checked anew."""

    def __init__(self, folder: Path, *settings: object) -> None:
        """Keep results in `folder`, for these `settings` (their `repr` tells them apart)."""
        self._folder = folder
        self._kind = repr((settings, sys.version, _package_stamp()))
        self._known = self._read()
        self._keys: dict[str, str] = {}
        self._fresh: list[tuple[str, str, str]] = []
        self._stamps: dict[str, Stamp] = {}

    def get(self, filename: str, data: bytes) -> Checked | None:
        """The result for a file with this content, if it is still good."""
        self._keys[filename] = key = self._key(data)
        found = self._known.get(filename)
        if found is None or found[0] != key:
            return None
        try:
            record = json.loads(found[1])
            if all(self._stamp(path) == (path, *rest) for path, *rest in record["trail"]):
                return _checked(filename, record)
        except (ValueError, KeyError, TypeError):
            pass
        return None

    def put(self, checked: Checked) -> None:
        """Remember the result for a file that was asked for in vain; not a trouble."""
        key = self._keys.get(checked.filename)
        if key and not checked.trouble:
            self._fresh.append((checked.filename, key, json.dumps(_record(checked))))

    def write(self) -> None:
        """Write what is new to the database, in one transaction."""
        if not self._fresh:
            return
        try:
            self._make_folder()
            with sqlite3.connect(self._path, timeout=2) as database:
                database.execute(
                    "CREATE TABLE IF NOT EXISTS results"
                    " (file TEXT PRIMARY KEY, key TEXT, record TEXT)"
                )
                database.executemany("INSERT OR REPLACE INTO results VALUES (?, ?, ?)", self._fresh)
            database.close()
        except (OSError, sqlite3.Error, UnicodeError):
            return

    @property
    def _path(self) -> Path:
        return self._folder / "results.sqlite"

    def _make_folder(self) -> None:
        if not self._folder.is_dir():
            self._folder.mkdir(parents=True)
            (self._folder / ".gitignore").write_text("*\n", encoding="utf-8")

    def _read(self) -> dict[str, tuple[str, str]]:
        if not self._path.is_file():
            return {}
        try:
            database = sqlite3.connect(f"{self._path.absolute().as_uri()}?mode=ro", uri=True)
            rows = database.execute("SELECT file, key, record FROM results").fetchall()
            database.close()
        except (sqlite3.DatabaseError, UnicodeError):
            self._path.unlink(missing_ok=True)
            return {}
        return {file: (key, record) for file, key, record in rows}

    def _key(self, data: bytes) -> str:
        return sha256(self._kind.encode(errors="backslashreplace") + b"\0" + data).hexdigest()

    def _stamp(self, path: str) -> Stamp:
        if path not in self._stamps:
            self._stamps[path] = stamp_of(path)
        return self._stamps[path]


def _package_stamp() -> list[Stamp]:
    """The files of this package: an editable installation changes without its version."""
    root = os.path.dirname(os.path.abspath(__file__))
    found = []
    for folder, _, names in os.walk(root):
        found += [os.path.join(folder, n) for n in names if n.endswith((".py", ".json"))]
    return sorted(map(stamp_of, found))


def _record(checked: Checked) -> dict[str, Any]:
    findings = [asdict(finding) for finding in checked.findings]
    for finding in findings:
        finding["severity"] = finding["severity"].value
        finding["certainty"] = finding["certainty"].value
    return {
        "findings": findings,
        "suppressed": checked.suppressed,
        "used": checked.used,
        "trail": checked.trail,
    }


def _checked(filename: str, record: dict[str, Any]) -> Checked:
    findings = tuple(_finding(one) for one in record["findings"])
    used = tuple((name, row, column) for name, row, column in record["used"])
    return Checked(filename, findings, suppressed=record["suppressed"], used=used)


def _finding(record: dict[str, Any]) -> Finding:
    fix, predicts = record["fix"], record["predicts"]
    restored = {
        "place": Place(**record["place"]),
        "severity": Severity(record["severity"]),
        "certainty": Certainty(record["certainty"]),
        "assumptions": tuple(record["assumptions"]),
        "related": tuple(
            Related(other["role"], other["message"], Place(**other["place"]))
            for other in record["related"]
        ),
        "predicts": Prediction(**predicts) if predicts else None,
        "fix": _fix(fix) if fix else None,
    }
    return Finding(**{**record, **restored})


def _fix(record: dict[str, Any]) -> Fix:
    edits = tuple(Edit(edit["content"], Place(**edit["place"])) for edit in record["edits"])
    return Fix(record["applicability"], record["message"], edits)
