"""What the tool tells its user: findings, their places, their certainty, their edits."""

from dataclasses import dataclass

from autograd_lint import addresses
from autograd_lint.immutable import immutable
from autograd_lint.levels import Certainty as Certainty
from autograd_lint.levels import Severity as Severity
from autograd_lint.places import Place


@immutable
class Related:
    """Another place that a finding speaks of, with the part it plays.

    `role` is one of `saved`, `modified`, `freed`, `built`, `needed`, `called` (by which the program
    came to the file where it goes wrong), `alike` (the same statement in another file); `message`
    is the label that is drawn under the place.
    """

    role: str
    message: str
    place: Place


@immutable
class Found:
    """A saved tensor as backward finds it, as far as it is known: what torch's message says of it.

    `producer` is the operator that made the tensor as it is now (for what was saved as an input,
    the last that wrote it), empty for a leaf, and the tensor is its result number `output`.
    `dtype` is `float`, `int`, `bool` or `complex`; `shape` may hold None for an unknown size.
    `saved` is the version at which it was saved, `version` the one it has by now.
    """

    producer: str
    output: int
    dtype: str | None
    shape: tuple[int | None, ...] | None
    saved: int
    version: int


@immutable
class Prediction:
    """The error that the real engine will raise, and the line of the user's code where it will.

    `filename` and `row` are None where the raising call stands in no file that was read (the
    training loop of a module that nothing in the project trains). `operator` is the operator at
    fault, `detail` what the engine says of it in words of its own, `found` the saved tensor whose
    version is at fault.
    """

    error: str
    filename: str | None
    row: int | None
    operator: str = ""
    detail: str = ""
    found: Found | None = None


@immutable
class Edit:
    """Replace the text of `place` by `content`."""

    content: str
    place: Place


@immutable
class Fix:
    """Edits that mend a finding; `applicability` is `safe`, `unsafe` or `display`."""

    applicability: str
    message: str
    edits: tuple[Edit, ...]


@immutable
class Confirmation:
    """What the real engine said about a finding; `verdict` is confirmed, refuted or undecided.

    `error` is the engine's own message and `row` where it was raised; `witness` says what was run,
    `assumptions` what was guessed to run it, `reason` why it is undecided or refuted.
    """

    verdict: str
    device: str = "cpu"
    torch: str | None = None
    error: str | None = None
    row: int | None = None
    witness: str | None = None
    reason: str | None = None
    assumptions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, order=True)
class Assumed:
    """Something that a finding takes for granted and the code does not say.

    `text` says what, `kind` names what it is one of, and `prior` how usual that is: `usual`,
    `unusual`, `daring` or `data`. `probability` is how many findings that assume it alone are
    right, by those that were labelled.
    """

    text: str
    kind: str
    prior: str
    probability: float


@immutable
class Finding:
    """One thing to tell the user.

    `label` is drawn under the primary place, `reason` says why it matters and `help` what to do;
    `message` is the one-line summary of every output format. `probability` is how likely it is
    right, from 0 to 1, and `signals` name what the project shows for or against it. `steps` is how
    much the analysis had run when it began the run that shows it.
    """

    code: str
    name: str
    message: str
    place: Place
    severity: Severity = Severity.ERROR
    certainty: Certainty = Certainty.CERTAIN
    probability: float = 1.0
    assumptions: tuple[Assumed, ...] = ()
    signals: tuple[str, ...] = ()
    label: str = ""
    role: str = ""
    reason: str = ""
    help: str = ""
    related: tuple[Related, ...] = ()
    predicts: Prediction | None = None
    fix: Fix | None = None
    noqa_row: int = 0
    cell: int | None = None
    confirmation: Confirmation | None = None
    steps: int = 0

    @property
    def url(self) -> str:
        """The page of its rule."""
        return addresses.of_rule(self.name)
