"""Which rules are wanted: codes, prefixes, names, `ALL`."""

from collections.abc import Iterable

from autograd_lint.errors import Trouble
from autograd_lint.immutable import immutable

EVERYTHING = "ALL"
PARSE_ERROR = "AG901"
UNUSED_SUPPRESSION = "AG902"


def specificity(selector: str, code: str, name: str) -> int:
    """How closely `selector` means a rule: 0 not at all, most for its code or name."""
    if selector == EVERYTHING:
        return 1
    if selector in (code, name):
        return len(code) + 1
    return len(selector) if code.startswith(selector) else 0


@immutable
class Selection:
    """The rules that are wanted; the closest selector decides, and between equals `ignore`.

    An empty `select` stands for the rules that are on by default.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()

    def allows(self, code: str, name: str, on_by_default: bool = True) -> bool:
        """Whether the findings of a rule are to be shown.

        A file that cannot be parsed is shown whatever is selected, unless it is ignored:
        nothing else of that file was looked at.
        """
        chosen = (*self.select, *self.extend_select)
        wanted = max((specificity(one, code, name) for one in chosen), default=0)
        if code == PARSE_ERROR or (not self.select and on_by_default):
            wanted = max(wanted, 1)
        unwanted = max((specificity(one, code, name) for one in self.ignore), default=0)
        return wanted > unwanted

    @property
    def selectors(self) -> tuple[str, ...]:
        """Every selector that was given."""
        return (*self.select, *self.ignore, *self.extend_select)


def require_known(selectors: Iterable[str], known: dict[str, str], where: str) -> None:
    """Raise Trouble for the first selector that means no rule; `known` maps codes to names."""
    for selector in selectors:
        if not any(specificity(selector, code, name) for code, name in known.items()):
            raise Trouble(f"{where}: {unknown_rule(selector, known)}")


def unknown_rule(selector: str, known: dict[str, str]) -> str:
    """One line about a code or name that is no rule, with what may have been meant."""
    import difflib

    if selector.upper() != selector and any(c.startswith(selector.upper()) for c in known):
        close = [selector.upper()]
    else:
        close = difflib.get_close_matches(selector, [*known, *known.values(), EVERYTHING], n=1)
    hint = f"did you mean `{close[0]}`?" if close else "`autograd-lint rules` lists them all"
    return f"unknown rule `{selector}`; {hint}"
