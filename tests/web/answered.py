"""People who answer what comes on the pages of a test."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from assay.flows.keeping import open_store
from assay.flows.people import add_person
from assay.flows.workbench import Workbench
from web.visiting import PASSWORD, Visitor

Visit = Callable[..., Visitor]
NOTE = "a note of the rater"


def label(visit: Visit, name: str, grades: dict[str, float], other: float = 1, most: int = 50) -> None:
    """Somebody labels what comes."""
    who = visit()
    assert who.sign_in(name).status_code == 303
    found = re.search(r'data-csrf="([^"]+)"', who.get("/label/winter").text)
    assert found is not None
    for _ in range(most):
        items: list[dict[str, Any]] = who.get("/v1/projects/winter/items?n=1").json()["items"]
        if not items:
            return
        doc = items[0]["document"]["doc_id"]
        said = {"uid": f"{name}-{doc}", "item": items[0]["item"], "grade": grades.get(doc, other),
                "note": NOTE, "took_ms": 4_000}  # fmt: skip
        assert who.post("/v1/grades", json=said, headers={"x-csrf-token": found[1]}).status_code == 200


def rater(folder: Path, name: str) -> None:
    with open_store(Workbench.open(str(folder))) as store:
        add_person(store, name, "rater", PASSWORD, by="test")


def fields(text: str) -> dict[str, str]:
    """The hidden fields of the forms of a page; of a name that comes twice, the last."""
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]+)"', text))
