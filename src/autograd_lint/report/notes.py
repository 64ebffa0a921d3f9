"""What every output says of a finding besides its message: reason, assumptions, help, verdict."""

from collections.abc import Iterator

from autograd_lint.findings import Confirmation, Finding

Note = tuple[str, str]
"""A word, and what stands behind it."""


def notes(finding: Finding) -> Iterator[Note]:
    """The notes of a finding, in the order in which they are told."""
    told = [("reason", finding.reason)]
    told += [("assuming", assumption.text) for assumption in finding.assumptions]
    told += [("help", finding.help)]
    if finding.confirmation:
        told.append((finding.confirmation.verdict, _verdict(finding.confirmation)))
    yield from (note for note in told if note[1])


def in_full(finding: Finding) -> str:
    """The message and the notes, each on a line of its own."""
    return "\n".join([finding.message, *(f"{word}: {text}" for word, text in notes(finding))])


def _verdict(confirmation: Confirmation) -> str:
    if confirmation.verdict != "confirmed":
        return confirmation.reason or "no witness decides it"
    engine = f"torch {confirmation.torch} on {confirmation.device}"
    if confirmation.error is None:
        return f"{engine} agrees"
    message = confirmation.error.partition("\n")[0].partition(" Hint: ")[0]
    raised = f" at row {confirmation.row}" if confirmation.row else ""
    return f"{engine} raises{raised}: {message}"
