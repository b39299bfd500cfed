"""What runs named queries over a log: the embedded engine, or Spark."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import polars as pl

    from assay.logs.delimited import Unread
    from assay.logs.found_files import LogFiles
    from assay.logs.mapping import Source


class Engine(Protocol):
    """An engine with one log."""

    name: str
    """As it is typed."""

    reads_stores: bool
    """Whether addresses of object stores (`s3://...`) can be read."""

    writes_parts: bool
    """Whether what writes the files of a folder shares its disk with this process, and holds no rows here."""

    def close(self) -> None:
        """Ends the engine and removes what it wrote aside."""

    def spool(self, source: str) -> str:
        """A log that can be read once, standard input or a pipe, as a file that lasts as long as the engine."""

    def columns(self, files: LogFiles) -> dict[str, str]:
        """The dotted paths that files have, with the type of each in DuckDB's words; JSON has no types."""

    def sample(self, files: LogFiles, path: str, most: int = 100) -> list[str]:
        """Some values of one column, as text, without nulls."""

    def least(self, source: Source) -> dict[str, int]:
        """The smallest position of each application, as it stands in the files."""

    def attach(self, sources: Sequence[Source], instead: Mapping[str, str] | None = None) -> None:
        """Lays `log`, the rows of all sources; `instead` names queries that take the place of others."""

    def lay(self, name: str, columns: Mapping[str, str], rows: Sequence[Sequence[Any]] | pl.DataFrame) -> None:
        """A relation beside the log: column to SQL type (VARCHAR, BIGINT or DOUBLE), and its rows."""

    def lay_pairs(self, name: str, of: str, keep: Callable[[str, str], bool], **values: Any) -> None:
        """A relation beside the log: of the pairs of texts that a named query gives first, those that `keep` takes."""

    def run(self, name: str, **values: Any) -> pl.DataFrame:
        """The rows of a named query."""

    def write(self, name: str, path: str, **values: Any) -> int:
        """Writes the rows of a named query to a Parquet file, or as files into an empty folder; gives their number."""

    def totals(self, path: str) -> tuple[int, int, int, int, int]:
        """Of cells that were written: rows, impressions, clicks, distinct queries, and pairs of query and document."""

    def rejected(self) -> dict[str, Unread]:
        """Lines of CSV that could not be taken apart, by reason.

        Raises:
            InputError: a quote that does not close takes the rest of a file with it.
        """

    def refused_places(self, **values: Any) -> dict[str, tuple[str, ...]]:
        """Where the first rows stand that are refused, by reason."""
