"""Objects and tables of a store, in a server of S3's kind on this machine; nothing here leaves it."""

from __future__ import annotations

import dataclasses
import gzip
import http.client
import io
import os
import socket
import subprocess
import sys
import time

import polars as pl
import pytest
from polars.testing import assert_frame_equal

pytest.importorskip("obstore", reason="needs the extra lake")
pytest.importorskip("deltalake", reason="needs the extra lake")
pytest.importorskip("moto", reason="needs the dependency group lake")

import obstore
from obstore.store import from_url

import assay
from assay.errors import InputError
from assay.files import read_bytes
from assay.files.lake import arrow, data_files
from assay.files.objects import kind_of_prefix, objects_below

pytestmark = pytest.mark.slow  # a server has to start

ROWS = [("s1", "red", "d1", 1, 1), ("s1", "red", "d2", 2, 0), ("s2", "blue", "d1", 1, 0), ("s2", "blue", "d3", 2, 1)]
NAMES = ("impression_id", "query_id", "doc_id", "position", "clicked")
LOG = pl.DataFrame(ROWS, schema=NAMES, orient="row")


@pytest.fixture(scope="module")
def server():
    """The address of a store that knows one bucket after another."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            assert running.poll() is None, "the server ended"
            with socket.socket() as asked:
                if asked.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        running.terminate()
        running.wait()


@pytest.fixture(scope="module")
def bucket(server):
    """A bucket, with the environment that lets every library find it."""
    said = {"AWS_ENDPOINT_URL": server, "AWS_ALLOW_HTTP": "true", "AWS_ACCESS_KEY_ID": "key", "AWS_REGION": "us-east-1",
            "AWS_SECRET_ACCESS_KEY": "hush"}  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        for name, value in said.items():
            patch.setenv(name, value)
        asked = http.client.HTTPConnection(server.removeprefix("http://"))
        asked.request("PUT", "/logs")
        assert asked.getresponse().status == 200
        asked.close()
        yield "s3://logs"


def put(bucket, path, data):
    obstore.put(from_url(bucket), path, data)
    return f"{bucket}/{path}"


def as_bytes(frame, write="write_parquet"):
    held = io.BytesIO()
    getattr(frame, write)(held)
    return held.getvalue()


def told(found):
    return dataclasses.replace(found, source=None, log=None)


@pytest.fixture(scope="module")
def wanted(tmp_path_factory):
    path = tmp_path_factory.mktemp("log") / "log.parquet"
    LOG.write_parquet(path)
    return told(assay.behaviour(path))


class TestObjects:
    def test_one_a_prefix_and_a_glob(self, bucket):
        for name in ("a/1.csv", "a/2.parquet", "a/b/3.csv", "ab/4.csv"):
            put(bucket, f"named/{name}", b"x")
        named = f"{bucket}/named"
        assert objects_below(f"{named}/a/1.csv") == [f"{named}/a/1.csv"]
        assert objects_below(f"{named}/a") == [f"{named}/a/1.csv", f"{named}/a/2.parquet", f"{named}/a/b/3.csv"]
        assert objects_below(f"{named}/a/*.csv") == [f"{named}/a/1.csv"]
        assert objects_below(f"{named}/**/*.csv") == [f"{named}/a/1.csv", f"{named}/a/b/3.csv", f"{named}/ab/4.csv"]
        assert objects_below(f"{named}/a?/[!0-3].csv") == [f"{named}/ab/4.csv"]
        assert objects_below(f"{named}/none") == []

    def test_bytes_are_unpacked(self, bucket):
        assert read_bytes(put(bucket, "packed/x.gz", gzip.compress(b"q1 0 d1 1\n"))) == b"q1 0 d1 1\n"

    @pytest.mark.parametrize("parts", [1, 3])
    @pytest.mark.parametrize("write", ["write_parquet", "write_csv", "write_ndjson"])
    def test_a_log(self, bucket, wanted, write, parts):
        ending = {"write_parquet": "parquet", "write_csv": "csv", "write_ndjson": "jsonl"}[write]
        for part in range(parts):
            rows = LOG[part::parts] if parts > 1 else LOG
            address = put(bucket, f"{write}-{parts}/{part}.{ending}", as_bytes(rows, write))
        put(bucket, f"{write}-{parts}/_SUCCESS", b"")
        assert told(assay.behaviour(address if parts == 1 else f"{bucket}/{write}-{parts}")) == wanted

    def test_a_line_that_does_not_count_has_its_address(self, bucket):
        lines = "impression_id,query_id,doc_id,position,clicked\ns1,red,d1,1,1\ns1,red,d2,second,0\ns1,red,d3,3,0\n"
        address = put(bucket, "lines/log.csv", lines.encode())
        (left,) = assay.behaviour(address).log.left_out
        assert (left.n, left.places) == (1, (f"{address}:3",))

    def test_runs_and_judgments(self, bucket, tmp_path):
        run = pl.DataFrame({"query_id": ["q1", "q1", "q2"], "doc_id": ["a", "b", "a"], "score": [2.0, 1.0, 1.0]})
        given = {"run.parquet": as_bytes(run), "qrels.txt.gz": gzip.compress(b"q1 0 b 2\nq2 0 a 1\n")}
        here, there = [], []
        for name, data in given.items():
            (tmp_path / name).write_bytes(data)
            here.append(tmp_path / name)
            there.append(put(bucket, f"eval/{name}", data))
        wanted, found = assay.evaluate(*here, "nDCG@10 RR"), assay.evaluate(*there, "nDCG@10 RR")
        assert found.mean("nDCG@10") == wanted.mean("nDCG@10")
        assert found.source.hashes == wanted.source.hashes
        assert found.mean("RR") == pytest.approx(0.75)  # b is second for q1, a is first for q2
        assay.convert(there[1], tmp_path / "judged.csv")
        assert (tmp_path / "judged.csv").read_text().splitlines()[1:] == ["q1,b,2.0", "q2,a,1.0"]
        assay.convert(there[0], tmp_path / "out.run")
        assert (tmp_path / "out.run").read_text().startswith("q1 Q0 a 1 2.0 ")
        looked = assay.validate(*there)
        assert [(one.file, one.holds, one.rows) for one in looked.files] == [
            (there[0], "run", 3), (there[1], "judgments", 2)]  # fmt: skip
        assert looked.exit_code == assay.validate(*here).exit_code

    def test_nothing_there(self, bucket):
        with pytest.raises(InputError, match=r"^s3://logs/none.run: there is no such object"):
            read_bytes(f"{bucket}/none.run")
        with pytest.raises(InputError, match=r"^s3://logs/none: there is no such log"):
            assay.behaviour(f"{bucket}/none")
        with pytest.raises(InputError, match=r"^s3://nobody/x.csv: ") as error:
            assay.behaviour("s3://nobody/x.csv")
        assert "hush" not in str(error.value)

    def test_an_object_whose_ending_says_nothing(self, bucket):
        put(bucket, "odd/a.csv", as_bytes(LOG, "write_csv"))
        put(bucket, "odd/b.dat", b"x")
        with pytest.raises(InputError, match=r"^s3://logs/odd/b.dat: the ending does not say what the file is"):
            assay.behaviour(f"{bucket}/odd")

    def test_a_store_that_does_not_answer(self, bucket, monkeypatch):
        monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
        with pytest.raises(InputError, match=r"^s3://silent/x.run: the store does not give it"):
            read_bytes("s3://silent/x.run")


class TestTables:
    def test_delta(self, bucket, wanted):
        from deltalake import DeltaTable, write_deltalake

        address = f"{bucket}/delta"
        options = {"conditional_put": "etag"}
        for part in (LOG[:2], LOG[2:], LOG):
            write_deltalake(address, part.to_arrow(), mode="append", storage_options=options)
        DeltaTable(address).restore(1)
        assert told(assay.behaviour(address)) == wanted
        assert told(assay.behaviour(f"delta:{address}@1")) == wanted
        assert all(path.startswith(f"{address}/part-") for path in data_files(f"delta:{address}").paths)
        with pytest.raises(InputError, match="holds a Delta table") as error:
            assay.behaviour(bucket)
        assert error.value.remedy == f"name the table: delta:{address}"

    def test_iceberg(self, bucket, server, wanted, tmp_path):
        from pyiceberg.catalog.sql import SqlCatalog

        said = {"s3.endpoint": server, "s3.region": "us-east-1"}
        uri = f"sqlite:///{tmp_path}/catalog.db"
        catalogue = SqlCatalog("default", uri=uri, warehouse=f"{bucket}/warehouse", **said)
        catalogue.create_namespace("search")
        table = catalogue.create_table("search.log", schema=LOG.to_arrow().schema)
        table.append(LOG[:2].to_arrow())
        table.append(LOG[2:].to_arrow())
        catalogue.close()
        assert kind_of_prefix(f"{bucket}/warehouse/search/log") == "iceberg"
        for address in (f"{bucket}/warehouse/search/log", f"iceberg:{uri}#search.log"):
            assert told(assay.behaviour(address)) == wanted
            assert_frame_equal(pl.DataFrame(arrow(address)).sort("impression_id", "position"), LOG)

    def test_metadata_of_this_machine_that_name_a_store(self, bucket, server, tmp_path):
        from pyiceberg.catalog.sql import SqlCatalog

        said = {"s3.endpoint": server, "s3.region": "us-east-1"}
        catalogue = SqlCatalog("default", uri=f"sqlite:///{tmp_path}/catalog.db", warehouse=f"{bucket}/other", **said)
        catalogue.create_namespace("search")
        table = catalogue.create_table("search.log", schema=LOG.to_arrow().schema)
        table.append(LOG.to_arrow())
        catalogue.close()
        (tmp_path / "metadata").mkdir()
        (tmp_path / "metadata" / "00001-copied.metadata.json").write_bytes(read_bytes(table.metadata_location))
        with pytest.raises(InputError, match="the metadata name a file in another store: s3://logs/other/"):
            arrow(tmp_path)


def test_a_file_address_is_a_path(tmp_path):
    path = tmp_path / "a b.csv"
    LOG.write_csv(path)
    address = path.as_uri()
    assert address.endswith("a%20b.csv")
    assert told(assay.behaviour(address)) == told(assay.behaviour(path))
    assert read_bytes(address) == path.read_bytes()
    with pytest.raises(InputError, match=f"^{os.fspath(tmp_path)}/none.csv: no such file"):
        read_bytes((tmp_path / "none.csv").as_uri())
