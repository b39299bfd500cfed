from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.text import Near, fold, folded, personal_data, tokens


@pytest.mark.parametrize(
    ("one", "other", "rule"),
    [
        ("rain  jacket ", "rain jacket", "exact"),
        ("Rain Jacket", "rain jacket", "form"),
        ('"rain jacket"', "rain jacket!", "form"),
        ("ｒａｉｎ jacket", "rain jacket", "form"),
        ("cafe\u0301", "café", "form"),
        ("STRASSE", "straße", "form"),
        ("jacket rain", "rain jacket jacket", "words"),
        ("雨衣！", "雨衣", "form"),
        ("İSTANBUL", "istanbul", "form"),  # the capital of the Turkish dotted i
        ("İzmir oteli", "izmir oteli", "form"),
        ("红色　手机", "红色 手机", "form"),  # an ideographic space
        ("مطر، معطف", "مطر معطف", "form"),  # an Arabic comma
        ("\ufe95\ufedc\ufe98", "\u062a\u0643\u062a", "form"),  # letters in the forms of an old code page
    ],
)
def test_queries_that_are_one(one: str, other: str, rule: str) -> None:
    assert fold(one, rule) == fold(other, rule)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "other", "rule"),
    [
        ("Rain", "rain", "exact"),
        ("jacket rain", "rain jacket", "form"),
        ("c++", "c", "form"),
        ("c#", "c", "form"),
        ("3.5mm", "35mm", "form"),
        ("ab-12", "ab12", "form"),
        ("50%", "50", "form"),
        ("boots", "boot", "words"),
        ("café", "cafe", "words"),
        ("kış", "kis", "form"),  # the Turkish dotless i is a letter of its own
        ("ısı", "isi", "form"),
        ("müller", "mueller", "form"),
        ("手机", "手機", "words"),
        ("红色手机", "红色 手机", "form"),
        ("كِتاب", "كتاب", "form"),
    ],
)
def test_queries_that_stay_two(one: str, other: str, rule: str) -> None:
    assert fold(one, rule) != fold(other, rule)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "other", "near", "is_one"),
    [
        ("jackets", "jacket", "plurals", True),
        ("batteries", "battery", "plurals", True),
        ("Schuhe", "Schuh", "plurals", False),  # the rule knows English alone
        ("Gläser", "Glas", "plurals", False),
        ("Häuser", "Haus", "plurals", False),
        ("Haus", "Hau", "plurals", False),
        ("ayakkabılar", "ayakkabı", "plurals", False),
        ("كتب", "كتاب", "plurals", False),
        ("手机s", "手机", "plurals", False),
        ("Glas", "Gla", "plurals", True),  # what it costs where the queries are not English, as the docs say
        ("müller", "muller", "accents", True),
        ("kış", "kis", "accents", False),  # ı has no mark that could be left out
        ("şık", "sık", "accents", True),
        ("كِتاب", "كتاب", "accents", False),  # marks of other scripts make other letters
        ("が", "か", "accents", False),
    ],
)
def test_near_rules_keep_to_their_language_and_script(one: str, other: str, near: Near, is_one: bool) -> None:
    assert (fold(one, "form", (near,)) == fold(other, "form", (near,))) is is_one


@given(st.text(max_size=30), st.sampled_from(["exact", "form", "words"]))
def test_folding_twice_changes_nothing(text: str, rule: str) -> None:
    once = fold(text, rule)  # type: ignore[arg-type]
    assert fold(once, rule) == once  # type: ignore[arg-type]
    assert bool(once) == bool(text.split())


@given(st.text("iİıI\u0307\u0301\u0323\u0328 a", max_size=12))
def test_folding_dotted_letters_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


def test_a_query_of_punctuation_is_not_nothing() -> None:
    assert fold("???") == "???"


CARDS = (  # numbers that the networks publish for tests
    "4111 1111 1111 1111", "5555555555554444", "2223003122003222", "378282246310005", "3782 822463 10005",
    "30569309025904", "36227206271667", "6011111111111117", "3530111333300000", "6200000000000005",
    "6759649826438453", "5500-0000-0000-0004",
)  # fmt: skip


@pytest.mark.parametrize("text", CARDS)
def test_a_card_is_told_by_network_length_groups_and_check_digit(text: str) -> None:
    assert personal_data(f"pay {text} please") == "card"
    last = text[-1]
    wrong = text[:-1] + str((int(last) + 1) % 10)  # one digit wrong is no card: Luhn finds every such error
    assert personal_data(wrong) is None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("mail jo@example.org please", "e-mail"),
        ("jo＠example.org", "e-mail"),
        ("jo (at) example.org", "e-mail"),
        ("jo[AT]example.org", "e-mail"),
        ("+49 30 901820", "phone"),
        ("+4930901820", "phone"),
        ("call 030 901820 12", "phone"),
        ("(555) 010-9999 44", "phone"),
        ("0171-5550199", "phone"),
        ("01715550199", "phone"),
        ("06 12 34 56 78", "phone"),
        ("00491715550199", "phone"),
        ("555-867-5309", "phone"),
        ("1 800 555 0199", "phone"),
        ("612 345 678", "phone"),
        ("138 1234 5678", "phone"),
        ("98765 43210", "phone"),
        ("part of call 555 867 5309", "phone"),
        ("sku +49 171 5550199", "phone"),
        ("GB82 WEST 1234 5698 7654 32", "IBAN"),
        ("de89370400440532013000", "IBAN"),
        ("DE89-3704-0044-0532-0130-00", "IBAN"),
        ("jo at example dot org", "e-mail"),
        ("jo (at) example (dot) org", "e-mail"),
        ("jo at example dot at", "e-mail"),  # countries that are words, too
        ("write to jo at example dot it.", "e-mail"),
        ("jo at example dot in, please", "e-mail"),
        ("jo at example (dot) in please", "e-mail"),
        ("jo at example dot de please", "e-mail"),
        ("jo at example dot uk", "e-mail"),
        ("555\u2013867\u20135309", "phone"),  # the dash of a text program
        ("030\u2011901820\u201112", "phone"),  # one that does not break
        ("\u202a+49 171 5550199\u202c", "phone"),  # as an address book gives it to the clipboard
        ("01\u200b71-5550199", "phone"),
        ("+٤٩ ٣٠ ٩٠١٨٢٠", "phone"),
        ("٠١٧١٥٥٥٠١٩٩", "phone"),
        ("call 5558675309", "phone"),
        ("Tel.: 612345678", "phone"),
        ("whatsapp nr 9876543210", "phone"),
        ("4111\u20131111\u20131111\u20131111", "card"),
        ("٤١١١١١١١١١١١١١١١", "card"),
        ("४१११ ११११ ११११ ११११", "card"),
    ],
)
def test_personal_data_is_found(text: str, kind: str) -> None:
    assert personal_data(text) == kind


@pytest.mark.parametrize(
    "text",
    [
        "rain jacket", "SKU-12345678", "4006381333931", "iphone 15", "195/65 r15 91h", "2026-11-30", "3.5 mm jack",
        "1 2 3 4 5", "0.5 l bottle", "@work", "10.5", "7x9 frame", "gtin 04006381333931", "1920 1080", "DE12 3456",
        "red dot sight", "look at polka dot dress", "aim at red dot on pistol",
        "look at polka dot in photoshop", "amazon at echo dot is not working", "look at polka dot xl",
        "mobile phone 12345678", "cell 3000 mah", "5558675309",
        "雨衣 10", "recall 555867530", "hotel 123456789",
    ],
)  # fmt: skip
def test_what_a_shop_is_asked_is_not_personal(text: str) -> None:
    assert personal_data(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "302-1234567-1234565",  # an order number with a right check digit: no card is grouped so
        "order 9876543210987658",  # 16 digits with a right check digit, of no network
        "356938035643809",  # an IMEI: 15 digits with a right check digit, and no American Express
        "400638133393 4111",  # a barcode and a number
        "isbn 978-3-16-148410-0", "0-306-40615-2", "036000291452", "00012345678905",  # books and barcodes
        "AB-030-901820", "030-901820-XL", "030-901820a", "X030-901820",  # a letter hangs on it
        "sku 030-901820-1", "part no. 555-867-5309", "Artikel-Nr. 0171 5550199",  # a word says what it is
        "800-123-4567", "100-200-300", "12-3456-7890",  # groups that no phone number has
        "205 55 16 91", "205/55/16 91", "1920 1080 144", "10 20 30 40 50",  # tyres, screens, sizes
        "2026-11-30 18 30", "30.11.2026 18.30", "0.5 0.75 1.25 1.5",  # days and decimals
    ],
)  # fmt: skip
def test_what_only_looks_like_a_card_or_a_phone_is_kept(text: str) -> None:
    assert personal_data(text) is None


def test_places_of_equal_texts() -> None:
    assert folded(["A", "b", "a "]) == {"a": [0, 2], "b": [1]}
    assert tokens("Rain-jacket, 2 雨衣") == ["rain", "jacket", "2", "雨衣"]
