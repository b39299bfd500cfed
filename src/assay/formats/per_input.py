"""Which format the user names for which input: one for all, or `qrels=msmarco` for the judgments alone."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

from assay.errors import InputError, did_you_mean
from assay.tables import Document, Hit, Interaction, Item, Judgment, LoggedQuery, Pair, Topic

OPTION = "--input-format"
INPUTS: Mapping[str, tuple[type, ...]] = {
    "run": (Hit,), "qrels": (Judgment,), "topics": (Topic,), "documents": (Document,), "items": (Item,),
    "log": (Interaction, LoggedQuery), "pairs": (Pair,),
}  # fmt: skip
"""What the inputs of a command are called, and the rows that each holds."""


def parse(said: Sequence[str]) -> tuple[str | None, dict[str, str]]:
    """The format of all inputs, and those of single ones.

    Args:
        said: each `FORMAT`, or `INPUT=FORMAT` where the input is one of `INPUTS` or a file; a format may have options,
            as in `qrels=beir:split=dev`.

    Returns:
        The format of every input that is not named, None where it is recognised; input to its format.

    Raises:
        InputError: an input is named twice, or its format is not known.
    """
    whole: str | None = None
    single: dict[str, str] = {}
    for one in said:
        name, format = _parted(one)
        if name in single or (name is None and whole is not None):
            what = f"the format of {name} is said twice" if name else f"{whole} and {one} are both for all inputs"
            raise InputError(what, OPTION, "say the format of each input once: --input-format qrels=FORMAT")
        if name is None:
            whole = format
            continue
        _check(format)
        single[name] = format
    return whole, single


def _parted(one: str) -> tuple[str | None, str]:
    """The input, None for all, and the format: a `=` behind `FORMAT:` belongs to its options."""
    name, sign, format = one.partition("=")
    if not sign or (":" in name and _is_format(name.partition(":")[0])):
        return None, one
    if not format.strip() or not name.strip():
        raise InputError(f"'{one}' is not INPUT=FORMAT", OPTION, "such as --input-format qrels=msmarco")
    return name.strip(), format.strip()


def _is_format(name: str) -> bool:
    from assay.formats.carried import OUTSIDE
    from assay.formats.recognise import ALL

    return name in ALL or name in OUTSIDE


def _check(format: str) -> None:
    from assay.formats.carried import Wishes
    from assay.formats.outer import named
    from assay.formats.recognise import ALL

    if format not in ALL:
        outside, options = named(format)
        outside.check(Wishes(None, options))


class Wanted:
    """Which format is said of which input of a command.

    Args:
        single: input to its format, as `parse` gives them.
        find: the path that a name stands for, None where it stands for no file.

    Raises:
        InputError: a name is neither of `INPUTS` nor a file.
    """

    def __init__(self, single: Mapping[str, str], find: Callable[[str], str | None]) -> None:
        self._formats: dict[str, str] = {}
        self._met: set[str] = set()
        for name, format in single.items():
            path = name if name in INPUTS else find(name)
            if path is None:
                what = f"{name} is no input{did_you_mean(name, INPUTS)}"
                remedy = f"write INPUT=FORMAT; an input is {', '.join(INPUTS)}, or a file that is read"
                raise InputError(what, OPTION, remedy)
            self._formats[path] = format

    def of(self, source: str | None, row: type | None, whole: str | None) -> str | None:
        """The format of an input: what is said of it alone, else what is said of all; None where it is recognised.

        Args:
            source: the file; None for data in memory.
            row: the class of the rows that are wanted; None for a file of any.
            whole: the format of all inputs. It concerns the tables that it can hold.
        """
        files = [name for name in self._formats if name not in INPUTS and _is_same(name, source)]
        kinds = [name for name in self._formats if source is not None and row in INPUTS.get(name, ())]
        for name in (*files, *kinds):  # the file itself before what it holds
            self._met.add(name)
            return self._formats[name]
        return whole if whole is None or row is None or _could_hold(whole, row) else None

    @property
    def unread(self) -> tuple[str, ...]:
        """Inputs whose format was said and of which nothing was read."""
        return tuple(name for name in self._formats if name not in self._met)


def _could_hold(format: str, row: type) -> bool:
    from assay.formats.recognise import ALL

    if format in ALL:
        return True
    from assay.formats.carried import OUTSIDE

    name = format.partition(":")[0]
    return name not in OUTSIDE or row in OUTSIDE.find(name).holds


def _is_same(one: str, other: str | None) -> bool:
    try:
        return other is not None and (one == other or os.path.samefile(one, other))
    except (OSError, ValueError):
        return False
