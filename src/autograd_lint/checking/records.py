"""Results as text that the cache keeps."""

import json
from dataclasses import asdict, fields
from typing import Any, TypeVar

from autograd_lint.checking.checked import Checked
from autograd_lint.coverage import Coverage, Missed
from autograd_lint.findings import Assumed, Edit, Finding, Fix, Found, Prediction, Related
from autograd_lint.levels import Certainty, Severity
from autograd_lint.places import Place

T = TypeVar("T")


def recorded(checked: Checked) -> str:
    """A result as text; empty for one that says nothing."""
    told = checked.findings or checked.suppressed or checked.used
    if not (told or checked.left_out or checked.coverage):
        return str(checked.steps or "")
    record = {
        "findings": list(map(_recorded, checked.findings)),
        "variants": list(map(_recorded, checked.variants)),
        "steps": checked.steps,
        "suppressed": checked.suppressed,
        "used": checked.used,
        "left_out": checked.left_out,
        "coverage": asdict(checked.coverage) if checked.coverage else None,
    }
    return json.dumps(record)


def _recorded(finding: Finding) -> dict[str, Any]:
    record = asdict(finding)
    record["severity"] = finding.severity.value
    record["certainty"] = finding.certainty.value
    return record


def restored(filename: str, record: str) -> Checked:
    """The result of a file; raises ValueError, KeyError or TypeError for another text."""
    document = json.loads(record)
    checked = _checked(filename, document)
    if not all(type(number) is int for number in (checked.steps, checked.suppressed)):
        raise TypeError("steps and suppressed are numbers")
    return checked


def _checked(filename: str, document: Any) -> Checked:
    if isinstance(document, int):
        return Checked(filename, steps=document)
    return Checked(
        filename,
        tuple(map(_finding, document["findings"])),
        tuple(map(_finding, document["variants"])),
        document["steps"],
        suppressed=document["suppressed"],
        used=tuple((name, row, column) for name, row, column in document["used"]),
        left_out=tuple(document["left_out"]),
        coverage=_coverage(document["coverage"]) if document["coverage"] else None,
    )


def _coverage(record: dict[str, Any]) -> Coverage:
    missed = tuple(_typed(Missed(**one)) for one in record["missed"])
    return Coverage(
        record["suspects"], missed, tuple((name, row) for name, row in record["reached"])
    )


def _place(record: dict[str, Any]) -> Place:
    return _typed(Place(**record))


def _typed(one: T) -> T:
    """A value whose texts are texts and whose numbers are numbers; raises TypeError for others."""
    for field in fields(one):  # type: ignore[arg-type]
        wanted = _TYPES.get(str(field.type).removeprefix("<class '").removesuffix("'>"))
        if wanted is not None and not isinstance(getattr(one, field.name), wanted):
            raise TypeError(f"{field.name} is something else")
    return one


_TYPES: dict[str, type] = {"str": str, "int": int}


def _finding(record: dict[str, Any]) -> Finding:
    fix, predicts = record["fix"], record["predicts"]
    restored = {
        "place": _place(record["place"]),
        "severity": Severity(record["severity"]),
        "certainty": Certainty(record["certainty"]),
        "assumptions": tuple(_typed(Assumed(**one)) for one in record["assumptions"]),
        "signals": tuple(record["signals"]),
        "related": tuple(
            Related(other["role"], other["message"], _place(other["place"]))
            for other in record["related"]
        ),
        "predicts": _prediction(predicts) if predicts else None,
        "fix": _fix(fix) if fix else None,
    }
    return _typed(Finding(**{**record, **restored}))


def _prediction(record: dict[str, Any]) -> Prediction:
    found = record["found"]
    if found is None:
        return Prediction(**record)
    shape = None if found["shape"] is None else tuple(found["shape"])
    return Prediction(**{**record, "found": Found(**{**found, "shape": shape})})


def _fix(record: dict[str, Any]) -> Fix:
    edits = tuple(Edit(edit["content"], _place(edit["place"])) for edit in record["edits"])
    return Fix(record["applicability"], record["message"], edits)
