"""Rules find themselves: every module beside this one is looked through for them."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from autograd_lint import rules
from autograd_lint.engine.faults import Fault
from autograd_lint.findings import Finding
from autograd_lint.places import Place
from autograd_lint.project.source import Source
from autograd_lint.rules.base import Rule


@cache
def all_rules() -> tuple[Rule, ...]:
    """Every rule, by code. Packages (the reading, which imports LibCST) are not looked into."""
    modules = [
        import_module(f"{rules.__name__}.{found.name}")
        for found in iter_modules(rules.__path__)
        if not found.ispkg
    ]
    classes = {
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Rule) and "code" in vars(value)
    }
    return tuple(sorted((rule() for rule in classes), key=lambda rule: rule.code))


def by_code_or_name(text: str) -> Rule | None:
    """The rule of this code or name, upper and lower case alike."""
    wanted = text.lower()
    found = (rule for rule in all_rules() if wanted in (rule.code.lower(), rule.name))
    return next(found, None)


def rule_for(fault: Fault) -> Rule | None:
    """The one rule that judges `fault`."""
    return next((rule for rule in all_rules() if rule.answers(fault)), None)


def primary_place(fault: Fault) -> Place | None:
    """The place to change, as the engine knows it: it says which file `judge` is to be given."""
    rule = rule_for(fault)
    return rule.primary(fault) if rule else None


def judge(fault: Fault, source: Source) -> Finding | None:
    """The finding for `fault`; None where no rule takes it, or no place is known.

    `source` is the file of the primary place; given another file, the finding is made from the
    places that the fault has.
    """
    rule = rule_for(fault)
    place = rule.primary(fault) if rule else None
    if rule is None or place is None:
        return None
    from autograd_lint.rules.reading import Chunk

    return rule.judge(fault, place, Chunk(source, place))
