"""What can go wrong, and how it is said.

    AssayError                  exit code 3 unless a subclass says otherwise
    ├── InputError              the input is wrong: what, where, how to mend it
    │   └── NoRowsError         a table has its columns and no rows: where a list may be empty, that is caught
    ├── MissingExtra            an optional part is not installed
    ├── EngineError             a search engine, model or log engine did not answer as it should
    └── NotEnoughEvidence       exit code 2: the data cannot answer the question

Exit codes of the command line: 0 fine or PASS, 1 FAIL, 2 INCONCLUSIVE or not enough evidence, 3 could not run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

SHOWN = 3
"""How many places of one kind of fault a message shows; the rest is counted."""


class AssayError(Exception):
    """Anything that assay reports to its user without a traceback."""

    exit_code = 3


class InputError(AssayError):
    """Input that would give a wrong number, or none.

    Args:
        what: what was wrong, in one sentence without a full stop.
        where: the place, as `file:line`, a column or an option; empty when there is none.
        remedy: what the user can do about it; empty when nothing is known.
        line: the offending line itself, shown below the message.
        more: further faults of the same kind, already as `where: what` lines.
        count: how many faults of this kind there are in all.
        is_least: whether counting stopped there.
    """

    def __init__(
        self, what: str, where: str = "", remedy: str = "", *, line: str = "", more: Sequence[str] = (), count: int = 1,
        is_least: bool = False,
    ) -> None:  # fmt: skip
        self.what, self.where, self.remedy, self.line = what, where, remedy, line
        self.more, self.count = tuple(more), max(count, 1 + len(more))
        self.is_least = is_least
        super().__init__(str(self))

    def __str__(self) -> str:
        parts = [f"{self.where}: {self.what}" if self.where else self.what]
        if self.line:
            parts.append(f"    {self.line}")
        if self.remedy:
            parts.append(f"    mend: {self.remedy}")
        shown = self.more[: SHOWN - 1]
        if shown:
            parts.append("")
            parts.extend(shown)
        hidden = self.count - 1 - len(shown)
        if hidden > 0:
            parts.append(f"and {'at least ' if self.is_least else ''}{hidden:,} more. Nothing was written.")
        return "\n".join(parts)

    def __reduce__(self) -> tuple[object, ...]:
        more = {"line": self.line, "more": self.more, "count": self.count, "is_least": self.is_least}
        return (_rebuild, (type(self), (self.what, self.where, self.remedy), more))


class NoRowsError(InputError):
    """A table that names its columns and has no rows."""


def _rebuild(kind: type[InputError], said: tuple[str, str, str], more: dict[str, Any]) -> InputError:
    return kind(*said, **more)


class MissingExtra(AssayError):  # noqa: N818 # the house says what is missing, not that it is an error
    """A part that is installed on request: `pip install assay[extra]`; the extra must be one that is declared."""

    def __init__(self, package: str, extra: str, wanted_for: str) -> None:
        self.package, self.extra, self.wanted_for = package, extra, wanted_for
        super().__init__(f"{wanted_for} needs {package}\n    mend: pip install 'assay[{extra}]'")


class EngineError(AssayError):
    """Something outside assay did not answer as it should."""


class NotEnoughEvidence(AssayError):  # noqa: N818 # the house says what is missing, not that it is an error
    """The data cannot answer the question; the message says what would be enough."""

    exit_code = 2


def nearest(name: str, names: Iterable[str], most: int = 3) -> list[str]:
    """The known names that look like a mistyped one, best first; empty when none is close."""
    import difflib

    folded = {known.casefold(): known for known in names}
    close = difflib.get_close_matches(str(name).casefold(), folded, n=most, cutoff=0.6)
    return [folded[match] for match in close]


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """`; did you mean nDCG@10?` with a leading semicolon, or nothing when no known name is close."""
    close = nearest(name, names)
    return f"; did you mean {' or '.join(close)}?" if close else ""


def first_line(error: BaseException) -> str:
    """The first line of what an error of a library says, or the kind of error where it says nothing."""
    said = str(error).strip().splitlines()
    return said[0] if said else type(error).__name__
