from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa
from argon2 import PasswordHasher

from assay.flows.keeping import open_store
from assay.flows.people import accept, add_person, change_person, invite
from assay.flows.workbench import Workbench
from assay.store.people import _NOBODY, hashed, token_hash
from assay.store.schema import INVITATIONS
from assay.web.auth import Key, TooOften, Tries
from web.visiting import PASSWORD, Visitor, key

Visit = Callable[..., Visitor]


def test_a_person_signs_in_and_out(visit: Visit) -> None:
    guest = visit()
    answer = guest.sign_in("lead")
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert guest.get("/metrics").status_code == 200


def test_the_session_before_signing_in_is_worth_nothing_after(visit: Visit) -> None:
    guest = visit()
    before = guest.token()
    guest.sign_in("lead")
    assert guest.post("/sign-out", data={"csrf": before}).status_code == 403


def test_a_copied_cookie_ends_with_the_session(visit: Visit) -> None:
    guest = visit()
    guest.sign_in("lead")
    thief = visit("192.0.2.7")
    thief.client.cookies.update(guest.client.cookies)
    assert thief.get("/metrics").status_code == 200
    with_page = guest.token_of_session()
    assert guest.post("/sign-out", data={"csrf": with_page}).status_code == 303
    assert thief.get("/metrics").status_code == 401


@pytest.mark.parametrize("cookie", ["", "a", "é", "bm90IGpzb24=.x.y", "null", "[]"])
def test_a_cookie_of_somebody_elses_making_is_nobody(visit: Visit, cookie: str) -> None:
    guest = visit()
    name = next(iter(guest.get("/sign-in").cookies))
    answer = guest.get("/metrics", headers={"cookie": f"{name}={cookie}".encode()})
    assert answer.status_code == 401


@pytest.mark.parametrize("token", [None, "", "wrong", "é"])
def test_a_form_without_its_token_is_refused(visit: Visit, token: str | None) -> None:
    guest = visit()
    guest.token()
    data = {"name": "lead", "password": PASSWORD} | ({} if token is None else {"csrf": token})
    assert guest.post("/sign-in", data=data).status_code == 403


def test_wrong_passwords_are_slowed_before_the_right_one_counts(visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Tries, "clock", lambda _: 0.0)  # a slow machine takes longer for a try than the first waits are
    guest = visit()
    codes = [guest.sign_in("lead", f"guess number {n}").status_code for n in range(7)]
    assert codes[:5] == [403] * 5
    assert codes[5:] == [429, 429]
    late = guest.sign_in("lead")
    assert late.status_code == 429
    assert int(late.headers["retry-after"]) >= 1


def test_one_who_guesses_does_not_shut_out_the_person(visit: Visit) -> None:
    guest, owner = visit("192.0.2.1"), visit("198.51.100.4")
    for n in range(7):
        guest.sign_in("lead", f"guess number {n}")
    assert owner.sign_in("lead").status_code == 303


def test_what_is_wrong_is_not_told(visit: Visit) -> None:
    guest = visit()
    known, unknown = guest.sign_in("lead", "wrong password"), guest.sign_in("nobody", "wrong password")
    assert known.status_code == unknown.status_code == 403
    assert "do not belong together" in known.text
    assert "do not belong together" in unknown.text


@pytest.mark.usefixtures("real_passwords")
def test_a_name_that_nobody_has_costs_as_much_work_as_one_that_somebody_has() -> None:
    assert PasswordHasher().check_needs_rehash(_NOBODY) is False  # the same parameters
    assert hashed("a long password").rsplit("$", 2)[0] == _NOBODY.rsplit("$", 2)[0]


@pytest.mark.usefixtures("real_passwords")
def test_passwords_are_hashed_as_rfc_9106_recommends_where_memory_is_scarce() -> None:
    assert hashed("a long password").startswith("$argon2id$v=19$m=65536,t=3,p=4$")  # its section 4, the second choice


def test_tries_double_the_wait_and_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(Tries, "clock", lambda _: now[0])
    tries, one = Tries(), Key("pair", 2, 100)
    waits = []
    for _ in range(5):
        try:
            tries.begin(one)
        except TooOften as error:
            waits.append(error.seconds)
            now[0] += error.seconds
            tries.begin(one)
    assert waits == [2, 3, 5]  # 1, 2, 4 seconds, rounded up
    now[0] += 4_000
    tries.begin(one)
    tries.begin(one)  # free again


def test_tries_at_one_moment_all_count() -> None:
    tries, one = Tries(), Key("pair", 2, 100)
    tries.begin(one)
    tries.begin(one)
    with pytest.raises(TooOften):
        tries.begin(one)


def test_what_is_remembered_has_an_end() -> None:
    tries = Tries()
    for n in range(30_000):
        tries.begin(Key(f"pair {n}", 2, 100))
    assert len(tries._held) <= 10_001


def test_an_invitation_makes_one_account(visit: Visit, folder: Path) -> None:
    with open_store(Workbench.open(str(folder))) as store:
        token = invite(store, "rater", by="test")
    guest, other = visit(), visit("192.0.2.8")
    first, second = (one.token(f"/invitation/{token}") for one in (guest, other))  # both have the page open
    form = {"name": "new one", "password": PASSWORD, "csrf": first}
    assert guest.post(f"/invitation/{token}", data=form).status_code == 303
    assert other.post(f"/invitation/{token}", data=form | {"name": "second", "csrf": second}).status_code == 422


def test_an_invitation_that_leads_nowhere_says_so_before_anything_is_typed(visit: Visit, folder: Path) -> None:
    with open_store(Workbench.open(str(folder))) as store:
        used, over, good = (invite(store, "rater", by="test") for _ in range(3))
        accept(store, used, "new one", PASSWORD)
        gone = sa.update(INVITATIONS).where(INVITATIONS.c.token == token_hash(over))
        store.write(lambda connection: connection.execute(gone.values(expires_at="2026-01-01T00:00:00Z"))).result()
    guest, head = visit(), {"accept": "text/html"}
    told = [guest.get(f"/invitation/{token}", headers=head) for token in (used, over, "never-made")]
    assert [one.status_code for one in told] == [422] * 3
    assert len({one.text for one in told}) == 1  # which of the three it is stays untold
    assert "This invitation is unknown, used or over." in told[0].text
    assert "password" not in told[0].text
    assert "password" in guest.get(f"/invitation/{good}", headers=head).text


def test_who_tries_invitations_is_slowed_as_at_the_log_in_and_a_good_one_counts_for_nothing(
    visit: Visit, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Tries, "clock", lambda _: 0.0)
    with open_store(Workbench.open(str(folder))) as store:
        token = invite(store, "rater", by="test")
    guest = visit()
    assert {guest.get(f"/invitation/{token}").status_code for _ in range(40)} == {200}
    codes = [guest.get(f"/invitation/guess-{n}").status_code for n in range(32)]
    assert codes == [422] * 30 + [429] * 2  # as many as a sender has at the log-in
    assert guest.get(f"/invitation/{token}").status_code == 429
    assert visit("198.51.100.4").get(f"/invitation/{token}").status_code == 200


def test_who_was_invited_by_name_is_shown_it_and_chooses_no_other(visit: Visit, folder: Path) -> None:
    with open_store(Workbench.open(str(folder))) as store:
        token = invite(store, "rater", "Ann <b>", by="test")
    guest = visit()
    page = guest.get(f"/invitation/{token}").text
    assert 'value="Ann &lt;b&gt;" readonly' in page
    form = {"name": "Ben", "password": "short", "csrf": guest.token(f"/invitation/{token}")}
    again = guest.post(f"/invitation/{token}", data=form)
    assert (again.status_code, 'value="Ann &lt;b&gt;" readonly' in again.text) == (422, True)
    assert guest.post(f"/invitation/{token}", data=form | {"password": PASSWORD}).status_code == 303
    assert guest.get("/v1/projects", headers={"x-rater": "Ann%20%3Cb%3E"}).status_code == 200


def test_a_key_may_never_do_more_than_its_person(visit: Visit, folder: Path) -> None:
    bearer = {"authorization": f"Bearer {key(folder, 'lead', 'lead')}"}
    guest = visit()
    assert guest.get("/metrics", headers=bearer).status_code == 200
    with open_store(Workbench.open(str(folder))) as store:
        change_person(store, "lead", by="test", role="rater")
    assert guest.get("/metrics", headers=bearer).status_code == 403
    with open_store(Workbench.open(str(folder))) as store:
        change_person(store, "lead", by="test", ends=True)
    assert guest.get("/metrics", headers=bearer).status_code == 401


def test_a_new_role_ends_the_sessions(visit: Visit, folder: Path) -> None:
    guest = visit()
    guest.sign_in("lead")
    with open_store(Workbench.open(str(folder))) as store:
        change_person(store, "lead", by="test", role="admin")
    assert guest.get("/metrics").status_code == 401


def test_script_in_a_name_is_text(visit: Visit, folder: Path) -> None:
    name = '<script>alert(1)</script>"><img src=x onerror=y>'
    with open_store(Workbench.open(str(folder))) as store:
        add_person(store, name, "lead", PASSWORD, by="test")
    guest = visit()
    guest.sign_in(name)
    page = guest.get("/", headers={"accept": "text/html"})
    assert "<script>alert" not in page.text
    assert "<img src=x" not in page.text


def test_more_who_sign_in_at_once_than_there_are_places_are_told_to_come_back(visit: Visit) -> None:
    guest = visit()
    token = guest.token()
    places = guest.app.state.places
    held = 0
    while places.acquire(blocking=False):
        held += 1
    answer = guest.post("/sign-in", data={"name": "lead", "password": PASSWORD, "csrf": token})
    assert answer.status_code == 429
    for _ in range(held):
        places.release()
    assert guest.sign_in("lead").status_code == 303
