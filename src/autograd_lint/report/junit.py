"""Findings as a JUnit report, a test suite for each file."""

import re
from collections.abc import Sequence
from itertools import groupby
from xml.etree import ElementTree

from autograd_lint.findings import Finding
from autograd_lint.report.notes import in_full
from autograd_lint.report.text import portable, shown

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def findings(found: Sequence[Finding]) -> str:
    """All findings as the text of one XML document; none at all is one test that passed."""
    failures = str(len(found))
    root = ElementTree.Element(
        "testsuites",
        name="autograd-lint",
        tests=str(len(found) or 1),
        failures=failures,
        errors="0",
    )
    for filename, group in groupby(found, key=lambda finding: finding.place.filename):
        _suite(root, portable(filename), list(group))
    if not found:
        suite = ElementTree.SubElement(
            root, "testsuite", name="autograd-lint", tests="1", failures="0", errors="0"
        )
        ElementTree.SubElement(suite, "testcase", name="no findings", classname="autograd-lint")
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True)


def _suite(root: ElementTree.Element, name: str, found: list[Finding]) -> None:
    count = str(len(found))
    suite = ElementTree.SubElement(
        root, "testsuite", name=name, tests=count, failures=count, errors="0"
    )
    for finding in found:
        case = ElementTree.SubElement(
            suite,
            "testcase",
            # The place is part of the name: consumers take cases of one name for one case.
            name=f"{finding.code} {finding.name} {finding.place.row}:{finding.place.column}",
            classname=name,
        )
        message = _NOT_XML.sub("\ufffd", finding.message)
        failure = ElementTree.SubElement(
            case, "failure", message=message, type=finding.severity.value
        )
        told = f"{shown(finding.place)}: {in_full(finding)}\n{finding.url}"
        failure.text = _NOT_XML.sub("\ufffd", told)
