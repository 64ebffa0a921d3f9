"""Which way a program goes where its conditions are unknown.

A run follows one path. Where a condition is unknown the path goes by its prefix of decisions; past
its end it takes the usual side. Running again with other prefixes covers the other sides, so states
never have to be joined, and each finding has a path that leads to it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from autograd_lint.engine.assumptions import Assumption
from autograd_lint.places import Place


def own_rows(branch: ast.AST) -> frozenset[int]:
    """The rows of what stands in a branch itself, and not in functions that it defines."""
    stack, rows = [branch], set[int]()
    while stack:
        node = stack.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        if isinstance(node, (ast.stmt, ast.expr)) and not hasattr(node, "body"):
            rows.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        else:
            stack.extend(ast.iter_child_nodes(node))
    return frozenset(rows)


@dataclass(frozen=True, slots=True)
class Decision:
    """One unknown condition on a path and the side that was taken.

    `branch` is the whole `if` or conditional expression whose condition it is or is part of.
    `negated` says that the side is that of the contrary of what `condition` spells out, `seldom`
    that it is hardly ever taken, `measured` that the values of a tensor decide, `lasting` that an
    object was made so, `in_step` that it comes every so many rounds of a loop, as it did here,
    `expected` that it is the side of what an option is by default. `steers` are the rows of what it
    decides on itself, `around` is the `if` of a caller whose condition called the function that
    decides. `because` is what is assumed of a tensor anyway and means the same: that it requires
    grad, where the condition asks for that.
    """

    place: Place
    condition: str
    taken: bool
    branch: Place | None = None
    negated: bool = False
    seldom: bool = False
    measured: bool = False
    lasting: bool = False
    in_step: bool = False
    expected: bool = False
    steers: frozenset[int] = frozenset()
    around: Place | None = None
    because: frozenset[Assumption] = frozenset()

    @property
    def holds(self) -> bool:
        """Whether the condition, as it is spelt out, holds on the path."""
        return self.taken is not self.negated


@dataclass(slots=True)
class Path:
    """One run's decisions: those prescribed by `decision_prefix`, then the usual ones.

    `negated` takes the unusual side past the prefix. `wanted_sides` are the `if` statements of
    which a side is wanted. `fault_relevant` are the positions of the decisions that a fault may
    hang on, `acting` those of them that decide what may concern code elsewhere, `pressing` those
    that a function has made which trains, `turned` the positions at which a search has left an
    earlier path. `elsewhere` says that a fault may hang on a decision of another file, or on one
    that is no `if`.
    """

    decision_prefix: tuple[bool, ...] = ()
    negated: bool = False
    wanted_sides: Mapping[ast.AST, bool] = field(default_factory=dict)
    decisions: list[Decision] = field(default_factory=list)
    fault_relevant: set[int] = field(default_factory=set)
    acting: set[int] = field(default_factory=set)
    pressing: set[int] = field(default_factory=set)
    turned: tuple[int, ...] = ()
    elsewhere: bool = False

    def decide(
        self,
        place: Place,
        condition: str,
        usual: bool,
        branch: Place | None,
        *,
        negated: bool = False,
        seldom: bool = False,
        measured: bool = False,
        lasting: bool = False,
        periodic: bool = False,
        passed: bool = False,
        default: bool | None = None,
        around: Place | None = None,
    ) -> int:
        """Take a side at an unknown condition; the position of the decision.

        `passed` says that the usual side is the one that the program is known to have taken,
        `default` is the side of what an option is by default, `periodic` says that the rounds of a
        loop take both.
        """
        position = len(self.decisions)
        given = position < len(self.decision_prefix)
        negated_here = self.negated and not periodic
        taken = self.decision_prefix[position] if given else usual != negated_here
        taken = usual if passed else taken
        unusual = seldom and taken is not usual
        decision = Decision(
            place,
            condition,
            taken,
            branch,
            negated,
            unusual,
            measured,
            lasting,
            in_step=periodic and taken is usual,
            expected=taken is default,
            around=around,
        )
        self.decisions.append(decision)
        return position

    def steer(self, position: int, branch: ast.AST) -> None:
        """An option decides on a statement or an expression: what stands there is wanted."""
        known = self.decisions[position]
        if known.lasting:
            self.decisions[position] = replace(known, steers=known.steers | own_rows(branch))

    def ground(self, position: int, because: frozenset[Assumption]) -> None:
        """A decision says no more than what is assumed of a tensor anyway."""
        self.decisions[position] = replace(self.decisions[position], because=because)

    @property
    def taken(self) -> tuple[bool, ...]:
        return tuple(decision.taken for decision in self.decisions)


def alternatives(first: Path, limit: int) -> Iterator[Path]:
    """The paths to try after the first: the contrary one, then each decision that matters flipped.

    Those of functions that train come first: what prepares for training decides much, and of little
    weight. Together they cover every pair of sides of any two conditions that matter.
    """
    if not first.decisions:
        return
    yield Path(negated=True)
    seen: set[tuple[Place, str]] = set()
    taken = first.taken
    for position in sorted(first.fault_relevant, key=lambda one: (one not in first.pressing, one)):
        if len(seen) >= limit:
            return
        decision = first.decisions[position]
        key = (decision.place, decision.condition)
        if key not in seen:
            seen.add(key)
            yield Path(decision_prefix=(*taken[:position], not taken[position]))
