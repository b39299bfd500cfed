"""trec_eval's and TREC's less usual judgments: diversity qrels, judgment groups, preferences, prels."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from assay.errors import InputError
from assay.formats.carried import Carried
from assay.tables import Judgment
from formats.outside.files import claims, lost, put, read, rows, said, same_in, write
from formats.outside.harness import block

DIVERSITY = "# web track\n51 1 dü1 1\n51 2 dü1 0\n51 1 d2 -2\n52 a d1 1\n"
GROUPS = "301 ann d1 1\n301 bob d1 0\n301 bob d2 2\n"
PREFS = "q1 ann s1 d1 3.0\nq1 ann s1 d2 2\nq1 ann s2 d1 0\nq1 bob s1 d2 1.5\n"
PRELS = "20001 clueweb-1 1 0 0.25\n20001 clueweb-2 0 1 1.0\n20001 clueweb-3 -1 1 0.5\n"
SAMPLES = {"trec-diversity": DIVERSITY, "trec-qrels-jg": GROUPS, "trec-prefs": PREFS, "trec-prels": PRELS}


def test_subtopics(tmp_path):
    got = read("trec-diversity", tmp_path, "q.txt", DIVERSITY)
    assert rows(got, Judgment, "query_id", "subtopic", "doc_id", "grade") == [
        ("51", "1", "dü1", 1.0), ("51", "2", "dü1", 0.0), ("51", "1", "d2", -2.0), ("52", "a", "d1", 1.0),
    ]  # fmt: skip
    assert got.facts == (f"{tmp_path}/q.txt: 1 comment line (starting with #) skipped",)
    plain = read("trec-diversity", tmp_path, "q.txt", "1 0 d 1\n")
    assert "every line has the subtopic 0" in plain.facts[0]


def test_groups_are_raters(tmp_path):
    got = read("trec-qrels-jg", tmp_path, "q.txt", GROUPS)
    assert rows(got, Judgment, "rater", "doc_id", "grade") == [
        ("ann", "d1", 1.0),
        ("bob", "d1", 0.0),
        ("bob", "d2", 2.0),
    ]


def test_preferences_are_comparable_within_their_group_alone(tmp_path):
    got = read("trec-prefs", tmp_path, "p.txt", PREFS)
    assert rows(got, Judgment, "rater", "doc_id", "grade", "dimension") == [
        ("ann/s1", "d1", 3.0, "preference"), ("ann/s1", "d2", 2.0, "preference"), ("ann/s2", "d1", 0.0, "preference"),
        ("bob/s1", "d2", 1.5, "preference"),
    ]  # fmt: skip


def test_probabilities_are_the_inclusion(tmp_path):
    got = read("trec-prels", tmp_path, "p.txt", PRELS)
    assert rows(got, Judgment, "doc_id", "grade", "inclusion") == [("clueweb-1", 1.0, 0.25), ("clueweb-2", 0.0, 1.0)]
    assert lost(got) == {"documents of the pool without a judgment": 1, "methods of choice": 2}


@pytest.mark.parametrize("format", SAMPLES)
def test_each_goes_out_and_comes_back(tmp_path, format):
    got = read(format, tmp_path, "in.txt", SAMPLES[format])
    assert write(format, got, tmp_path / "out.txt") == {}
    again = read(format, tmp_path, "again.txt", (tmp_path / "out.txt").read_bytes())
    assert rows(again, Judgment) == rows(got, Judgment)
    same_in(format, SAMPLES[format], "enc.txt", tmp_path)


@pytest.mark.parametrize(("format", "row", "what"), [
    ("trec-diversity", {"subtopic": "two words"}, "the id 'two words' holds white space, or would be a comment"),
    ("trec-diversity", {}, "a judgment has no subtopic"),
    ("trec-qrels-jg", {"grade": 0.5}, "document d of query q has the grade 0.5"),
    ("trec-qrels-jg", {"query_id": "#q"}, "the id '#q' holds white space, or would be a comment"),
    ("trec-prefs", {"grade": -1}, "document d of query q has the level -1"),
    ("trec-prels", {}, "a judgment has no inclusion probability"),
])  # fmt: skip
def test_what_the_lines_cannot_hold_is_refused(tmp_path, format, row, what):
    judged = block(Judgment, {"query_id": "q", "doc_id": "d", "grade": 1} | row)
    with pytest.raises(InputError) as caught:
        write(format, Carried("x", {Judgment: judged}), tmp_path / "out.txt")
    assert caught.value.what == what
    assert not (tmp_path / "out.txt").exists()


def test_only_preferences_are_surely_their_own(tmp_path):
    assert {format: claims(put(tmp_path, "f.txt", text)) for format, text in SAMPLES.items()} == {
        "trec-diversity": [], "trec-qrels-jg": [], "trec-prefs": ["trec-prefs"], "trec-prels": [],
    }  # fmt: skip


@pytest.mark.shared
def test_trec_evals_own_files(shared, tmp_path):
    folder = shared / "data/collections/trec_eval_tests"
    packed = (folder / "prefs.test.gz").read_bytes()
    got = read("trec-prefs", tmp_path, "prefs.test", packed)
    assert len(got.tables[Judgment]) == len(gzip.decompress(packed).split(b"\n")) - 1 == 164
    assert rows(got, Judgment, "query_id", "rater")[0] == ("1.EC.AB", "F:Ret,C:Not/F:RnkdLst2digits")
    assert claims(folder / "prefs.test.gz") == ["trec-prefs"]
    groups = read("trec-qrels-jg", tmp_path, "q", (folder / "qrels.123.gz").read_bytes())
    raters = [rater for (rater,) in rows(groups, Judgment, "rater")]
    assert [raters.count(one) for one in ("0", "1", "2")] == [3681, 3681, 3000]


def complain(folder: Path, format: str, content: str | bytes) -> str:
    return said(format, folder, "x.txt", content)


BROKEN = [
    ("trec-diversity", "# nothing\n", ("x.txt: holds nothing but comment lines\n    mend: write it anew")),
    (
        "trec-diversity",
        "51 1 d1\n",
        (
            "x.txt:1: expected 4 columns with white space between (query_id, subtopic, doc_id, grade), "
            "found 3\n"
            "    51 1 d1\n"
            "    mend: give every line all columns, and no more"
        ),
    ),
    (
        "trec-diversity",
        "51 1 d1 1 2\n51 1\n51 2 d1 x y\n51 1 d2\n",
        (
            "x.txt:1: expected 4 columns with white space between (query_id, subtopic, doc_id, grade), "
            "found 5\n"
            "    51 1 d1 1 2\n"
            "    mend: give every line all columns, and no more\n"
            "\n"
            "x.txt:2: expected 4 columns with white space between (query_id, subtopic, doc_id, grade), "
            "found 2\n"
            "x.txt:3: expected 4 columns with white space between (query_id, subtopic, doc_id, grade), "
            "found 5\n"
            "and 1 more. Nothing was written."
        ),
    ),
    (
        "trec-diversity",
        "51 1 d1 yes\n",
        (
            "x.txt:1: the grade 'yes' is a word\n"
            "    mend: say what labels are worth: --labels yes-no, or your own map as --labels "
            "'{good:2,fair:1,bad:0}'"
        ),
    ),
    (
        "trec-diversity",
        "51 1 d1 nan\n",
        ("x.txt:1: grade is NaN\n    mend: give every row a grade, or leave the row out"),
    ),
    (
        "trec-diversity",
        "51 1 d1 1\n51 1 d1 0\n",
        ("x.txt:2: document d1 of query 51 is judged 0, and 1 at x.txt:1\n    mend: keep one of the two"),
    ),
    ("trec-diversity", b"51 1 d\xff 1\n", ("x.txt:1: byte 0xff is not UTF-8\n    mend: save the file as UTF-8")),
    (
        "trec-diversity",
        "51 1 d\0 1\n",
        ("x.txt:1: is a binary file, not lines of text\n    mend: give the text file it was made from"),
    ),
    (
        "trec-diversity",
        "51 1 d1 1,5\n",
        ("x.txt:1: grade '1,5' has a decimal comma\n    mend: write it with a decimal point"),
    ),
    ("trec-diversity", "\n", ("x.txt: holds nothing but blank lines\n    mend: write it anew")),
    (
        "trec-qrels-jg",
        "301 ann d1\n",
        (
            "x.txt:1: expected 4 columns with white space between (query_id, group, doc_id, grade), "
            "found 3\n"
            "    301 ann d1\n"
            "    mend: give every line all columns, and no more"
        ),
    ),
    (
        "trec-qrels-jg",
        "301 ann d1 1 extra\n",
        (
            "x.txt:1: expected 4 columns with white space between (query_id, group, doc_id, grade), "
            "found 5\n"
            "    301 ann d1 1 extra\n"
            "    mend: give every line all columns, and no more"
        ),
    ),
    (
        "trec-qrels-jg",
        "301 ann d1 good\n",
        (
            "x.txt:1: the grade 'good' is a word\n"
            "    mend: say what each label is worth, such as --labels '{good:2,fair:1,bad:0}'"
        ),
    ),
    (
        "trec-qrels-jg",
        "301 ann d1 1\n301 bob d1 0\n301 ann d1 2\n",
        ("x.txt:3: document d1 of query 301 is judged 2, and 1 at x.txt:1\n    mend: keep one of the two"),
    ),
    (
        "trec-qrels-jg",
        "301 ann d1 1e999\n",
        ("x.txt:1: grade 1e999 is too large for a 64-bit number\n    mend: write a finite grade"),
    ),
    ("trec-qrels-jg", "301 ann d1 inf\n", ("x.txt:1: grade is infinite\n    mend: write a finite grade")),
    (
        "trec-qrels-jg",
        "301 ann d1 0x1\n",
        ("x.txt:1: grade '0x1' is not a number\n    mend: write a number as the grade"),
    ),
    ("trec-qrels-jg", "#301 ann d1 1\n", ("x.txt: holds nothing but comment lines\n    mend: write it anew")),
    (
        "trec-qrels-jg",
        b"\xff\xfe3\x00",
        (
            "x.txt:1: expected 4 columns with white space between (query_id, group, doc_id, grade), "
            "found 1\n"
            "    3\n"
            "    mend: give every line all columns, and no more"
        ),
    ),
    (
        "trec-qrels-jg",
        b"PK\x03\x04...",
        ("x.txt: is an Excel workbook or a zip archive\n    mend: save the sheet as CSV, or unpack it first"),
    ),
    (
        "trec-prefs",
        "q1 ann s1 d1\n",
        (
            "x.txt:1: expected 5 columns with white space between (query_id, group, subgroup, doc_id, "
            "level), found 4\n"
            "    q1 ann s1 d1\n"
            "    mend: give every line all columns, and no more"
        ),
    ),
    (
        "trec-prefs",
        "q1 ann s1 d1 3 4\n",
        (
            "x.txt:1: expected 5 columns with white space between (query_id, group, subgroup, doc_id, "
            "level), found 6\n"
            "    q1 ann s1 d1 3 4\n"
            "    mend: give every line all columns, and no more"
        ),
    ),
    ("trec-prefs", "q1 ann s1 d1 -1\n", ("x.txt:1: level -1 is below 0\n    mend: write levels from 0 up")),
    (
        "trec-prefs",
        "q1 ann s1 d1 better\n",
        (
            "x.txt:1: the grade 'better' is a word\n"
            "    mend: say what each label is worth, such as --labels '{good:2,fair:1,bad:0}'"
        ),
    ),
    (
        "trec-prefs",
        "q1 ann s1 d1 3\nq1 ann s1 d1 2\n",
        ("x.txt:2: document d1 of query q1 is judged 2, and 3 at x.txt:1\n    mend: keep one of the two"),
    ),
    (
        "trec-prefs",
        "q1 ann s1 d1 nan\n",
        ("x.txt:1: grade is NaN\n    mend: give every row a grade, or leave the row out"),
    ),
    (
        "trec-prefs",
        "q1 Q0 d1 1 3.5 tag\n",
        (
            "x.txt:1: expected 5 columns with white space between (query_id, group, subgroup, doc_id, "
            "level), found 6\n"
            "    q1 Q0 d1 1 3.5 tag\n"
            "    mend: give every line all columns, and no more"
        ),
    ),
    (
        "trec-prefs",
        "q1 0 d1 1\n",
        (
            "x.txt:1: expected 5 columns with white space between (query_id, group, subgroup, doc_id, "
            "level), found 4\n"
            "    q1 0 d1 1\n"
            "    mend: give every line all columns, and no more"
        ),
    ),
    ("trec-prefs", "# q1 ann s1 d1 3\n", ("x.txt: holds nothing but comment lines\n    mend: write it anew")),
    (
        "trec-prefs",
        "q1 ann s1 d1 1,5\n",
        ("x.txt:1: grade '1,5' has a decimal comma\n    mend: write it with a decimal point"),
    ),
    (
        "trec-prels",
        "20001 d 1 0\n",
        (
            "x.txt:1: expected 5 columns with white space between (query_id, doc_id, grade, method, "
            "probability), found 4\n"
            "    20001 d 1 0\n"
            "    mend: give every line all columns, and no more"
        ),
    ),
    (
        "trec-prels",
        "20001 d 1 0 0\n",
        (
            "x.txt:1: probability '0' is not above 0 and at most 1\n"
            "    mend: the columns are query_id doc_id grade method probability"
        ),
    ),
    (
        "trec-prels",
        "20001 d 1 0 1.5\n",
        (
            "x.txt:1: probability '1.5' is not above 0 and at most 1\n"
            "    mend: the columns are query_id doc_id grade method probability"
        ),
    ),
    (
        "trec-prels",
        "20001 d 1 0 -0.5\n",
        (
            "x.txt:1: probability '-0.5' is not above 0 and at most 1\n"
            "    mend: the columns are query_id doc_id grade method probability"
        ),
    ),
    (
        "trec-prels",
        "20001 d 1 0 often\n",
        (
            "x.txt:1: probability 'often' is not above 0 and at most 1\n"
            "    mend: the columns are query_id doc_id grade method probability"
        ),
    ),
    (
        "trec-prels",
        "20001 d 1 0 nan\n",
        (
            "x.txt:1: probability 'nan' is not above 0 and at most 1\n"
            "    mend: the columns are query_id doc_id grade method probability"
        ),
    ),
    (
        "trec-prels",
        "20001 d yes 0 0.5\n",
        (
            "x.txt:1: the grade 'yes' is a word\n"
            "    mend: say what labels are worth: --labels yes-no, or your own map as --labels "
            "'{good:2,fair:1,bad:0}'"
        ),
    ),
    (
        "trec-prels",
        "20001 d -1 0 0.5\n",
        ("x.txt: holds no judgment: every grade is negative\n    mend: give the judged documents too"),
    ),
    (
        "trec-prels",
        "20001 d 1 0 0.5\n20001 d 0 0 0.5\n",
        ("x.txt:2: document d of query 20001 is judged 0, and 1 at x.txt:1\n    mend: keep one of the two"),
    ),
    (
        "trec-prels",
        "20001 0 d 1\n",
        (
            "x.txt:1: expected 5 columns with white space between (query_id, doc_id, grade, method, "
            "probability), found 4\n"
            "    20001 0 d 1\n"
            "    mend: give every line all columns, and no more"
        ),
    ),
]


@pytest.mark.parametrize(("format", "content", "expected"), BROKEN)
def test_a_broken_file_says_what_where_and_how_to_mend(tmp_path, format, content, expected):
    assert complain(tmp_path, format, content) == expected
