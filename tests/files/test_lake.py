"""Tables of a lake: what the libraries that write them hold is what is read, and nothing else."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

pytest.importorskip("deltalake", reason="needs the extra lake")
pytest.importorskip("pyiceberg", reason="needs the extra lake")

from assay.errors import InputError, MissingExtra
from assay.files.lake import arrow, data_files, open_table
from lakes import as_delta, as_iceberg, delta_by_hand, iceberg_deletes

ROOT = Path(__file__).parents[2]
ROWS = pl.DataFrame({
    "query_id": [f"q{at % 4}" for at in range(20)],
    "day": ["2026-03-01", "2026-03-02"] * 10,
    "n": range(20),
    "late": [None] * 10 + [at / 2 for at in range(10)],
})  # fmt: skip
SMALL = pl.DataFrame({"q": ["a", "b", "c"], "n": [1, 2, 3]})


def rows_of(address, columns=None):
    frame = pl.DataFrame(arrow(address, columns))
    return frame.sort([name for name in ("n", "q") if name in frame.columns][:1])


def read_by_duckdb(address, columns=None):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(config={"autoinstall_known_extensions": False, "autoload_known_extensions": False}) as engine:
        engine.register("rows", arrow(address, columns))
        return pl.DataFrame(engine.sql("SELECT * FROM rows ORDER BY n"))


@pytest.fixture(scope="module", params=[None, "day"], ids=["plain", "by day"])
def delta(request, tmp_path_factory):
    return as_delta(ROWS, tmp_path_factory.mktemp("delta") / "table", by=request.param)


@pytest.fixture(scope="module", params=[None, "day"], ids=["plain", "by day"])
def iceberg(request, tmp_path_factory):
    return as_iceberg(ROWS, tmp_path_factory.mktemp("iceberg") / "warehouse", by=request.param)


@pytest.mark.slow
class TestRows:
    def test_delta_is_what_was_written(self, delta):
        assert_frame_equal(rows_of(delta, ROWS.columns), ROWS)
        assert_frame_equal(read_by_duckdb(delta, ROWS.columns), ROWS)

    def test_iceberg_is_what_was_written(self, iceberg):
        for address in iceberg:
            assert_frame_equal(rows_of(address, ROWS.columns), ROWS)
            assert_frame_equal(read_by_duckdb(address, ROWS.columns), ROWS)

    def test_only_the_columns_that_are_asked_for(self, delta, iceberg):
        for address in (delta, *iceberg):
            assert rows_of(address, ["late", "n"]).columns == ["late", "n"]

    def test_a_stream_can_be_taken_again(self, delta, iceberg):
        for address in (delta, iceberg[0]):
            rows = arrow(address, ["n"])
            assert [pl.DataFrame(rows).height for _ in range(3)] == [20, 20, 20]

    def test_what_happens_after_opening_changes_nothing(self, tmp_path):
        from deltalake import write_deltalake

        address = as_delta(ROWS, tmp_path / "table")
        held = arrow(address, ["n"])
        write_deltalake(address, ROWS.to_arrow(), mode="append")
        assert (pl.DataFrame(held).height, rows_of(address).height) == (20, 40)

    def test_deletion_vectors_take_rows_out(self, tmp_path):
        address = delta_by_hand(SMALL, tmp_path / "table", deleted=[1])
        assert rows_of(address).rows() == [("a", 1), ("c", 3)]

    def test_mapped_columns_have_the_names_of_the_table(self, tmp_path):
        names = {"q": "col-1", "n": "q"}  # the file's q is the table's n
        assert_frame_equal(rows_of(delta_by_hand(SMALL, tmp_path / "table", names=names)), SMALL)

    def test_position_deletes_take_rows_out(self, tmp_path):
        folder, _ = as_iceberg(ROWS, tmp_path / "warehouse", pieces=1)
        iceberg_deletes(folder, [0, 19])
        assert list(rows_of(folder)["n"]) == list(range(1, 19))

    def test_a_renamed_column_of_iceberg(self, tmp_path):
        from pyiceberg.catalog.sql import SqlCatalog

        folder, address = as_iceberg(ROWS, tmp_path / "warehouse")
        catalogue = SqlCatalog("default", uri=f"sqlite:///{tmp_path}/warehouse/catalog.db")
        with catalogue.load_table("search.log").update_schema() as schema:
            schema.rename_column("query_id", "day_of_week").rename_column("day", "query_id")
        catalogue.close()
        wanted = ROWS.rename({"query_id": "day_of_week", "day": "query_id"})
        for one in (folder, address):
            assert_frame_equal(rows_of(one, wanted.columns), wanted)

    def test_a_table_without_rows(self, tmp_path):
        from deltalake import DeltaTable

        address = as_delta(ROWS, tmp_path / "table")
        DeltaTable(address).delete()
        assert rows_of(address).height == 0
        assert data_files(address).paths == ()


@pytest.mark.slow
class TestVersions:
    def test_delta_as_it_was(self, tmp_path):
        address = as_delta(ROWS, tmp_path / "table")
        assert rows_of(f"delta:{address}@0")["query_id"].unique().to_list() == ["junk"]
        assert data_files(f"delta:{address}@0").version == 0

    def test_iceberg_as_it_was(self, tmp_path):
        folder, _ = as_iceberg(ROWS, tmp_path / "warehouse")
        said = json.loads(max(Path(folder).glob("metadata/*.metadata.json")).read_text("utf-8"))
        first = said["snapshots"][0]["snapshot-id"]
        frame = rows_of(f"iceberg:{folder}@{first}")
        assert frame["query_id"].unique().to_list() == ["junk"]
        assert "late" not in frame.columns

    def test_a_folder_whose_name_ends_like_a_version(self, tmp_path):
        address = as_delta(ROWS, tmp_path / "table@7")
        assert rows_of(f"delta:{address}").height == 20

    def test_a_version_that_never_was(self, tmp_path):
        delta = as_delta(ROWS, tmp_path / "table")
        folder, _ = as_iceberg(ROWS, tmp_path / "warehouse")
        with pytest.raises(InputError, match=f"delta:{delta}@99: version 99 of the Delta table cannot be read"):
            open_table(f"delta:{delta}@99")
        with pytest.raises(InputError, match=f"iceberg:{folder}@99: the Iceberg table has no snapshot 99") as error:
            open_table(f"iceberg:{folder}@99")
        said = json.loads(max(Path(folder).glob("metadata/*.metadata.json")).read_text("utf-8"))
        latest = [str(one["snapshot-id"]) for one in said["snapshots"][-3:]]
        assert error.value.remedy == f"name one of its latest: {', '.join(latest)}"

    def test_the_content_is_told_by_the_version(self, tmp_path):
        delta = as_delta(ROWS, tmp_path / "table")
        assert open_table(delta).content() == open_table(f"delta:{delta}").content()
        assert open_table(delta).content() != open_table(f"delta:{delta}@0").content()


@pytest.mark.slow
class TestDataFiles:
    def test_of_delta_hold_all_but_the_partitions(self, delta):
        held = data_files(delta)
        frames = []
        for path, values in zip(held.paths, held.partitions or [{}] * len(held.paths), strict=True):
            frame = pl.read_parquet(path, hive_partitioning=False)
            known = [pl.lit(values.get(name)).alias(name) for name in held.folders]
            frames.append(frame.with_columns(known))
        assert_frame_equal(pl.concat(frames, how="diagonal").select(ROWS.columns).sort("n"), ROWS)
        assert held.folders == (("day",) if "day=" in held.paths[0] else ())
        assert held.root == (delta if held.folders else "")
        assert not held.is_ordered
        assert sorted(held.schema.names) == sorted(ROWS.columns)

    def test_of_iceberg_hold_all(self, iceberg):
        held = data_files(iceberg[1])
        paths = [path.removeprefix("file://") for path in held.paths]
        frame = pl.concat([pl.read_parquet(path, hive_partitioning=False) for path in paths], how="diagonal")
        assert_frame_equal(frame.select(ROWS.columns).sort("n"), ROWS)
        assert (held.partitions, held.root) == (None, "")

    def test_values_that_a_folder_cannot_spell(self, tmp_path):
        from deltalake import write_deltalake

        kinds = ["a b:c/d%41", "ü", None]
        write_deltalake(tmp_path / "table", pl.DataFrame({"k": kinds, "n": [1, 2, 3]}).to_arrow(), partition_by=["k"])
        held = data_files(tmp_path / "table")
        assert all(os.path.isfile(path) for path in held.paths)
        assert sorted(one.get("k", "") for one in held.partitions) == ["", "a b:c/d%41", "ü"]
        assert held.root == ""  # Spark would read ü as two letters

    @pytest.mark.parametrize(
        ("settings", "message"),
        [({"deleted": [1]}, "rows of its files are deleted by deletion vectors"),
         ({"names": {"q": "col-1"}}, "the columns of its files have other names")],
    )  # fmt: skip
    def test_refused_where_files_say_something_else(self, tmp_path, settings, message):
        address = delta_by_hand(SMALL, tmp_path / "table", **settings)
        with pytest.raises(InputError, match=f"^{address}: {message}"):
            data_files(address)

    def test_deletion_vectors_that_no_file_has(self, tmp_path):
        assert len(data_files(delta_by_hand(SMALL, tmp_path / "table", deleted=[])).paths) == 1

    def test_refused_with_position_deletes_and_renamed_columns(self, tmp_path):
        from pyiceberg.catalog.sql import SqlCatalog

        folder, address = as_iceberg(ROWS, tmp_path / "warehouse", pieces=1)
        catalogue = SqlCatalog("default", uri=f"sqlite:///{tmp_path}/warehouse/catalog.db")
        with catalogue.load_table("search.log").update_schema() as schema:
            schema.rename_column("day", "date")
        catalogue.close()
        with pytest.raises(InputError, match="its files may have other names for date, which was renamed"):
            data_files(address)
        iceberg_deletes(folder, [0])
        with pytest.raises(InputError, match="rows of its files are deleted by other files"):
            data_files(folder)


class TestFaults:
    def test_no_table(self, tmp_path):
        for address, message in [
            (f"delta:{tmp_path}/none", "there is no Delta table"),
            (f"iceberg:{tmp_path}", "there is no Iceberg table"),
            (f"iceberg:sqlite:///{tmp_path}/none.db#a.b", "there is no such catalogue"),
            (f"iceberg:{tmp_path}#b", "does not name a table of a catalogue"),
            (str(tmp_path), "is no table of a lake"),
        ]:
            with pytest.raises(InputError) as error:
                open_table(address)
            assert str(error.value).startswith(f"{address}: {message}")
        assert os.listdir(tmp_path) == []  # SQLite makes what it does not find

    def test_no_table_of_that_name(self, tmp_path):
        as_iceberg(ROWS, tmp_path / "warehouse")
        address = f"iceberg:sqlite:///{tmp_path}/warehouse/catalog.db#search.none"
        with pytest.raises(InputError, match=f"^{address}: there is no such Iceberg table"):
            open_table(address)

    def test_a_catalogue_by_its_name_in_the_environment(self, tmp_path, monkeypatch):
        as_iceberg(ROWS, tmp_path / "warehouse")
        with pytest.raises(InputError, match="PYICEBERG_CATALOG__DEFAULT__URI"):
            open_table("iceberg:default#search.log")
        asked = (
            "import polars as pl; from assay.files.lake import arrow; "
            "print(pl.DataFrame(arrow('iceberg:default#search.log')).height)"
        )
        said = {"PYICEBERG_CATALOG__DEFAULT__URI": f"sqlite:///{tmp_path}/warehouse/catalog.db"}
        done = subprocess.run([sys.executable, "-c", asked], env={**os.environ, **said}, capture_output=True, text=True)
        assert (done.stdout.strip(), done.returncode) == ("20", 0), done.stderr

    def test_a_column_that_is_not_there(self, delta, iceberg):
        for address in (delta, iceberg[1]):
            with pytest.raises(InputError) as error:
                arrow(address, ["querry_id"])
            first = f"{address}: the table has no column querry_id; did you mean query_id?"
            assert str(error.value).splitlines()[0] == first

    def test_a_data_file_that_is_gone(self, tmp_path):
        from assay.files.lake import read_frame

        delta = as_delta(ROWS, tmp_path / "delta")
        folder, _ = as_iceberg(ROWS, tmp_path / "warehouse")
        for address in (delta, folder):
            gone = data_files(address).paths[0].removeprefix("file://")
            os.remove(gone)
            with pytest.raises(InputError) as error:
                read_frame(arrow(address, ["n"]))
            assert str(error.value).startswith(f"{address}: the table cannot be read to its end")
            assert os.path.basename(gone) in str(error.value)

    def test_equality_deletes_are_refused(self, tmp_path):
        folder, _ = as_iceberg(ROWS, tmp_path / "warehouse", pieces=1)
        iceberg_deletes(folder, [0], "EQUALITY_DELETES")
        with pytest.raises(InputError, match=f"^{folder}: rows are deleted by equality deletes"):
            open_table(folder)

    def test_two_metadata_files_that_compete(self, tmp_path):
        folder, address = as_iceberg(ROWS, tmp_path / "warehouse")
        newest = max(Path(folder).glob("metadata/*.metadata.json"))
        shutil.copy(newest, newest.with_name(newest.name[:6] + "other.metadata.json"))
        with pytest.raises(InputError, match="two writers left metadata of the same number"):
            open_table(folder)
        assert rows_of(address).height == 20
        assert rows_of(f"iceberg:{newest}").height == 20

    @pytest.mark.parametrize("path", ["../secret.parquet", "%2e%2e/secret.parquet", "/secret.parquet", "s3://b/x.parquet",
                                      "file:/secret.parquet"])  # fmt: skip
    def test_a_log_that_names_a_file_elsewhere(self, tmp_path, path):
        address = delta_by_hand(SMALL, tmp_path / "table", path=path)
        SMALL.write_parquet(tmp_path / "secret.parquet")
        with pytest.raises(InputError, match="the log names a file outside of the table"):
            open_table(address)

    def test_metadata_that_name_a_store_or_a_class(self, tmp_path):
        folder, _ = as_iceberg(ROWS, tmp_path / "warehouse")
        newest = max(Path(folder).glob("metadata/*.metadata.json"))
        said = json.loads(newest.read_text("utf-8"))
        said["properties"] = {"py-io-impl": "no.such.Class", "s3.endpoint": "http://elsewhere"}
        newest.write_text(json.dumps(said), "utf-8")
        assert rows_of(folder).height == 20

    @pytest.mark.parametrize("address", [
        "delta:s3://key:hush@bucket/table", "iceberg:postgresql://me:hush@host/db#a.b", "s3://hush@bucket/table",
        "s3a://key:hush@bucket/table", "abfss://box:hush@account.dfs.core.windows.net/t",
        "s3://bucket/t?X-Amz-Signature=hush", "iceberg:https://host/v1?token=hush#a.b",
    ])  # fmt: skip
    def test_no_secret_in_an_address_and_none_in_the_message(self, address):
        with pytest.raises(InputError, match="the address holds a") as error:
            open_table(address)
        assert "hush" not in str(error.value)

    def test_the_extra_is_named(self, tmp_path, monkeypatch):
        delta = as_delta(ROWS, tmp_path / "delta")
        folder, _ = as_iceberg(ROWS, tmp_path / "warehouse")
        for name in ("deltalake", "pyiceberg.catalog", "obstore"):
            monkeypatch.setitem(sys.modules, name, None)
        for name in ("assay.files.delta", "assay.files.iceberg"):
            monkeypatch.delitem(sys.modules, name, raising=False)
        for address in (delta, folder, "s3://bucket/table"):
            with pytest.raises(MissingExtra, match=r"pip install 'assay\[lake\]'"):
                open_table(address)


@pytest.mark.slow
def test_the_guide_prints_what_it_shows(tmp_path):
    sys.path.insert(0, str(ROOT / "docs"))
    import console

    folder = console.example_folder(tmp_path / "example")
    page = ROOT / "docs" / "how-to" / "lake-and-object-store.md"
    blocks = [block for block in console.blocks(page) if "lake" in block.info.split()]
    assert [block.kind for block in blocks] == ["python", "console", "python", "console"]
    for block in blocks:
        if block.kind == "python":
            (folder / "script.py").write_text(block.text, encoding="utf-8")
            assert console.run(f"{sys.executable} script.py", folder) == (0, "")
            continue
        *_, (last, _) = shown = console.commands(block.text)
        for command, expected in shown:
            code, actual = console.run(command, folder)
            assert code == (block.exit_code if command == last else 0), actual
            assert console.fits(expected, actual), actual
