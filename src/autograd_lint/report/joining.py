"""Reports of several runs joined to one: JSON, SARIF, baselines, and facts of runs.

What two runs both tell is told once. A finding at one place is kept in the form that is most
certain and assumes least, as one run would have chosen it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from autograd_lint.errors import Trouble
from autograd_lint.levels import Certainty
from autograd_lint.observed.calls import merged
from autograd_lint.observed.documents import observed_in, text_of

_Record = dict[str, Any]  # as a JSON document has it
_FACTS, _BASELINES, _FINDINGS, _SARIF = "recorded facts", "a baseline", "findings", "SARIF"


def joined(texts: Sequence[tuple[str, str]]) -> str:
    """One document for several of a kind; each comes with the name of its file.

    Raises Trouble for what is none of these kinds, and where they are not all of one.
    """
    documents = [(name, _document(name, text)) for name, text in texts]
    kinds = {_kind(name, one): name for name, one in documents}
    if len(kinds) > 1:
        (kind, name), (other, second), *_ = kinds.items()
        raise Trouble(f"merge: {name} holds {kind}, {second} {other}; name files of one kind")
    (kind,) = kinds
    if kind == _FACTS:
        return text_of(merged(_facts(*one) for one in texts))
    parts = [one for _, one in documents]
    try:
        return json.dumps(_JOINS[kind](parts), indent=2, ensure_ascii=False) + "\n"
    except (KeyError, TypeError, AttributeError, ValueError):
        names = ", ".join(name for name, _ in documents)
        raise Trouble(f"merge: {names}: one of them is damaged; write it again") from None


def _document(name: str, text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise Trouble(f"merge: {name}: this is not JSON; name what autograd-lint wrote") from None


def _facts(name: str, text: str) -> Any:
    try:
        return observed_in(text)
    except ValueError as error:
        raise Trouble(f"merge: {name}: {error}; record it again") from None


def _kind(name: str, document: Any) -> str:
    if isinstance(document, list):
        return _FINDINGS
    if isinstance(document, dict):
        if "runs" in document:
            return _SARIF
        if "functions" in document:
            return _FACTS
        if "findings" in document:
            return _BASELINES
    raise Trouble(
        f"merge: {name}: neither findings as JSON or SARIF, nor a baseline, nor recorded facts"
    )


def _findings(parts: Iterable[list[_Record]]) -> list[_Record]:
    found = sorted((one for part in parts for one in part), key=_worth)
    best: dict[tuple[object, ...], _Record] = {}
    for one in found:
        best.setdefault(_place(one), one)
    return [best[key] for key in sorted(best)]


def _place(finding: _Record) -> tuple[object, ...]:
    start, end = finding["location"], finding["end_location"]
    rows = (start["row"], start["column"], end["row"], end["column"])
    return (finding["filename"], finding["cell"] or 0, *rows, finding["code"])


def _worth(finding: _Record) -> tuple[object, ...]:
    """What a finding is sorted by: the one to be told of several comes first."""
    rank = Certainty(finding["certainty"]).rank
    return rank, len(finding["assumptions"]), finding["fix"] is None, json.dumps(finding)


def _sarif(parts: list[_Record]) -> _Record:
    """One log with one run: the tool of the first, and the results of all."""
    runs = [run for part in parts for run in part["runs"]]
    results = sorted((one for run in runs for one in run["results"]), key=_sarif_worth)
    best: dict[str, _Record] = {}
    for result in results:
        best.setdefault(json.dumps([result["ruleId"], result["locations"]]), result)
    invocation: _Record = {"executionSuccessful": True}
    notes = [
        note
        for run in runs
        for one in run.get("invocations", ())
        for note in one.get("toolExecutionNotifications", ())
    ]
    if notes:
        invocation["toolExecutionNotifications"] = notes
    run = {**runs[0], "invocations": [invocation], "results": [best[key] for key in sorted(best)]}
    return {**parts[0], "runs": [run]}


def _sarif_worth(result: _Record) -> tuple[object, ...]:
    assumed = len(result["properties"]["assumptions"])
    return -result["rank"], assumed, "fixes" not in result, json.dumps(result)


def _baselines(parts: Iterable[_Record]) -> _Record:
    """One baseline; what several know as often as the one that knows it most often."""
    known: dict[tuple[str, str, str], int] = {}
    for part in parts:
        for row in part["findings"]:
            key = (row["file"], row["code"], row["line"])
            known[key] = max(known.get(key, 0), int(row["count"]))
    rows = [
        {"file": file, "code": code, "line": line, "count": known[file, code, line]}
        for file, code, line in sorted(known)
    ]
    return {"version": 1, "findings": rows}


_JOINS: dict[str, Callable[[list[Any]], Any]] = {
    _FINDINGS: _findings,
    _SARIF: _sarif,
    _BASELINES: _baselines,
}
