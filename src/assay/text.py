"""Queries as text: when two are the same, which tokens they have, and whether they hold personal data."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Literal

Fold = Literal["exact", "form", "words"]

FOLDS: dict[str, str] = {
    "exact": "white space at the ends and its amount do not count",
    "form": "nor do case, width and composition of letters, and punctuation around words",
    "words": "nor does the order of words, nor a word said twice",
}
"""When two queries are one, each rule with those before it."""


def fold(text: str, rule: Fold = "form") -> str:
    """What two queries have in common when they are one; see `FOLDS`.

    Punctuation inside a word stays (`c++`, `3.5mm`, `anti-slip`, `AB-12`): it tells products apart.
    """
    text = " ".join(text.split())
    if rule == "exact":
        return text
    words = unicodedata.normalize("NFKC", text).casefold().split()
    kept = [word for word in (_trimmed(word) for word in words) if word] or words
    return " ".join(sorted(set(kept)) if rule == "words" else kept)


_MEANT = "+#%$€£°&@"
"""Signs that mean something at the end of a word: c++, c#, 5 %, 20 °."""


def _trimmed(word: str) -> str:
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
    "e-mail": "something@something.something",
    "card": "14 to 19 digits that begin with 2 to 6, blanks or hyphens between groups, with a right check digit (Luhn)",
    "phone": "a + with 8 to 15 digits, or 9 to 15 digits in three or more groups, or from a leading 0 in two or more",
    "IBAN": "two letters, two digits and 11 to 30 more, whose check digits are right",
}
"""What counts as personal data, and how it is told."""

_MAIL = re.compile(r"[^\s@]+@[^\s@]+\.[^\s@.]{2,}")
_DIGITS = re.compile(r"(?<![\w.])\+?\(?\d[\d ()./-]{6,}\d(?!\w)")
_IBAN = re.compile(r"(?<!\w)[A-Za-z]{2}\d{2}(?: ?[A-Za-z0-9]{4}){2,7}(?: ?[A-Za-z0-9]{1,4})?(?!\w)")


def personal_data(text: str) -> str | None:
    """The kind of personal data that a text holds (a key of `PERSONAL`), or None.

    A rule of thumb: names and addresses are not found, and a part number may look like a phone number. What is found is
    left out, so an error on that side costs a query, not a person.
    """
    text = unicodedata.normalize("NFKC", text)
    if _MAIL.search(text):
        return "e-mail"
    if any(_is_iban(found[0]) for found in _IBAN.finditer(text)):
        return "IBAN"
    for found in _DIGITS.finditer(text):
        digits = re.sub(r"\D", "", found[0])
        groups = re.findall(r"\d+", found[0])
        if 14 <= len(digits) <= 19 and digits[0] in "23456" and _luhn(digits):  # 13 digits are an article number
            return "card"
        if 8 <= len(digits) <= 15:
            grouped = len(digits) >= 9 and len(groups) >= (2 if digits.startswith("0") else 3)
            if found[0].startswith("+") or grouped:
                return "phone"
    return None


def _luhn(digits: str) -> bool:
    total = 0
    for i, digit in enumerate(reversed(digits)):
        n = int(digit) * (1 + i % 2)
        total += n - 9 if n > 9 else n
    return total % 10 == 0 and len(set(digits)) > 1


def _is_iban(text: str) -> bool:
    plain = text.replace(" ", "").upper()
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
