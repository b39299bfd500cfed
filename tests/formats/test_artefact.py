"""Copies of runs: whole or not there, checked, safe when two write at once, and never a reason to fail or to differ."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import shutil
import signal
import stat
import time
import zlib
from pathlib import Path

import polars as pl
import pytest

from assay.errors import InputError
from assay.formats.artefact import MANIFEST, Artefact, Cache, DamagedError
from assay.formats.blocks import RunBlocks
from assay.formats.copies import CopiedRun
from assay.formats.seen import look

POSIX = pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions, signals and times")
KEY = "a" * 64
OTHER = "b" * 64


def frame(n: int = 5, first: int = 0) -> pl.DataFrame:
    return pl.DataFrame({"query_id": [f"q{first}"] * n, "doc_id": [f"é{i}" for i in range(n)], "score": [1.5] * n})


def a_cache(folder: Path, limit: int = 1 << 30) -> Cache:
    return Cache(folder / "cache", limit)


def put(cache: Cache, key: str = KEY, blocks: int = 3) -> None:
    with cache.writing(key) as writer:
        for number in range(blocks):
            writer.add(2 * number, frame(first=number))
        writer.finish({"comments": {"1": 4}})


def rows(artefact: Artefact) -> list[pl.DataFrame]:
    return [artefact.read(member) for member in artefact.members]


def test_a_copy_holds_the_blocks_that_were_put_with_their_numbers(tmp_path: Path) -> None:
    cache = a_cache(tmp_path)
    assert cache.get(KEY) is None
    put(cache)
    found = cache.get(KEY)
    assert found is not None
    assert [member.number for member in found.members] == [0, 2, 4]
    assert found.about == {"comments": {"1": 4}}
    assert all(one.equals(frame(first=i)) for i, one in enumerate(rows(found)))
    assert cache.told == []


@POSIX
def test_the_folder_is_for_this_user_alone_and_says_that_it_is_a_cache(tmp_path: Path) -> None:
    before = os.umask(0o002)  # as where a group shares its files
    try:
        put(a_cache(tmp_path))
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "cache").stat().st_mode) == 0o700
    assert (tmp_path / "cache" / ".gitignore").read_text() == "*\n"
    assert (tmp_path / "cache" / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55")


def test_a_copy_that_was_not_finished_leaves_nothing(tmp_path: Path) -> None:
    cache = a_cache(tmp_path)
    with cache.writing(KEY) as writer:
        writer.add(0, frame())

    def interrupted() -> None:
        with cache.writing(KEY) as writer:
            writer.add(0, frame())
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert cache.get(KEY) is None
    assert list((tmp_path / "cache" / "copies").iterdir()) == []


DAMAGE = {
    "cut short": lambda path: path.write_bytes(path.read_bytes()[:-7]),
    "longer": lambda path: path.write_bytes(path.read_bytes() + b"\0"),
    "gone": lambda path: path.unlink(),
    "empty": lambda path: path.write_bytes(b""),
    "one bit": lambda path: path.write_bytes(flipped(path.read_bytes(), len(path.read_bytes()) // 3)),
    "its first bit": lambda path: path.write_bytes(flipped(path.read_bytes(), 0)),
}


def flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("name", ["000002.parquet", MANIFEST])
def test_a_damaged_copy_is_found_out_and_never_read(tmp_path: Path, damage: str, name: str) -> None:
    cache = a_cache(tmp_path)
    put(cache)
    DAMAGE[damage](tmp_path / "cache" / "copies" / KEY / name)
    found = cache.get(KEY)
    if found is not None:  # of the same length: its blocks are checked as they are read
        assert damage in ("one bit", "its first bit")
        with pytest.raises(DamagedError):
            rows(found)
        cache.drop(found, "as a test")
    assert any("damaged" in sentence for sentence in cache.told)
    assert cache.get(KEY) is None
    put(cache)
    assert cache.get(KEY) is not None


def test_the_longest_unused_copies_make_room(tmp_path: Path) -> None:
    cache = a_cache(tmp_path)
    put(cache, KEY)
    size = cache.copies()[0][0].size
    put(cache, OTHER)
    os.utime(tmp_path / "cache" / "copies" / KEY / MANIFEST, (1, 1))
    os.utime(tmp_path / "cache" / "copies" / OTHER / MANIFEST, (2, 2))
    assert cache.get(KEY) is not None  # now it was used after the other
    cache.limit = 2 * size + size // 2
    put(cache, "c" * 64)
    assert {artefact.folder.name for artefact, _ in cache.copies()} == {KEY, "c" * 64}


def test_a_run_larger_than_the_cache_is_not_copied_and_that_is_said(tmp_path: Path) -> None:
    cache = a_cache(tmp_path, limit=100)
    put(cache)
    assert cache.get(KEY) is None
    assert "larger than the whole cache" in cache.told[0]


def test_clearing_takes_every_copy(tmp_path: Path) -> None:
    cache = a_cache(tmp_path)
    put(cache, KEY)
    put(cache, OTHER)
    assert cache.clear() == 2
    assert cache.copies() == []
    assert cache.get(KEY) is None


@POSIX
def test_a_folder_that_others_may_write_to_is_not_used(tmp_path: Path) -> None:
    cache = a_cache(tmp_path)
    put(cache)
    (tmp_path / "cache" / "copies").chmod(0o777)
    assert cache.get(KEY) is None
    put(cache, OTHER)
    assert "others may write into it" in cache.told[0]
    (tmp_path / "cache" / "copies").chmod(0o700)
    assert cache.get(OTHER) is None
    assert cache.get(KEY) is not None


def test_a_folder_that_cannot_be_made_is_said_and_hinders_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    cache = Cache(tmp_path / "file" / "cache", 1 << 30)
    put(cache)
    assert cache.get(KEY) is None
    assert len(cache.told) == 1
    assert "no copy of a run is kept" in cache.told[0]


@POSIX
def test_copies_in_a_folder_that_may_only_be_read_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # reached without the folders above, which another user may not enter
    me = os.geteuid()
    user = 65534 if me == 0 else me  # nothing is forbidden to root
    put(Cache(Path("cache"), 1 << 30))
    for path in (tmp_path, *tmp_path.rglob("*")):
        os.chown(path, user, -1)
        path.chmod(0o500 if path.is_dir() else 0o400)
    os.seteuid(user)
    try:
        cache = Cache(Path("cache"), 1 << 30)
        found = cache.get(KEY)
        assert found is not None
        assert len(rows(found)) == 3
        put(cache, OTHER)
    finally:
        os.seteuid(me)
        for path in (tmp_path, *tmp_path.rglob("*")):
            path.chmod(0o700)
    assert cache.told == ["no copy of a run is kept in cache: Permission denied"]


def _write_slowly(folder: Path, started: object) -> None:
    with a_cache(folder).writing(KEY) as writer:
        writer.add(0, frame())
        started.set()  # type: ignore[attr-defined] # an Event
        time.sleep(60)


@POSIX
def test_a_writer_that_is_killed_leaves_no_copy_and_its_rest_is_swept_later(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    started = spawn.Event()
    writer = spawn.Process(target=_write_slowly, args=(tmp_path, started))
    writer.start()
    assert started.wait(60)
    assert writer.pid is not None
    os.kill(writer.pid, signal.SIGKILL)
    writer.join()
    cache = a_cache(tmp_path)
    copies = tmp_path / "cache" / "copies"
    assert cache.get(KEY) is None
    (rest,) = copies.iterdir()
    put(cache, OTHER)
    assert rest.exists()  # it might be at work still
    for path in (rest, *rest.iterdir()):
        os.utime(path, (1, 1))
    put(cache, KEY)
    assert {path.name for path in copies.iterdir()} == {KEY, OTHER}


def _write_and_read(folder: Path, times: int) -> None:
    cache = a_cache(folder)
    for _ in range(times):
        put(cache)
        found = cache.get(KEY)
        assert found is None or len(rows(found)) == 3
    assert cache.told == []


def test_two_writers_of_one_copy_do_not_harm_each_other(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    writers = [spawn.Process(target=_write_and_read, args=(tmp_path, 40)) for _ in range(2)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0, 0]
    assert [path.name for path in (tmp_path / "cache" / "copies").iterdir()] == [KEY]
    found = a_cache(tmp_path).get(KEY)
    assert found is not None
    assert len(rows(found)) == 3


def test_a_full_disk_ends_the_copy_and_not_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = Path.write_bytes

    def full(path: Path, data: bytes) -> int:
        if path.suffix == ".parquet" and path.name != "000000.parquet":
            raise OSError(28, os.strerror(28))
        return write(path, data)

    monkeypatch.setattr(Path, "write_bytes", full)
    cache = a_cache(tmp_path)
    put(cache)
    assert cache.told == [f"no copy of a run is kept in {tmp_path / 'cache'}: No space left on device"]
    assert list((tmp_path / "cache" / "copies").iterdir()) == []


# what a file was


def old(path: Path) -> Path:
    os.utime(path, (1_000_000, 1_000_000))
    return path


def settled(path: Path) -> None:
    """Waits until the last change is two seconds old, so that a look at the file may be kept."""
    while time.time_ns() - path.stat().st_ctime_ns < 2_100_000_000:
        time.sleep(0.05)


def test_a_look_is_kept_only_when_a_later_change_must_show(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text("q1 Q0 d1 1 1.5 tag\n")
    cache = a_cache(tmp_path)
    assert cache.digest(path) is not None
    assert not (tmp_path / "cache").exists()  # too fresh
    settled(path)
    seen = cache.digest(path)
    assert seen is not None
    assert seen.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert seen.crc == zlib.crc32(path.read_bytes())
    assert len(list((tmp_path / "cache" / "seen").iterdir())) == 1
    assert cache.digest(path) == seen  # with the time of the first look: it was not read again


@POSIX
def test_changed_bytes_with_the_same_length_and_time_are_seen(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text("q1 Q0 d1 1 1.5 tag\n")
    old(path)
    settled(path)
    cache = a_cache(tmp_path)
    first = cache.digest(path)
    with path.open("r+") as file:
        file.write("q1 Q0 d2 1 1.5 tag\n")
    old(path)
    second = cache.digest(path)
    assert first is not None
    assert second is not None
    assert first.facts[:4] == second.facts[:4]
    assert first.sha256 != second.sha256


def test_without_a_time_of_change_the_bytes_are_summed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.run"
    path.write_text("q1 Q0 d1 1 1.5 tag\n")
    settled(path)
    cache = a_cache(tmp_path)
    first = cache.digest(path)
    assert first is not None
    monkeypatch.setattr("assay.formats.seen.TELLS_CHANGE", False)
    assert cache.digest(path) == first
    with path.open("r+") as file:
        file.write("q1 Q0 d2 1 1.5 tag\n")
    monkeypatch.setattr("assay.formats.seen.facts_of", lambda status: first.facts)  # a system that shows no change
    changed = cache.digest(path)
    assert changed is not None
    assert changed.sha256 != first.sha256


# a run and its copy


def a_run(path: Path, queries: int = 40, depth: int = 30) -> Path:
    lines = ["# a comment"]
    lines += [
        f"{q} Q0 d{(q * 7919 + i * 31) % 5000}x{i} {i + 1} {(depth - i // 2) / 4} tag"
        for q in range(100, 100 + queries)
        for i in range(depth)
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


SIZE = 4000


def copied(path: Path, cache: Cache) -> CopiedRun:
    return CopiedRun(RunBlocks(str(path), SIZE), cache, str(path), look(path))


def told_of(run: CopiedRun | RunBlocks) -> list[tuple[list[str], list[tuple[object, ...]], list[str]]]:
    """Columns, rows and places of every block."""
    return [
        (block.columns, block.polars().rows(), [block.place(0), block.place(len(block) - 1)]) for block in run
    ]  # fmt: skip


@pytest.mark.parametrize("wants_rank", [False, True])
def test_the_copy_gives_the_blocks_places_and_facts_of_the_file(tmp_path: Path, wants_rank: bool) -> None:
    path, cache = a_run(tmp_path / "a.run"), a_cache(tmp_path)
    plain = RunBlocks(str(path), SIZE, wants_rank=wants_rank)
    expected = told_of(plain)
    assert len(expected) > 5
    for _ in range(2):
        run = CopiedRun(RunBlocks(str(path), SIZE, wants_rank=wants_rank), cache, str(path), look(path))
        assert told_of(run) == expected
        assert run.facts == plain.facts != ()
        assert len(cache.copies()) == 1


@pytest.mark.parametrize("name", ["000000.parquet", "000003.parquet"])
def test_a_copy_damaged_in_the_middle_goes_on_from_the_file_and_is_made_anew(tmp_path: Path, name: str) -> None:
    path, cache = a_run(tmp_path / "a.run"), a_cache(tmp_path)
    expected = told_of(RunBlocks(str(path), SIZE))
    assert told_of(copied(path, cache)) == expected
    (artefact, _), = cache.copies()  # fmt: skip
    DAMAGE["one bit"](artefact.folder / name)
    assert told_of(copied(path, cache)) == expected
    assert cache.copies() == []
    assert told_of(copied(path, cache)) == expected
    assert len(cache.copies()) == 1


@POSIX
def test_a_copy_removed_while_it_is_read_goes_on_from_the_file(tmp_path: Path) -> None:
    path, cache = a_run(tmp_path / "a.run"), a_cache(tmp_path)
    expected = [block.polars().rows() for block in copied(path, cache)]
    found = []
    for number, block in enumerate(copied(path, cache)):
        found.append(block.polars().rows())
        if number == 1:
            shutil.rmtree(tmp_path / "cache")
    assert found == expected


def test_a_file_that_changes_while_it_is_read_is_not_copied(tmp_path: Path) -> None:
    path, cache = a_run(tmp_path / "a.run"), a_cache(tmp_path)
    run = copied(path, cache)
    text = path.read_text()
    path.write_text(text.replace("tag", "gat"))
    assert sum(len(block) for block in run) == 1200
    assert cache.copies() == []


def test_a_run_that_is_refused_leaves_no_copy(tmp_path: Path) -> None:
    path, cache = a_run(tmp_path / "a.run"), a_cache(tmp_path)
    path.write_text(path.read_text() + "200 Q0 d1 1 nan tag\n")
    for _ in range(2):
        with pytest.raises(InputError, match=r"a\.run:1202"):
            list(copied(path, cache))
    assert cache.copies() == []


def test_the_whole_of_a_scattered_run_is_that_of_the_file(tmp_path: Path) -> None:
    path, cache = a_run(tmp_path / "a.run"), a_cache(tmp_path)
    first, *lines = path.read_text().splitlines()
    path.write_text("\n".join([first, *lines[::2], *lines[1::2]]) + "\n")
    plain = RunBlocks(str(path), SIZE).whole()
    for _ in range(2):
        whole = copied(path, cache).whole()
        assert whole.polars().equals(plain.polars())
        assert [whole.place(i) for i in (0, 600, 1199)] == [plain.place(i) for i in (0, 600, 1199)]


def test_a_copy_belongs_to_its_bytes_whatever_the_file_is_called(tmp_path: Path) -> None:
    path, cache = a_run(tmp_path / "a.run"), a_cache(tmp_path)
    list(copied(path, cache))
    other = Path(shutil.copy(path, tmp_path / "b.run"))
    run = copied(other, cache)
    assert next(iter(run)).place(3) == f"{other}:5"
    list(run)
    assert len(cache.copies()) == 1
    other.write_text(other.read_text().replace("4.0", "9.0"))
    assert max(block.polars()["score"].max() for block in copied(other, cache)) == 9.0  # type: ignore[type-var] # numbers
