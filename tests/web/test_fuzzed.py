"""Whatever is sent to /v1, the server answers; a fault of ours would be a 5xx."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from web.labelled import project
from web.visiting import Visitor, key

EXAMPLES = 500 if os.environ.get("ASSAY_SOAK") else 15

FEW = settings(
    max_examples=EXAMPLES, deadline=None, database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.filter_too_much],
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("role", ["rater", "admin"])
def test_nothing_that_is_drawn_from_the_schema_breaks_the_server(
    folder: Path, visit: Callable[..., Visitor], role: str
) -> None:
    project(folder)
    guest = visit()
    head = {"authorization": f"Bearer {key(folder, role, role)}"}
    schema = schemathesis.openapi.from_dict(guest.app.openapi())
    operations = [found.ok() for found in schema.get_all_operations()]
    assert len(operations) >= 5
    for operation in operations:
        _tries(guest, head, operation)


def _tries(guest: Visitor, head: dict[str, str], operation: Any) -> None:
    """Odd values too: what the schema forbids is what others will send."""
    cases = st.one_of([operation.as_strategy(generation_mode=mode) for mode in schemathesis.GenerationMode])

    @FEW
    @given(case=cases)
    def sends(case: schemathesis.Case) -> None:
        sent = case.as_transport_kwargs(base_url="http://testserver")
        answer = guest.client.request(
            sent["method"], sent["url"], params=sent.get("params"), json=sent.get("json"), content=sent.get("data"),
            headers={**dict(sent.get("headers") or {}), **head},
        )  # fmt: skip
        assert answer.status_code < 500, f"{case.method} {case.path}: {answer.status_code} {sent}"

    sends()


WILD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize("path", ["/v1/grades", "/v1/undo", "/v1/skip", "/v1/flags"])
def test_no_json_at_all_breaks_a_write(folder: Path, visit: Callable[..., Visitor], path: str) -> None:
    import json

    project(folder)
    guest = visit()
    head = {"authorization": f"Bearer {key(folder, 'rater', 'rater')}", "content-type": "application/json"}
    fields = ("uid", "item", "turn", "grade", "note", "of", "project", "query_id", "why", "dimensions", "took_ms")

    @settings(FEW, max_examples=EXAMPLES * 3)
    @given(st.dictionaries(st.sampled_from(fields), WILD) | WILD)
    def sends(content: object) -> None:
        assert guest.post(path, content=json.dumps(content), headers=head).status_code in (200, 400, 422)

    sends()
    for raw in (b"", b"{", b"\xff\xfe", b'{"note": "\\ud800"}', b"[" * 10_000, b"1e999", b'{"item": 1e400}'):
        assert guest.post(path, content=raw, headers=head).status_code in (400, 422), raw[:20]
