"""Queries as text: when two are the same, which tokens they have, and whether they hold personal data."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from typing import Literal

Fold = Literal["exact", "form", "words"]

FOLDS: dict[str, str] = {
    "exact": "white space at the ends and its amount do not count",
    "form": "nor do case (ß is ss, and İ is i; the Turkish ı stays apart), width and composition of letters, and "
    "punctuation around words",
    "words": "nor does the order of words, nor a word said twice",
}
"""When two queries are one, each rule with those before it."""


Near = Literal["accents", "plurals", "typos"]

NEAR: dict[str, str] = {
    "accents": "marks on Latin and Greek letters do not count: café is cafe, müller is muller",
    "plurals": "English plurals count as their singular (the S stemmer of Harman, JASIS 42(1), 1991), in words of four "
    "letters or more, a to z alone: jackets is jacket; in other languages it errs, as in German Glas",
    "typos": "one letter more, less, changed or two swapped, in one word of six letters or more without digits, not "
    "its first letter, where the other form is asked ten times as often or more",
}
"""Further rules by which queries are one; each is on only where it is named."""


def fold(text: str, rule: Fold = "form", near: Collection[Near] = ()) -> str:
    """What two queries have in common when they are one; see `FOLDS`.

    Punctuation inside a word stays (`c++`, `3.5mm`, `anti-slip`, `AB-12`): it tells products apart.

    Args:
        text: of the query.
        rule: what does not count.
        near: further rules of `NEAR`; "typos" changes nothing here, as it hangs on how often queries are asked.
    """
    text = " ".join(text.split())
    if rule == "exact":
        return text
    words = _lower(text).split()
    kept = [word for word in (_trimmed(word) for word in words) if word] or words
    if "accents" in near:
        kept = [_bare(word) for word in kept]
    if "plurals" in near:
        kept = [_singular(word) for word in kept]
    return " ".join(sorted(set(kept)) if rule == "words" else kept)


def _lower(text: str) -> str:
    """Text without case. The Turkish capital İ is an i, which case folding writes with a dot of its own."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return unicodedata.normalize("NFKC", _DOTTED.sub("i", folded)) if "\u0307" in folded else folded


_DOTTED = re.compile("i\u0307+")


def same_by(one: str, other: str, rule: Fold, near: Collection[Near] = ()) -> str:
    """The first rule by which two texts are one query: "exact", "form", then those of `near`, then "words".

    Args:
        one: a text.
        other: a text that is the same query by all the rules together.
        rule: as in `fold`.
        near: as in `fold`; "typos" is what is left when no other rule makes them one.
    """
    if fold(one, "exact") == fold(other, "exact"):
        return "exact"
    used: list[Near] = []
    if fold(one, "form") == fold(other, "form"):
        return "form"
    for name in NEAR:
        if name in near and name != "typos":
            used.append(name)  # type: ignore[arg-type] # a key of NEAR
            if fold(one, "form", used) == fold(other, "form", used):
                return name
    if rule == "words" and fold(one, "words", used) == fold(other, "words", used):
        return "words"
    return "typos"


def _bare(word: str) -> str:
    """A word without the marks on its Latin and Greek letters; in other scripts a mark makes another letter."""
    if word.isascii():
        return word
    made: list[str] = []
    is_plain = False
    for letter in unicodedata.normalize("NFD", word):
        if unicodedata.category(letter) == "Mn":
            if not is_plain:
                made.append(letter)
            continue
        is_plain = letter < "\u0400"  # Latin, its extensions, and Greek
        made.append(letter)
    return unicodedata.normalize("NFC", "".join(made))


def _singular(word: str) -> str:
    if len(word) < SHORTEST_PLURAL or not (word.isascii() and word.isalpha()) or not word.endswith("s"):
        return word
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return word[:-3] + "y"
    if word.endswith("es") and not word.endswith(("aes", "ees", "oes")):
        return word[:-1]
    return word if word.endswith(("us", "ss")) else word[:-1]


SHORTEST_PLURAL = 4


_MEANT = "+#%$€£°&@"
"""Signs that mean something at the end of a word: c++, c#, 5 %, 20 °."""


def _trimmed(word: str) -> str:
    if word.isalnum():
        return word
    start, end = 0, len(word)
    while start < end and _is_around(word[start]):
        start += 1
    while end > start and _is_around(word[end - 1]):
        end -= 1
    return word[start:end]


def _is_around(letter: str) -> bool:
    return letter not in _MEANT and unicodedata.category(letter)[0] in "PS"


def tokens(text: str) -> list[str]:
    """The words of a text, folded; scripts without blanks give one token a run of letters."""
    return [word for word in re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold()) if word]


PERSONAL: dict[str, str] = {
    "e-mail": "something@something.something, the sign also written (at), [at] or, where dot is a word too, at",
    "card": "14 to 19 digits in one piece or in the groups of a card, with the length and first digits of a network "
    "and a right check digit (Luhn)",
    "phone": "8 to 15 digits behind a +; 9 to 15 in groups from a leading 0 or with brackets; 10 to 15 in one piece "
    "from a leading 0 or 00; groups as in 555-867-5309, 612 345 678, 91 234 56 78, 138 1234 5678 or 98765 43210; "
    "9 to 15 behind a word such as call",
    "IBAN": "two letters, two digits and 11 to 30 more, whose check digits are right",
}
"""What counts as personal data, and how it is told, in digits of any script, with any dash."""

_HINT = re.compile(r"[\d@]|[(\[]\s?at|\sdot\s|dot[)\]]", re.IGNORECASE)
_MAIL = re.compile(r"[^\s@]+(?:@|\s?[(\[]\s?at\s?[)\]]\s?)[^\s@]+\.[^\s@.]{2,}", re.IGNORECASE)
_LANDS = (
    "ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bv bw by bz ca "
    "cc cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et eu fi fj fk fm fo fr "
    "ga gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo "
    "jp ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mg mh mk ml mm mn mo mp mq mr "
    "ms mt mu mv mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re "
    "ro rs ru rw sa sb sc sd se sg sh si sj sk sl sm sn so sr ss st su sv sx sy sz tc td tf tg th tj tk tl tm tn to "
    "tr tt tv tw tz ua ug uk us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw"
).replace(" ", "|")
_SPELLED = re.compile(
    r"\S\s(?:[(\[]\s?)?at(?:\s?[)\]])?\s[^\s@]+\s"
    r"(?:[(\[]\s?dot(?:\s?[)\]])?|dot\s?[)\]]|dot(?!\s(?:am|as|at|be|by|do|in|is|it|me|my|no|so|to|us)\s+\w))\s"
    rf"(?:com|org|net|edu|gov|info|biz|{_LANDS})(?!\w)",
    re.IGNORECASE,
)
"""A country that is an English word too counts where nothing follows, or dot stands in brackets: "polka dot in red"."""
_DIGITS = re.compile(r"(?<![\w.])(?<!\w[-/])\+?\(?\d[\d ()./-]{6,}\d(?!\w)(?![-/]\w)")
_IBAN = re.compile(r"(?<!\w)[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]{4}){2,7}(?:[ -]?[A-Za-z0-9]{1,4})?(?!\w)")
_DATE = re.compile(
    r"(?<!\d)(?:(?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:[0-2]\d|3[01])"
    r"|(?:[0-2]?\d|3[01])[./](?:0?[1-9]|1[0-2])[./](?:19|20)\d\d)(?!\d)"
)
_ARTICLE = re.compile(
    r"(?:isbn|ean|gtin|upc|sku|asin|oem|art|article|artikel|item|part|model|order|ref|bestell|teile)"
    r"\W{0,2}(?:no|nr|num|number|nummer)?\W{0,3}$",
    re.IGNORECASE,
)
"""Words before a number that say that it is one of a thing."""
_CALLED = re.compile(
    r"(?<!\w)(?:tel|telefon\w*|telephone|phone|mobile|mobil|movil|móvil|cell|call|whatsapp|handy|fax)"
    r"\W{0,2}(?:no|nr|num|number|nummer)?\W{0,3}$",
    re.IGNORECASE,
)
"""Words before a number that say that somebody answers there."""

_SHAPES = {
    (3, 3, 4): re.compile(r"[2-9]\d\d[2-9]\d{6}"),  # North America: neither area nor exchange begins with 0 or 1
    (1, 3, 3, 4): re.compile(r"1[2-9]\d\d[2-9]\d{6}"),
    (3, 3, 3): re.compile(r"[4-9]\d{8}"),  # Spain, Poland
    (2, 3, 2, 2): re.compile(r"[6-9]\d{8}"),
    (3, 2, 2, 2): re.compile(r"[6-9]\d{8}"),
    (3, 4, 4): re.compile(r"1[3-9]\d{9}"),  # mobile numbers of China
    (5, 5): re.compile(r"[6-9]\d{9}"),  # of India
    (2, 5, 4): re.compile(r"[1-9][1-9]9\d{8}"),  # of Brazil
}
"""Lengths of the groups of a phone number without + or leading 0, and what its digits are like."""

_CARDS = re.compile(
    r"4(?:\d{15}|\d{18})"
    r"|(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}"
    r"|3[47]\d{13}"
    r"|3(?:0[0-5]|[689]\d)\d{11}"
    r"|35(?:2[89]|[3-8]\d)\d{12,15}"
    r"|(?:6\d|50|5[6-8])\d{14,17}"
)
"""Visa; Mastercard; American Express; Diners Club; JCB; Discover, UnionPay and Maestro: first digits and length."""


def personal_data(text: str) -> str | None:
    """The kind of personal data that a text holds (a key of `PERSONAL`), or None.

    A rule of thumb: names and addresses are not found, nor is a phone number in one piece without a leading 0; and an
    article number that looks like a phone number is taken for one, unless a letter hangs on it, a word before says what
    it is, or it is a barcode. What is found is left out: that error costs a query, the other one a person.
    """
    text = unicodedata.normalize("NFKC", text)
    if not _HINT.search(text):  # most queries: looking for more takes ten times as long
        return None
    text = _seen(text)
    if _MAIL.search(text) or ("dot" in text.lower() and _SPELLED.search(text)):
        return "e-mail"
    if any(_is_iban(found[0]) for found in _IBAN.finditer(text)):
        return "IBAN"
    for found in _DIGITS.finditer(_DATE.sub(lambda date: " " * (len(date[0]) - 1) + ";", text)):
        groups = re.findall(r"\d+", found[0])
        if _is_card(groups):
            return "card"
        before = text[: found.start()]
        if _CALLED.search(before) and 9 <= sum(map(len, groups)) <= 15:
            return "phone"
        is_article = _ARTICLE.search(before) is not None and not found[0].startswith("+")
        if not is_article and _is_phone(found[0], groups):
            return "phone"
    return None


def _seen(text: str) -> str:
    """A text as one reads it: digits as 0 to 9, dashes as -, without marks of direction and joiners."""
    if text.isascii():
        return text
    made = []
    for letter in text:
        kind = unicodedata.category(letter)
        if kind == "Nd":
            made.append(str(unicodedata.decimal(letter)))
        elif kind == "Pd" or letter == "\u2212":  # a minus sign
            made.append("-")
        elif kind != "Cf":
            made.append(letter)
    return "".join(made)


def _is_card(groups: Sequence[str]) -> bool:
    sizes, digits = [len(group) for group in groups], "".join(groups)
    is_grouped = sizes in ([4, 6, 5], [4, 6, 4]) or (all(n == 4 for n in sizes[:-1]) and sizes[-1] <= 4)
    return (len(groups) == 1 or is_grouped) and bool(_CARDS.fullmatch(digits)) and _luhn(digits)


def _is_phone(text: str, groups: Sequence[str]) -> bool:
    digits = "".join(groups)
    if text.startswith("+"):
        return 8 <= len(digits) <= 15
    if len(groups) == 1:
        return not _is_barcode(digits) and bool(re.fullmatch(r"0[1-9]\d{8,10}|00[1-9]\d{8,12}|1[3-9]\d{9}", digits))
    if 9 <= len(digits) <= 15 and ("(" in text or (digits[0] == "0" and len(groups[0]) > 1)):
        return True
    shape = _SHAPES.get(tuple(map(len, groups)))
    return shape is not None and "/" not in text and bool(shape.fullmatch(digits))


def _is_barcode(digits: str) -> bool:
    """Whether digits are a GTIN of 12 to 14, with a right check digit."""
    if len(digits) not in (12, 13, 14):
        return False
    return sum(int(digit) * (3 if i % 2 else 1) for i, digit in enumerate(reversed(digits))) % 10 == 0


def _luhn(digits: str) -> bool:
    total = 0
    for i, digit in enumerate(reversed(digits)):
        n = int(digit) * (1 + i % 2)
        total += n - 9 if n > 9 else n
    return total % 10 == 0 and len(set(digits)) > 1


def _is_iban(text: str) -> bool:
    plain = text.replace(" ", "").replace("-", "").upper()
    if not 15 <= len(plain) <= 34:
        return False
    number = "".join(str(int(letter, 36)) for letter in plain[4:] + plain[:4])
    return int(number) % 97 == 1


def folded(texts: Sequence[str], rule: Fold = "form") -> dict[str, list[int]]:
    """Texts by what they have in common: key to the places of its texts, in the order of the first."""
    groups: dict[str, list[int]] = {}
    for i, text in enumerate(texts):
        groups.setdefault(fold(text, rule), []).append(i)
    return groups
