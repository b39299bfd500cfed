from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.flows.serving import Web
from web.visiting import PASSWORD, Visitor, key

Visit = Callable[..., Visitor]
BEHIND = Web(url="https://search.example/assay", proxies=("10.0.0.0/8",), sign_on="X-Person")


def test_every_answer_carries_the_policy_also_a_refusal_and_a_missing_page(visit: Visit) -> None:
    guest = visit()
    for answer in (guest.get("/sign-in"), guest.get("/nowhere"), guest.get("/v1/openapi.json"), guest.get("/health")):
        assert answer.headers["content-security-policy"].startswith("default-src 'self';")
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"


def test_a_large_request_is_refused_by_its_length_and_by_its_bytes(visit: Visit) -> None:
    guest = visit()
    assert guest.post("/sign-in", content=b"a" * (1 << 20) + b"a").status_code == 413

    def pieces() -> object:
        for _ in range(20):
            yield b"a" * (1 << 16)

    assert guest.post("/sign-in", content=pieces()).status_code == 413  # no length is said: chunked


def test_a_length_that_is_no_number_is_refused(visit: Visit) -> None:
    assert visit().post("/sign-in", content=b"a", headers={"content-length": "-1"}).status_code == 400


@pytest.mark.parametrize("place", ["form", "json", "address"])
def test_a_letter_that_no_database_keeps_is_refused(visit: Visit, place: str) -> None:
    guest = visit()
    token = guest.token()
    json = {"content-type": "application/json"}
    answer = {
        "form": lambda: guest.post("/sign-in", data={"name": "a\0", "password": "x", "csrf": token}),
        "json": lambda: guest.post("/v1/grades", content=b'{"note":"\\u0000"}', headers=json),
        "address": lambda: guest.get("/invitation/a%00b"),
    }[place]()  # fmt: skip
    assert answer.status_code == 400


def test_a_written_backslash_before_u0000_is_text(visit: Visit) -> None:
    answer = visit().post("/nowhere", content=b'{"note":"\\\\u0000"}', headers={"content-type": "application/json"})
    assert answer.status_code == 404


def test_below_a_path_pages_lead_below_it_whether_or_not_the_proxy_takes_it_off(visit: Visit) -> None:
    guest = visit(web=BEHIND)
    for path in ("/assay/sign-in", "/sign-in"):
        answer = guest.get(path, headers={"host": "search.example"})
        assert answer.status_code == 200
        assert 'action="/assay/sign-in"' in answer.text
        assert 'href="/assay/static/tokens.css"' in answer.text
    assert guest.get("/assay/static/tokens.css", headers={"host": "search.example"}).status_code == 200
    away = guest.get("/assay/metrics", headers={"host": "search.example", "accept": "text/html"})
    assert away.headers["location"] == "/assay/sign-in"
    cookie = guest.get("/assay/sign-in", headers={"host": "search.example"}).headers.get("set-cookie", "")
    if cookie:
        assert "path=/assay;" in cookie
        assert "secure" in cookie


def test_with_https_the_cookie_travels_by_https_alone_and_scripts_do_not_read_it(visit: Visit) -> None:
    cookie = visit(web=BEHIND).get("/assay/sign-in", headers={"host": "search.example"}).headers["set-cookie"]
    assert {"path=/assay", "secure", "httponly", "samesite=lax"} <= {part.strip() for part in cookie.split(";")}


def test_a_host_that_is_not_ours_is_not_answered(visit: Visit) -> None:
    guest = visit(web=BEHIND)
    assert guest.get("/assay/health", headers={"host": "evil.example"}).status_code == 421
    assert guest.get("/assay/health", headers={"host": "search.example:443"}).status_code == 200


def test_no_answer_repeats_the_host_of_the_request(visit: Visit) -> None:
    guest = visit()
    for path in ("/sign-in/", "/v1/projects/", "//evil.example/sign-in", "/%2f%2fevil.example", "/\\evil.example"):
        answer = guest.get(path, headers={"host": "evil.example", "accept": "text/html"})
        assert "evil.example" not in answer.headers.get("location", "")


def test_a_proxy_names_a_person_and_nobody_else_may(visit: Visit) -> None:
    proxied, guest = visit("10.1.2.3", web=BEHIND), visit("192.0.2.1")
    said = {"host": "search.example", "x-person": "lead"}
    assert proxied.get("/metrics", headers=said).status_code == 200
    assert guest.get("/metrics", headers=said).status_code == 401
    through = visit("192.0.2.9").get("/metrics", headers=said | {"x-forwarded-for": "10.0.0.1"})
    assert through.status_code == 401


def test_a_person_whom_the_proxy_names_and_nobody_added_does_not_come_in(visit: Visit) -> None:
    answer = visit("10.1.2.3", web=BEHIND).get("/metrics", headers={"host": "search.example", "x-person": "stranger"})
    assert answer.status_code == 401


def test_two_names_by_a_proxy_are_refused(visit: Visit) -> None:
    answer = visit("10.1.2.3", web=BEHIND).get(
        "/metrics", headers=[("host", "search.example"), ("x-person", "rater"), ("x-person", "admin")]
    )
    assert answer.status_code == 400


def test_a_write_of_a_person_whom_the_proxy_signed_on_needs_the_token_too(visit: Visit) -> None:
    proxied = visit("10.1.2.3", web=BEHIND)
    said = {"host": "search.example", "x-person": "rater"}
    assert proxied.post("/sign-out", headers=said).status_code == 403


def test_the_sender_behind_a_proxy_is_the_last_address_that_is_none_of_ours(visit: Visit) -> None:
    first = visit("10.1.2.3", web=BEHIND)
    host = {"host": "search.example"}

    def wrong(forged: str) -> int:
        headers = host | {"x-forwarded-for": f"{forged}, 198.51.100.7, 10.9.9.9"}
        form = {"name": "x", "password": "y", "csrf": token}
        return int(first.post("/assay/sign-in", data=form, headers=headers).status_code)

    first.client.headers.update(host)
    first.client.base_url = first.client.base_url.copy_with(scheme="https")
    token = first.token("/assay/sign-in")
    codes = [wrong(f"203.0.113.{n}") for n in range(8)]
    assert codes[:4] == [403] * 4
    assert 429 in codes  # new forged addresses do not help


def test_the_log_holds_routes_and_pseudonyms_and_no_invitation(
    visit: Visit, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    guest = visit()
    with caplog.at_level(logging.INFO, "assay.web"):
        guest.get("/invitation/very-secret-token")
        guest.get("/metrics", headers={"authorization": f"Bearer {key(folder, 'lead', 'lead')}"})
        guest.sign_in("rater")
    lines = [record.getMessage() for record in caplog.records if record.name == "assay.web"]
    assert any('"/invitation/{token}"' in line for line in lines)
    assert any('"who": "' in line for line in lines)
    text = "\n".join(lines)
    assert "very-secret-token" not in text
    assert PASSWORD not in text
    assert '"lead"' not in text


def test_methods_that_nobody_knows_are_one_in_the_count(visit: Visit, folder: Path) -> None:
    guest = visit()
    for n in range(5):
        guest.client.request(f"MAKEUP{n}", "/health")
    text = guest.get("/metrics", headers={"authorization": f"Bearer {key(folder, 'lead', 'lead')}"}).text
    assert "MAKEUP" not in text
    assert 'assay_requests_total{code="405",method="other"} 5.0' in text


def test_a_fault_of_ours_tells_nothing_and_carries_the_policy(visit: Visit) -> None:
    guest = visit()

    def fails() -> None:
        raise RuntimeError("the secret of the inside")

    guest.app.add_api_route("/fails", fails)
    answer = guest.get("/fails")
    assert answer.status_code == 500
    assert "inside" not in answer.text
    assert answer.headers["content-security-policy"].startswith("default-src 'self'")
