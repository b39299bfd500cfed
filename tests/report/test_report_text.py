from __future__ import annotations

from assay.report.letters import width
from assay.report.page import (
    Column,
    Command,
    Fact,
    Facts,
    Heading,
    Mark,
    Page,
    Prose,
    Range,
    Remarks,
    Table,
    Value,
    Worked,
)
from assay.report.text import to_text

COLUMNS = (
    Column("measure", is_grouped=True), Column("run", is_name=True), Column("mean", "right"), Column("95 % interval"),
    Column("sd", "right", drop=1), Column("n", "right", drop=2),
)  # fmt: skip
TABLE = Table(
    COLUMNS,
    (
        ("nDCG@10", "bm25-12", Value(0.689), Range(0.6656, 0.7125), Value(0.188, 3), "1,240"),
        ("nDCG@10", "hybrid-07", Value(-12.5), Range(None, None), Value(None), "9"),
        ("NumRet", "hybrid-07", Value(1000.25), Range(1.0, 2.0), Value(10.0, 3), "9"),
    ),
)


def lines(part: object, width: int = 100, **more: bool) -> list[str]:
    return to_text(Page("title", ("answer",), (part,)), width, **more).splitlines()[2:]  # type: ignore[arg-type]


def test_the_answer_stands_first_and_parts_are_parted_by_a_blank_line() -> None:
    page = Page(
        "t",
        ("240 queries.",),
        (Heading("By segment", "lead"), Prose("said"), Worked(("a = b",)), Command("Try", "assay")),
    )
    assert to_text(page) == "240 queries.\n\nBy segment\nlead\n\nsaid\n\n  a = b\n\nTry\n  assay\n"


def test_numbers_line_up_on_the_point_and_a_group_is_named_once() -> None:
    assert lines(TABLE) == [
        "measure   run               mean   95 % interval          sd       n",
        "────────────────────────────────────────────────────────────────────",
        "nDCG@10   bm25-12         0.6890   0.6656 to 0.7125    0.188   1,240",
        "          hybrid-07     −12.5000   n/a                   n/a       9",
        "NumRet    hybrid-07   1,000.2500   1.0000 to 2.0000   10.000       9",
    ]


def test_a_whole_number_keeps_room_for_the_decimals_of_the_others() -> None:
    table = Table((Column("x", "right"), Column("y")), ((Value(3, 0), "a"), (Value(0.5, 2), "b"), (Value(None), "c")))
    assert lines(table)[2:] == ["3      a", "0.50   b", " n/a   c"]


def test_columns_go_by_their_rank_where_room_is_short_and_numbers_are_never_cut() -> None:
    assert lines(TABLE, 62)[0] == "measure   run               mean   95 % interval          sd"
    assert lines(TABLE, 60)[0].endswith("sd")
    for columns in range(60, 100):
        text = "\n".join(lines(TABLE, columns))
        assert "0.6656 to 0.7125" in text
        assert max(map(width, text.splitlines())) <= columns


def test_long_names_are_cut_in_the_middle_after_columns_have_gone() -> None:
    table = Table(COLUMNS[:4], (("nDCG@10", "a-very-long-name-of-a-run-that-nobody-needs-07", *TABLE.rows[0][2:4]),))
    shown = lines(table, 64)
    assert "…" in shown[2]
    assert shown[2].split()[1].endswith("-07")
    assert max(map(width, shown)) <= 64


def test_below_sixty_columns_each_row_is_a_block() -> None:
    assert lines(TABLE, 50)[:6] == [
        "nDCG@10  bm25-12",
        "  mean           0.6890",
        "  95 % interval  0.6656 to 0.7125",
        "  sd             0.188",
        "  n              1,240",
        "",
    ]


def test_prose_in_a_table_breaks_to_the_room_that_is_left() -> None:
    table = Table(
        (Column("name"), Column("says", is_prose=True)), (("a", "one two three four five six " * 5), ("b", "short"))
    )
    shown = lines(table, 60)
    assert max(map(width, shown)) <= 60
    assert " ".join(shown[2:]).split().count("three") == 5


def test_marks_have_a_shape_a_word_and_colour_only_where_asked() -> None:
    remarks = Remarks((Mark("unsure", "look"), Mark("plain", "fine")))
    assert lines(remarks) == ["Notes      ◆ look", "           fine"]
    assert lines(remarks, color=True)[0] == "Notes      \x1b[33m◆ look\x1b[0m"
    assert lines(remarks, ascii=True)[0] == "Notes      ? look"
    page = Page("t", (Mark("pass", "All fine."),))
    assert to_text(page) == "✔ All fine.\n"
    assert to_text(page, ascii=True) == "All fine.\n"


def test_red_never_stands_against_green() -> None:
    tones = ("better", "worse", "pass", "fail", "unsure")
    text = "".join(to_text(Page("t", (Mark(tone, "x"),)), color=True) for tone in tones)  # type: ignore[arg-type]
    assert not any(f"\x1b[{code}m" in text for code in ("31", "32", "91", "92"))


def test_coloured_cells_take_no_room() -> None:
    table = Table((Column("a"), Column("b"), Column("c")), (("x", Mark("better", "better"), "y"), ("x", "plain", "y")))
    shown = lines(table, color=True)
    assert shown[2].replace("\x1b[34m", "").replace("\x1b[0m", "") == lines(table)[2]


def test_wide_letters_do_not_shift_the_columns_behind_them() -> None:
    table = Table((Column("q", is_name=True), Column("x", "right")), (("自転車", Value(0.5)), ("bike", Value(0.25))))
    assert [width(line) for line in lines(table)[1:]] == [15, 15, 15]


def test_facts_stand_beside_their_labels_and_remarks_continue_them() -> None:
    page = Page(
        "t",
        ("a",),
        (Facts((Fact("Counted", ("one", "two")), Fact("nDCG@10", ("gain",)))), Remarks((Mark("plain", "odd"),))),
    )
    assert to_text(page).splitlines()[2:] == [
        "Counted    one", "           two", "nDCG@10    gain", "Note       odd",
    ]  # fmt: skip


def test_names_from_files_cannot_steer_the_terminal() -> None:
    table = Table((Column("run"),), (("a\x1b]0;owned\x07",),))
    text = to_text(Page("t\x1b", ("b\x1b[2J",), (table,)), color=True)
    assert "\x1b" not in text


def test_how_it_was_made_is_printed_on_request_only() -> None:
    page = Page("t", ("a",), (), Facts((Fact("Inputs", ("x",)),)))
    assert "Inputs" not in to_text(page)
    assert "Inputs     x" in to_text(page, made=True)


def test_letters_that_cannot_be_written_are_shown_by_their_codes_without_shifting_columns() -> None:
    table = Table((Column("q", is_name=True), Column("x", "right")), (("é", Value(0.5)), ("日", Value(-0.25))))
    text = to_text(Page("t", ("a",), (table,)), ascii=True, encoding="latin-1")
    assert text.splitlines()[4:] == ["é         0.5000", "\\u65e5   -0.2500"]


def test_a_table_that_becomes_blocks_keeps_its_names_whole_where_they_fit() -> None:
    """Numbers that are too wide turn 70 columns into blocks too, and a block has room for a name."""
    numbers = [Column(f"a long head of number {i}", "right") for i in range(4)]
    table = Table((Column("rule", is_name=True), Column("on", is_name=True), *numbers),
                  (("known items must not drop (advisory)", "R@100, known-item", "1", "2", "3", "4"),))  # fmt: skip
    assert "known items must not drop (advisory)  R@100, known-item" in lines(table, 70)
    assert max(map(len, lines(table, 40))) <= 40


def test_a_block_that_begins_with_a_number_says_of_what() -> None:
    table = Table((Column("people say", "right"), Column("clicks say 1", "right")), (("0", "43"), ("1", "7")))
    assert lines(table, 40) == ["people say 0", "  clicks say 1  43", "", "people say 1", "  clicks say 1  7"]


def test_heads_that_are_names_are_cut_in_the_middle_before_a_table_becomes_blocks() -> None:
    names = ("desktop, logged in, at home", "phone app (Android, 2026 layout)", "voice assistant of a car")
    table = Table((Column("position", "right"), *(Column(name, "right", is_named=True) for name in names)),
                  (("1", *(Value(1.0, 3) for _ in names)),))  # fmt: skip
    head, rule, row = lines(table, 60)
    assert len(rule) <= 60
    assert head.count("…") == 3
    assert row.split() == ["1", "1.000", "1.000", "1.000"]


def test_columns_move_closer_before_a_table_becomes_blocks() -> None:
    table = Table(tuple(Column("x" * 9, "right") for _ in range(6)), (tuple("123456"),))
    assert [len(line) for line in lines(table, 64)] == [64, 64, 64]
    assert [len(line) for line in lines(table, 60)] == [59, 59, 59]


def test_a_column_that_is_to_go_last_goes_only_where_cut_names_do_not_make_room() -> None:
    columns = (Column("document", is_name=True), Column("raw order", "right", drop=-1))
    columns += tuple(Column("x" * 9, "right") for _ in range(3))
    table = Table(columns, (("a long name of a document of thirty", "1", "2", "3", "4"),))
    assert "raw order" in lines(table, 60)[0]  # 12 for the name, 4 columns of 9, 4 gaps of 3
    wide = Table((*table.columns, Column("y" * 5)), ((*table.rows[0], "5"),))
    assert "raw order" not in lines(wide, 60)[0]
    assert lines(wide, 60)[2].startswith("a long n")
