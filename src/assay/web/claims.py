"""What an item is called before a rater: a word of that rater and that time, from which nobody else reads anything.

An item that comes again has another word, so that neither the answer of the server nor what waits in a browser tells
that it was there before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Request
from pydantic import Field

from assay.errors import InputError
from assay.flows.people import Person
from assay.keys import seal, unseal

Claim = Annotated[
    str,
    Field(min_length=32, max_length=32, pattern=r"^[A-Za-z0-9_-]+$", description="the item, as it was handed out"),
]


def handed(request: Request, who: Person, item: Mapping[str, Any]) -> dict[str, Any]:
    """An item of a flow as the rater gets it: its number and turn become one word."""
    word = seal(request.app.state.secret, item["item"] * 2 + item["turn"], "claim", who.tenant, who.name)
    return {"item": word} | {name: value for name, value in item.items() if name not in ("item", "turn")}


def claimed(request: Request, who: Person, word: str) -> dict[str, int]:
    """The `item` and the `turn` that a rater means.

    Raises:
        InputError: no item was handed to this rater by that word.
    """
    number = unseal(request.app.state.secret, word, "claim", who.tenant, who.name)
    if number is None:
        raise InputError("nobody gave you this item", "item", "ask for the next one")
    return {"item": number // 2, "turn": number % 2}
