"""What the embedded engine cannot read itself, laid for it: tables of a lake, and addresses of object stores.

The engine's own extensions for these want a download at their first use, so none is loaded.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from assay.files.addresses import is_object, scheme_of
from assay.files.lake import Rows, Table, open_table
from assay.logs.mapping import quoted

if TYPE_CHECKING:
    from assay.logs.found_files import LogFiles


class Beyond:
    """Lays tables and reaches stores for one connection of DuckDB.

    Args:
        connection: of the engine.
    """

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._tables: dict[str, Table] = {}
        self._names: dict[tuple[str, tuple[str, ...]], str] = {}
        self._reached: set[str] = set()

    def rows(self, files: LogFiles, paths: Iterable[str]) -> str:
        """The relation with the rows of a table, in the version that it had when it was looked at first.

        Args:
            files: the table.
            paths: dotted paths of what is wanted of it, so that nothing else is read; all when there are none.
        """
        (address,) = files.paths
        if address not in self._tables:
            self._tables[address] = open_table(address)
        table = self._tables[address]
        wanted = {path if path in table.columns else path.partition(".")[0] for path in paths}
        columns = tuple(name for name in table.columns if not wanted or name in wanted)
        if (address, columns) not in self._names:
            self._names[address, columns] = name = f"{address} {len(self._names) + 1}"  # faults name it
            self._connection.register(name, Rows(table, columns))
        return quoted(self._names[address, columns])

    def reach(self, files: LogFiles) -> None:
        """Lets the engine read the addresses of files."""
        for scheme in {scheme_of(path) for path in files.paths if is_object(path)} - self._reached:
            from assay.files.objects import filesystem

            self._connection.register_filesystem(filesystem(scheme))
            self._reached.add(scheme)
