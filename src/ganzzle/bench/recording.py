"""The command that made a result, as it is stored with it."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Sequence


def recorded(arguments: Sequence[str], places: Collection[str], flags: Collection[str] = ()) -> str:
    """`ganzzle` and its arguments without those that only say where things lie or how the work was split up.

    `places` are options with a value, `flags` are options without one.
    """
    kept: list[str] = []
    skip = False
    for argument in arguments:
        if not skip and argument not in flags and argument.split("=")[0] not in places:
            kept.append(argument)
        skip = argument in places
    return "ganzzle " + shlex.join(kept)
