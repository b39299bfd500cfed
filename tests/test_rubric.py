from __future__ import annotations

import pytest

from assay.errors import InputError
from assay.flows.rubric_template import RUBRIC
from assay.rubric import Rubric

SMALL = """\
+++
name = "Shop"
base = "fit"

[grade.0]
name = "no"
labels = ["I"]

[grade.1]
name = "yes"
labels = ["S", "E"]

[dimension.fit]
means = { 0 = "no", 1 = "yes" }

[dimension.fresh]

[cap.stale]
dimension = "fresh"
at_most = 0
grade = 0
+++
Look twice.
"""


def test_what_a_rubric_says() -> None:
    rubric = Rubric.parse(SMALL)
    assert (rubric.name, rubric.scale, rubric.base, rubric.body) == ("Shop", (0.0, 1.0), "fit", "Look twice.")
    assert [one.name for one in rubric.dimensions] == ["fit", "fresh"]
    assert rubric.dimensions[0].means == ((0.0, "no"), (1.0, "yes"))


@pytest.mark.parametrize(
    ("values", "grade"),
    [
        ({"fit": 1.0, "fresh": 1.0}, 1.0),
        ({"fit": 1.0, "fresh": 0.0}, 0.0),
        ({"fit": 0.0, "fresh": 1.0}, 0.0),
        ({"fit": 1.0}, 1.0),
        ({"fit": 1.0, "fresh": None}, 1.0),
        ({"fresh": 1.0}, None),
    ],
)
def test_the_grade_starts_from_the_base_and_caps_hold_it_down(
    values: dict[str, float | None], grade: float | None
) -> None:
    assert Rubric.parse(SMALL).grade_of(values) == grade


def test_the_usual_rubric_caps_what_is_out_of_date() -> None:
    rubric = Rubric.parse(RUBRIC)
    assert rubric.scale == (0.0, 1.0, 2.0, 3.0)
    assert [one.name for one in rubric.grades] == ["irrelevant", "marginal", "relevant", "perfect"]
    assert all(one.good and one.borderline and one.definition for one in rubric.grades)
    assert rubric.grade_of({"topicality": 3, "freshness": 0}) == 1
    assert rubric.grade_of({"topicality": 3, "freshness": 1, "authority": 0}) == 3


def test_labels_of_other_tools_are_grades() -> None:
    labels = Rubric.parse(SMALL).labels
    assert [labels.grade(text, "a.csv:2") for text in ("I", "e", "YES")] == [0.0, 1.0, 1.0]
    assert [labels.grade(text, "a.csv:2") for text in ("0", "1")] == [0.0, 1.0]  # a grade that is one already
    with pytest.raises(InputError, match=r"a.csv:2: the label map Shop has no label 'C'"):
        labels.grade("C", "a.csv:2")


def test_a_version_is_of_the_words_and_not_of_blanks() -> None:
    one = Rubric.parse(SMALL).version
    assert Rubric.parse("\ufeff" + SMALL.replace("\n", " \r\n") + "\n\n").version == one
    assert Rubric.parse(SMALL.replace("twice", "once")).version != one
    assert Rubric.parse(SMALL.replace('"yes"', '"Yes"')).version != one


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("+++\nname", "name", "r.md:1: does not begin with a line +++"),
        ("+++\nLook twice.", "Look twice.", "r.md:1: the head has no end: a second line +++ is missing"),
        ('name = "no"', 'nmae = "no"', "r.md:6: unknown key nmae; did you mean name?"),
        ('name = "no"\n', "", "r.md:5: grade 0 has no name"),
        ("[grade.0]", "[grade.zero]", "r.md:5: 'zero' is no number"),
        ("[grade.0]", '[grade."1.0"]', "the grade 1 comes twice"),
        ('"S", "E"', '"S", "I"', "'I' names two grades"),
        ('base = "fit"', 'base = "fti"', "r.md:3: base is fti, which is no dimension; did you mean fit?"),
        ('base = "fit"\n', "", "there are dimensions and no base"),
        ('dimension = "fresh"', 'dimension = "frsh"', "r.md:19: the cap stale is about frsh, which is no dimension"),
        ("at_most = 0\n", "", "r.md:18: the cap stale has no at_most"),
        ("grade = 0\n+++", "grade = 7\n+++", "r.md:21: the cap stale gives 7, which is no grade"),
        ("[dimension.fit]", "[dimension.relevance]", "r.md:13: relevance is the grade itself"),
        ('labels = ["I"]', "labels = 3", "r.md:7: labels is no list of words"),
        ("name = \"Shop\"", "name = Shop", "r.md:2: is not TOML"),
        ('means = { 0 = "no", 1 = "yes" }', "means = { 0 = 1 }", "r.md:14: means is no table of words"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_line(old: str, new: str, said: str) -> None:
    assert old in SMALL
    with pytest.raises(InputError) as caught:
        Rubric.parse(SMALL.replace(old, new, 1), "r.md")
    assert said in str(caught.value)


def test_one_grade_is_no_scale() -> None:
    with pytest.raises(InputError, match="two grades at least"):
        Rubric.parse('+++\n[grade.1]\nname = "yes"\n+++\n')
