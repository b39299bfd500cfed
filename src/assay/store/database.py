"""Opens the store and writes to it: one writer that commits in groups and answers when the rows are durable.

SQLite runs with a write-ahead log and synchronous=FULL, so that what was answered survives a crash and a power cut;
PostgreSQL by its own rules. Readers do not wait for the writer.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from assay.errors import EngineError, InputError, MissingExtra

try:
    import sqlalchemy as sa
except ModuleNotFoundError:  # an optional part
    raise MissingExtra("sqlalchemy", "store", "keeping judgments of several people") from None

from assay.store.direct import driver

T = TypeVar("T")
_Job = tuple[Callable[[sa.Connection], Any], Future[Any]]
_Done = list[tuple[Future[Any], Any, BaseException | None]]

MOST_AT_ONCE = 500
"""Writes in one transaction."""

WRITING = 0x6173736179
"""The lock of whoever writes to a store in PostgreSQL, among the advisory locks of its database."""

BUSY_MS = 10_000
"""How long SQLite waits for another process that writes."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at: what, whether it is well, and what is wrong."""

    what: str
    is_well: bool
    says: str = ""


class Store:
    """A database of judgments, people and projects.

    Open one with `Store.open`; close it, or use it as a context manager.
    """

    def __init__(self, engine: sa.Engine, name: str) -> None:
        self.engine, self.name = engine, name
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._closed = threading.Event()
        self._gate = threading.Lock()
        self._writer = threading.Thread(target=self._write_all, name="store writer", daemon=True)
        self._writer.start()

    @classmethod
    def open(cls, url: str, *, upgrade: bool = False) -> Store:
        """Opens the store at an address; a new one is made.

        Args:
            url: `sqlite:///path/to/assay.db`, `postgresql://user@host/name`, or the path of a SQLite file.
            upgrade: whether an older store is brought up to date; otherwise it is refused.

        Raises:
            InputError: the address is none, or the store is older or newer than this program.
            EngineError: the database does not answer.
        """
        from assay.store.upgrade import HEAD, revision_of, upgraded

        engine, name = _engine(url)
        try:
            with _stepping(engine) as connection:
                there = revision_of(connection)
                if there is None or (upgrade and there != HEAD):
                    upgraded(connection)
        except sa.exc.DatabaseError as error:
            engine.dispose()
            raise EngineError(
                f"{name}: {_reason(error)}\n    mend: check the address, and that it may be opened"
            ) from None
        if there is not None and there != HEAD and not upgrade:
            engine.dispose()
            newer = there > HEAD
            raise InputError(
                f"the store is at step {there} and this assay at {HEAD}", name,
                "install a newer assay" if newer else "run `assay db backup`, then `assay db upgrade`",
            )  # fmt: skip
        return cls(engine, name)

    def write(self, job: Callable[[sa.Connection], T]) -> Future[T]:
        """Queues a write; the future answers when it is durable, or raises what the job raised.

        Args:
            job: gets a connection inside a transaction that it shares with other jobs; what it raises undoes only its
                own rows.
        """
        future: Future[T] = Future()
        with self._gate:
            if self._closed.is_set():
                raise EngineError(f"{self.name}: the store is closed")
            self._jobs.put((job, future))
        return future

    def rows(self, select: sa.Select[Any], **values: Any) -> list[dict[str, Any]]:
        """The rows of a query, as dicts."""
        with self.reading() as connection:
            return [dict(row) for row in connection.execute(select, values).mappings()]

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A connection whose reads all see the same state.

        Raises:
            EngineError: the database does not answer.
        """
        try:
            with self.engine.connect() as connection:
                yield connection
                connection.rollback()
        except (sa.exc.OperationalError, sa.exc.TimeoutError) as error:
            raise EngineError(f"{self.name}: {_reason(error)}\n    mend: see whether the database runs") from None

    def close(self) -> None:
        """Writes what is queued, then closes."""
        with self._gate:
            if self._closed.is_set():
                return
            self._closed.set()
            self._jobs.put(None)
        self._writer.join()
        self.engine.dispose()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _write_all(self) -> None:
        while (first := self._jobs.get()) is not None:
            jobs = [first]
            ends = False
            while len(jobs) < MOST_AT_ONCE and not self._jobs.empty():
                more = self._jobs.get()
                if more is None:
                    ends = True
                    break
                jobs.append(more)
            self._commit(jobs)
            if ends:
                return

    def _commit(self, jobs: list[_Job]) -> None:
        """Runs the jobs in one transaction and answers after the commit."""
        try:
            with self.engine.connect() as connection, connection.begin() as transaction:
                _one_at_a_time(connection)
                done = _alone(connection, transaction, *jobs[0]) if len(jobs) == 1 else _together(connection, jobs)
        except BaseException as error:
            said = EngineError(f"{self.name}: {_reason(error)}\n    mend: nothing of it was written; try again")
            for _, future in jobs:
                if not future.done() and not future.cancelled():
                    _fail(future, said)
            return
        for future, value, fault in done:
            if fault is None:
                future.set_result(value)
            else:
                future.set_exception(fault)


def _one_at_a_time(connection: sa.Connection) -> None:
    """Waits for writers of other servers, as SQLite does by itself: each statement then sees what they wrote.

    Two first answers of one item would otherwise each find none before it. One lock, before any row's, leaves no two
    that wait for each other.
    """
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"select pg_advisory_xact_lock({WRITING})")


def _alone(
    connection: sa.Connection, transaction: sa.Transaction, job: Callable[[sa.Connection], Any], future: Future[Any]
) -> _Done:
    """Runs the one job of a transaction, which ends with it where it fails."""
    if not future.set_running_or_notify_cancel():
        return []
    try:
        return [(future, job(connection), None)]
    except sa.exc.OperationalError:
        raise  # the database itself failed
    except BaseException as error:  # the job's own: its caller gets it
        transaction.rollback()
        return [(future, None, error)]


def _together(connection: sa.Connection, jobs: list[_Job]) -> _Done:
    """Runs the jobs of a transaction, each in a savepoint: what one raises undoes only its own rows."""
    step = driver(connection).execute
    done: _Done = []
    for job, future in jobs:
        if not future.set_running_or_notify_cancel():
            continue
        step("SAVEPOINT job")
        try:
            done.append((future, job(connection), None))
        except sa.exc.OperationalError:
            raise  # the database itself failed: nothing of this group is kept
        except BaseException as error:  # the job's own: its caller gets it
            step("ROLLBACK TO SAVEPOINT job")
            done.append((future, None, error))
        step("RELEASE SAVEPOINT job")
    return done


@contextmanager
def engine_at(url: str) -> Iterator[tuple[sa.Engine, str]]:
    """The engine of an address without a writer, for work on what no program may know yet; and its name in messages.

    Raises:
        InputError: the address is none.
        EngineError: the database does not answer.
    """
    engine, name = _engine(url)
    try:
        yield engine, name
    except sa.exc.DatabaseError as error:
        raise EngineError(f"{name}: {_reason(error)}\n    mend: check the address, and that it may be opened") from None
    finally:
        engine.dispose()


@contextmanager
def without_writer(url: str) -> Iterator[sa.Connection]:
    """A connection to what lies at an address, for work that no transaction may hold: what it does is done at once.

    Raises:
        InputError: the address is none.
        EngineError: the database does not answer.
    """
    autocommit = {"isolation_level": "AUTOCOMMIT"}
    with engine_at(url) as (engine, _), engine.execution_options(**autocommit).connect() as connection:
        yield connection


@contextmanager
def _stepping(engine: sa.Engine) -> Iterator[sa.Connection]:
    """A transaction in which tables may be made anew: SQLite would take rows that point to them for broken."""
    with engine.connect() as connection:
        raw: Any = connection.connection.driver_connection
        is_sqlite = connection.dialect.name == "sqlite"
        if is_sqlite:
            raw.execute("PRAGMA foreign_keys=OFF").close()  # heeded outside of a transaction alone
        try:
            with connection.begin():
                yield connection
        finally:
            if is_sqlite:
                raw.execute("PRAGMA foreign_keys=ON").close()


def _fail(future: Future[Any], error: BaseException) -> None:
    if not future.running():
        future.set_running_or_notify_cancel()
    future.set_exception(error)


def _reason(error: BaseException) -> str:
    return str(getattr(error, "orig", None) or error).strip().splitlines()[0]


def _engine(url: str) -> tuple[sa.Engine, str]:
    """The engine of an address, and what it is called in messages: never with a password."""
    if "://" not in url:
        url = f"sqlite:///{os.path.abspath(url)}"
    try:
        address = sa.make_url(url)
    except sa.exc.ArgumentError:
        raise InputError(
            "is no address of a database", "store.url", "write sqlite:///assay.db, or postgresql://..."
        ) from None
    name = address.render_as_string(hide_password=True)
    if address.get_backend_name() == "sqlite":
        path = address.database or ""
        if path in ("", ":memory:"):
            raise InputError("a store in memory forgets everything", name, "write the path of a file")
        if not Path(path).parent.is_dir():
            raise InputError("the folder of the store does not exist", str(Path(path).parent), "make it first")
        return _sqlite(address), name
    if address.get_backend_name() != "postgresql":
        raise InputError(f"a store is not kept in {address.get_backend_name()}", name, "take SQLite or PostgreSQL")
    try:
        import psycopg  # noqa: F401 # only whether it is there
    except ModuleNotFoundError:
        raise MissingExtra("psycopg", "postgres", "a store in PostgreSQL") from None
    address = address.set(drivername="postgresql+psycopg")
    return sa.create_engine(address, pool_size=10, max_overflow=20, pool_pre_ping=True), name


def _sqlite(address: sa.URL) -> sa.Engine:
    # One connection a thread would keep files open for threads that are gone: connections are pooled instead.
    engine = sa.create_engine(
        address, poolclass=sa.QueuePool, pool_size=10, max_overflow=40,
        connect_args={"check_same_thread": False, "isolation_level": None, "timeout": BUSY_MS / 1000},
    )  # fmt: skip

    @sa.event.listens_for(engine, "connect")
    def _settings(connection: Any, _: object) -> None:
        for line in ("journal_mode=WAL", "synchronous=FULL", f"busy_timeout={BUSY_MS}", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {line}").close()

    @sa.event.listens_for(engine, "begin")
    def _begin(connection: sa.Connection) -> None:
        if connection.get_execution_options().get("isolation_level") == "AUTOCOMMIT":
            return
        # The writer takes the lock at once; a reader that later turned writer would have to fail.
        is_writer = threading.current_thread().name == "store writer"
        connection.exec_driver_sql("BEGIN IMMEDIATE" if is_writer else "BEGIN")

    return engine
