"""Ids in TREC lines, which white space cuts: percent-encoded where they hold any, `rain%20jacket`, and back.

Only white space and `%` are encoded, so ids stay readable; no two ids become one.
"""

from __future__ import annotations

import re

_ODD = re.compile(r"[\s%]")
_CODE = re.compile(r"(?:%[0-9A-Fa-f]{2})+")


def needs_code(one: str) -> bool:
    """Whether TREC lines cannot hold an id as it is: white space cuts them, and `#` begins a comment."""
    return len(one.split()) != 1 or one.startswith("#")


def coded(one: str) -> str:
    """An id that TREC lines can hold."""
    made = _ODD.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8")), one)
    return "%23" + made[1:] if made.startswith("#") else made


def decoded(one: str) -> str:
    """The id that was coded; what is no code stays."""
    return _CODE.sub(lambda found: bytes.fromhex(found[0].replace("%", "")).decode("utf-8", "replace"), one)
