"""The argument that names a rule set, for several commands."""

from __future__ import annotations

import argparse

from scorer.rules.names import RuleSetName


def add_rules(parser: argparse.ArgumentParser, note: str = "") -> None:
    """``--rules NAME``, in any case of letters; ``note`` ends its help."""
    parser.add_argument(
        "--rules",
        type=str.lower,
        choices=[name.value for name in RuleSetName],
        default=RuleSetName.NCA.value,
        metavar="NAME",
        help=f"the rule set: %(choices)s; %(default)s if left out{note}",
    )
