from __future__ import annotations

import base64
import hashlib
import hmac
import itertools
import subprocess
import sys

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay.keys import coin, fingerprint, seal, stream, unseal


def test_a_fingerprint_is_the_hash_of_the_content_and_its_length() -> None:
    assert fingerprint(b"abc") == hashlib.sha256(b"abc" + (3).to_bytes(8, "little")).hexdigest()


def test_text_is_hashed_as_utf_8() -> None:
    assert fingerprint("Grüße") == fingerprint("Grüße".encode())


def test_where_one_part_ends_matters() -> None:
    assert len({fingerprint("ab", "c"), fingerprint("a", "bc"), fingerprint("abc"), fingerprint("abc", "")}) == 4


@given(st.binary(max_size=200), st.lists(st.integers(0, 200), max_size=5))
def test_how_a_stream_is_cut_into_pieces_does_not_matter(data: bytes, cuts: list[int]) -> None:
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    pieces = [data[a:b] for a, b in itertools.pairwise(edges)]
    assert fingerprint(pieces) == fingerprint(data)


def test_a_coin_is_the_first_eight_bytes_of_an_hmac_over_framed_parts() -> None:
    message = (2).to_bytes(8, "little") + b"u1" + (1).to_bytes(8, "little") + b"x"
    expected = hmac.new(b"secret", message, hashlib.sha256).digest()[:8]
    assert coin(b"secret", "u1", "x") == int.from_bytes(expected, "little")


def test_a_coin_depends_on_the_secret_and_on_every_part() -> None:
    coins = {coin(b"s", "a", "b"), coin(b"t", "a", "b"), coin(b"s", "ab"), coin(b"s", "a", "c"), coin(b"s", "a")}
    assert len(coins) == 5


def test_coins_are_even_between_heads_and_tails() -> None:
    heads = sum(coin(b"secret", str(i)) & 1 for i in range(4000))
    assert abs(heads - 2000) < 4 * np.sqrt(4000) / 2


@given(st.integers(0, 2**64 - 1), st.lists(st.text(st.characters(codec="utf-8"), max_size=5), max_size=3))
def test_a_sealed_number_is_opened_by_the_same_parts_alone(number: int, parts: list[str]) -> None:
    word = seal(b"secret", number, *parts)
    assert (len(word), unseal(b"secret", word, *parts)) == (32, number)
    assert word == seal(b"secret", number, *parts)
    assert unseal(b"secret", word, *parts, "more") is None
    assert unseal(b"another", word, *parts) is None


def test_a_sealed_number_is_a_tag_and_the_number_under_a_pad() -> None:
    def mac(*parts: bytes) -> bytes:
        message = b"".join(len(part).to_bytes(8, "little") + part for part in parts)
        return hmac.new(b"secret", message, hashlib.sha256).digest()

    tag = mac(b"seal", b"ann", b"15")[:16]
    pad = mac(b"pad", tag.hex().encode())
    number = bytes([*pad[:7], pad[7] ^ 15])
    assert seal(b"secret", 15, "ann") == base64.urlsafe_b64encode(tag + number).decode()


def test_what_was_not_sealed_opens_nothing() -> None:
    word = seal(b"secret", 7, "ann")
    changed = [word[:at] + ("A" if word[at] != "A" else "B") + word[at + 1 :] for at in range(32)]
    for one in (*changed, "", "A" * 31, "A" * 32, word + "AAAA", "ä" * 32, word[:20]):
        assert unseal(b"secret", one, "ann") is None


def test_words_of_neighbours_are_as_far_apart_as_any() -> None:
    words = [seal(b"secret", number, "ann") for number in range(2_000)]
    assert len(set(words)) == 2_000
    alike = sum(a == b for one, other in itertools.pairwise(words) for a, b in zip(one, other, strict=True))
    expected = 1_999 * 32 / 64  # each letter is one of 64
    assert abs(alike - expected) < 4 * np.sqrt(expected)


def test_a_stream_gives_the_same_numbers_for_the_same_seed_and_purpose() -> None:
    assert stream(7, "bootstrap").random(5).tolist() == stream(7, "bootstrap").random(5).tolist()


def test_streams_of_other_purposes_and_seeds_differ() -> None:
    firsts = {stream(7, "bootstrap").random(), stream(7, "permutation").random(), stream(8, "bootstrap").random()}
    assert len(firsts) == 3


def test_keys_are_the_same_in_another_process_with_another_hash_seed() -> None:
    code = "from assay.keys import *; print(fingerprint('a'), coin(b's', 'a'), stream(1, 'p').integers(1 << 60))"
    there = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONHASHSEED": "99"}, capture_output=True, text=True, check=True
    )
    assert there.stdout.split() == [fingerprint("a"), str(coin(b"s", "a")), str(stream(1, "p").integers(1 << 60))]
