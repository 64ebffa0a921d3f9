"""The labels of findings that were read can be used by programs."""

import json
from pathlib import Path

from autograd_lint.engine.assumptions import Kind

LABELS = Path(__file__).parents[2] / "benchmarks" / "labels"
KINDS = {kind.value for kind in Kind}


def labels() -> list[dict[str, object]]:
    files = sorted(LABELS.glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def test_no_finding_is_labelled_twice() -> None:
    spots = [
        (one["base"], one["state"], one["file"], one.get("cell"), one["row"], one["code"])
        for one in labels()
    ]
    assert len(set(spots)) == len(spots)


def test_verdicts_and_kinds_are_known() -> None:
    for one in labels():
        assert one["verdict"] in ("right", "pedantic", "wrong")
        assert KINDS.issuperset(one["kinds"])  # type: ignore[arg-type]
