import gzip
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
import zstandard

from assay.errors import InputError
from assay.files import Journal, locked, open_bytes, read_bytes, replacing

LINES = b"".join(b"q%d Q0 d%d 1 0.5 t\n" % (i, i * 7919) for i in range(3000))


def packed(kind, data=LINES):
    return gzip.compress(data, mtime=0) if kind == "gz" else zstandard.compress(data)


@pytest.mark.parametrize("kind", ["gz", "zst"])
def test_compressed_files_are_known_by_their_content(tmp_path, kind):
    path = tmp_path / "no-ending"
    path.write_bytes(packed(kind))
    assert read_bytes(path) == LINES
    with open_bytes(path) as stream:
        assert stream.peek(10)[:10] == LINES[:10]
        assert b"".join(iter(lambda: stream.read(1000), b"")) == LINES


@pytest.mark.parametrize("kind", ["gz", "zst"])
def test_several_members_are_one_file(tmp_path, kind):
    path = tmp_path / "two"
    path.write_bytes(packed(kind) + packed(kind, b"more\n") + b"\0" * 512)
    assert read_bytes(path) == LINES + b"more\n"


def test_a_zstandard_file_may_begin_with_a_frame_that_is_skipped(tmp_path):
    path = tmp_path / "a.zst"
    path.write_bytes(b"\x50\x2a\x4d\x18\x04\0\0\0abcd" + packed("zst"))
    assert read_bytes(path) == LINES


@pytest.mark.parametrize("kind", ["gz", "zst"])
@pytest.mark.parametrize("kept", [0.3, 0.9, 0.999])
def test_a_compressed_file_that_was_cut_short_is_refused_with_the_line(tmp_path, kind, kept):
    path = tmp_path / f"cut.run.{kind}"
    whole = packed(kind, os.urandom(3000).hex("\n", 40).encode())
    path.write_bytes(whole[: int(len(whole) * kept)])
    with pytest.raises(InputError, match="cut short") as caught:
        read_bytes(path)
    name, _, line = caught.value.where.rpartition(":")
    assert name == str(path)
    assert 1 <= int(line) <= 76


def test_the_line_of_a_cut_is_the_one_after_the_last_whole_line(tmp_path):
    path = tmp_path / "cut.gz"
    path.write_bytes(gzip.compress(b"a\nb\nc\n", mtime=0)[:-8])  # the data is whole, the check sum is not
    with pytest.raises(InputError) as caught:
        read_bytes(path)
    assert str(caught.value) == f"{path}:4: the compressed file was cut short\n    mend: copy or compress it again"


@pytest.mark.parametrize("kind", ["gz", "zst"])
def test_a_damaged_compressed_file_is_refused(tmp_path, kind):
    whole = bytearray(packed(kind))
    whole[len(whole) // 2] ^= 0xFF
    path = tmp_path / "bad"
    path.write_bytes(bytes(whole))
    with pytest.raises(InputError, match=r"bad:\d+: the compressed file (is damaged|was cut short)"):
        read_bytes(path)


@pytest.mark.parametrize("kind", ["gz", "zst"])
def test_what_follows_the_compressed_data_is_refused(tmp_path, kind):
    path = tmp_path / "tail"
    path.write_bytes(packed(kind) + b"something else")
    with pytest.raises(InputError, match="something else follows"):
        read_bytes(path)


def test_what_cannot_be_read_says_why(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bm25.run").write_bytes(b"x")
    (tmp_path / "empty").write_bytes(b"")
    expected = {
        "bm25.rnu": "bm25.rnu: no such file; did you mean bm25.run?\n    mend: check the spelling",
        "runs/x.run": "runs/x.run: no such file\n    mend: there is no folder runs",
        ".": ".: is a folder, not a file\n    mend: give one of the files in it",
        "empty": "empty: is empty\n    mend: write it anew",
    }
    for source, text in expected.items():
        with pytest.raises(InputError) as caught:
            read_bytes(source)
        assert str(caught.value) == text


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
def test_a_file_that_may_not_be_read_says_so(tmp_path):
    path = tmp_path / "secret"
    path.write_bytes(b"x")
    path.chmod(0)
    me = os.geteuid()
    os.seteuid(65534 if me == 0 else me)  # nothing is forbidden to root
    try:
        with pytest.raises(InputError, match="may not be read by this user"):
            read_bytes(path)
    finally:
        os.seteuid(me)


def test_open_files_are_read_when_they_are_binary():
    assert read_bytes(io.BytesIO(packed("gz"))) == LINES
    with pytest.raises(InputError, match="cannot read bytes from a StringIO"):
        read_bytes(io.StringIO("text"))


def test_standard_input_is_unpacked_and_can_be_looked_at_before_it_is_read():
    code = (
        "from assay.files import open_bytes, read_bytes\n"
        "assert open_bytes('-').peek(5)[:5] == b'q0 Q0'\n"
        "print(len(read_bytes('-')))\n"
        "try: read_bytes('-')\n"
        "except Exception as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], input=packed("zst"), capture_output=True, check=True)
    assert done.stdout.decode().splitlines() == [
        str(len(LINES)),
        "standard input: is empty",
        "    mend: standard input can be read once: give - for one file only",
    ]


def test_a_file_is_replaced_whole(tmp_path):
    path = tmp_path / "out"
    path.write_bytes(b"old")
    with replacing(path) as file:
        file.write(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["out"]


@pytest.mark.parametrize("stop", [KeyboardInterrupt, ValueError])
def test_a_stop_leaves_the_old_file_and_nothing_else(tmp_path, stop):
    path = tmp_path / "out"
    path.write_bytes(b"old")

    def write_half():
        with replacing(path) as file:
            file.write(b"half")
            raise stop

    with pytest.raises(stop):
        write_half()
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["out"]


@pytest.mark.skipif(os.name == "nt", reason="links and permissions of POSIX")
def test_replacing_keeps_a_link_and_the_permissions(tmp_path):
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_bytes(b"old")
    real.chmod(0o640)
    link.symlink_to(real)
    with replacing(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"
    assert real.stat().st_mode & 0o777 == 0o640


def test_replacing_where_nothing_can_be_written_says_so(tmp_path):
    for target, text in ((tmp_path, "is a folder, not a file"), (tmp_path / "no" / "x", "there is no folder")):
        with pytest.raises(InputError, match=text), replacing(target):
            pass


def test_a_journal_gives_back_whole_rows_and_forgets_a_torn_one(tmp_path):
    journal = Journal(tmp_path / "rows.jsonl")
    assert list(journal.rows()) == []
    journal.append({"query": "日本", "hits": 3})
    with journal.path.open("ab") as file:
        file.write(b'{"query": "torn')
    assert list(journal.rows()) == [{"query": "日本", "hits": 3}]
    journal.append({"query": "next"})
    assert list(journal.rows()) == [{"query": "日本", "hits": 3}, {"query": "next"}]


def test_a_journal_that_holds_something_else_names_the_line(tmp_path):
    (tmp_path / "j").write_bytes(b"1\nnot a row\n")
    with pytest.raises(InputError, match=r"j:2: is not a row of a journal"):
        list(Journal(tmp_path / "j").rows())


def test_a_lock_is_held_by_one_process(tmp_path):
    path = tmp_path / "lock"
    code = (
        "import sys\nfrom assay.files import locked\n"
        "try:\n with locked(sys.argv[1]): print('held')\n"
        "except Exception as error: print(error.what)\n"
    )

    def other():
        return subprocess.run(
            [sys.executable, "-c", code, path], capture_output=True, text=True, check=True
        ).stdout.strip()

    with locked(path):
        assert other() == "is in use by another process"
    assert other() == "held"


@pytest.mark.parametrize("kind", ["gz", "zst"])
def test_a_file_that_unpacks_to_far_more_than_texts_do_is_refused_early(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.files.reading.BOMB_FROM", 1 << 20)
    content = b"a" * (8 << 20)
    path = tmp_path / f"bomb.{kind}"
    path.write_bytes(gzip.compress(content, 9) if kind == "gz" else zstandard.ZstdCompressor(19).compress(content))
    with pytest.raises(InputError, match=r"bomb\.\w+: the compressed file unpacks to more than 500 times its size"):
        read_bytes(path)


def test_a_compressed_file_that_is_merely_repetitive_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.files.reading.BOMB_FROM", 1 << 20)
    content = b"".join(b"q1 Q0 document-%d 1 2.0 run\n" % n for n in range(100_000))
    (tmp_path / "r.gz").write_bytes(gzip.compress(content))
    assert read_bytes(tmp_path / "r.gz") == content
