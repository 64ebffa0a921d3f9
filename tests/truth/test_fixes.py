"""Fixes, applied to random programs that raise, mend them on the real engine."""

import torch

from autograd_lint.checking.pipeline import check_source
from autograd_lint.configuration.settings import Settings
from autograd_lint.findings import Finding
from autograd_lint.fixes.applying import apply
from autograd_lint.project.source import Source
from tests.truth.generate import generate
from tests.truth.judging import compare, numbered
from tests.truth.programs import Program
from tests.truth.real import FILENAME, run


def findings(data: bytes) -> list[Finding]:
    """What the linter says of a program."""
    return check_source(Source(FILENAME, data.decode()), Settings())


def fixed(program: Program) -> Program | None:
    """The program with all fixes applied, the unsafe ones too; None where there are none."""
    data = program.text.encode()
    result = apply(data, FILENAME, findings(data), findings, unsafe=True)
    return Program(result.data.decode(), program.decided) if result.count else None


def test_a_fixed_program_raises_only_what_is_still_foreseen() -> None:
    torch.set_num_threads(1)
    surprises, mended, tried = [], 0, 0
    for program, verdict in generate(400, 5):
        after = fixed(program) if verdict.kind and program.decided and not program.files else None
        if after is None:
            continue
        outcome = run(after.text)
        tried += 1
        mended += outcome.kind is None
        if outcome.valid and (difference := compare(after, outcome)):
            surprises.append(f"{numbered(after)}\n{difference.sort}\n{difference.detail}")
    assert len(surprises) <= tried / 20, "\n\n".join(surprises)
    assert mended > tried / 2
