"""The commands `rules` and `explain`: what there is to find, from the rules' own pages."""

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from autograd_lint.errors import Trouble

if TYPE_CHECKING:
    from autograd_lint.rules.base import Rule

_format = click.option(
    "--output-format", type=click.Choice(("text", "json")), default="text", show_default=True
)


@click.command()
@_format
def rules(output_format: str) -> None:
    """List all rules."""
    from autograd_lint.rules.registry import all_rules

    if output_format == "json":
        _hand_over([_record(rule) for rule in all_rules()])
        return
    width = max((len(rule.name) for rule in all_rules()), default=0)
    for rule in all_rules():
        off = "" if rule.on_by_default else " (off by default)"
        off += " (in preview)" if rule.preview else ""
        click.echo(f"{rule.code}  {rule.name:<{width}}  {rule.summary()}{off}")


@click.command()
@click.argument("code_or_name", metavar="CODE_OR_NAME_OR_MESSAGE", required=False)
@click.option(
    "--why", metavar="CODE:FILE:ROW", help="Show how the probability of a finding was computed."
)
@_format
def explain(code_or_name: str | None, why: str | None, output_format: str) -> None:
    """Show the page of a rule, or what a message of PyTorch means.

    A message is given in quotes, whole or in part: "element 0 of tensors does not require grad".
    """
    if why is not None:
        _explain_finding(why, output_format)
        return
    if code_or_name is None:
        raise click.UsageError("give a rule, a message, or --why CODE:FILE:ROW")
    from autograd_lint.rules import pages
    from autograd_lint.rules.registry import by_code_or_name

    rule = by_code_or_name(code_or_name)
    if rule is None and " " in code_or_name.strip():
        _explain_message(code_or_name, output_format)
        return
    if rule is None:
        from autograd_lint.checking.configured import known_rules
        from autograd_lint.configuration.selection import unknown_rule

        raise Trouble(unknown_rule(code_or_name, known_rules()))
    if output_format == "json":
        _hand_over(_record(rule))
    else:
        _show(pages.page(rule))


def _explain_finding(spot: str, output_format: str) -> None:
    from autograd_lint.cli.why import as_record, as_text, findings_at

    found = findings_at(spot)
    if output_format == "json":
        _hand_over(list(map(as_record, found)))
    else:
        click.echo("\n\n".join("\n".join(as_text(one)) for one in found))


def _explain_message(message: str, output_format: str) -> None:
    from autograd_lint.diagnosis import explaining

    topic = explaining.topic_of_message(message)
    if topic is None:
        raise Trouble(
            f"{message[:80]!r} is not a known message of autograd; give a longer part of it"
        )
    if output_format == "json":
        _hand_over(explaining.record(topic))
    else:
        _show(explaining.page(topic))


def _record(rule: "Rule") -> dict[str, Any]:
    return {
        "code": rule.code,
        "name": rule.name,
        "summary": rule.summary(),
        "severity": rule.severity.value,
        "on_by_default": rule.on_by_default,
        "preview": rule.preview,
        "documentation": rule.page(),
    }


def _hand_over(record: object) -> None:
    from autograd_lint.cli.output import hand_over

    hand_over(json.dumps(record, indent=2, ensure_ascii=False) + "\n")


def _show(markdown: str) -> None:
    if not sys.stdout.isatty():
        click.echo(markdown, nl=False)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(markdown))
