"""Only the browser that came with the link gets in, and only its own forms change anything."""

from __future__ import annotations

import pytest

from agentws.features.ui import guard
from agentws.workspace import Environment, Workspace
from tests.features.ui.browser import ADDRESS, Browser

PAGES = ("", "today", "static/page.css", "changes", "nowhere")


def test_a_stranger_gets_the_same_answer_for_every_path(browser: Browser) -> None:
    stranger = browser.another(browser.guard)
    asked = [browser.path(page) for page in PAGES] + ["/", "/today", "/static/page.css", "//", "/%2e%2e/"]

    answers = {(response.status_code, response.text) for path in asked for response in [stranger.get(path)]}

    assert answers == {(403, guard.STRANGER)}
    assert "Robin" not in guard.STRANGER


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "PATCH", "POST", "ODD"])
def test_a_stranger_gets_no_further_with_another_method(browser: Browser, method: str) -> None:
    answer = browser.another(browser.guard).request(method, browser.path("today"), headers={"origin": ADDRESS})

    assert answer.status_code == 403


@pytest.mark.parametrize(("method", "status"), [("OPTIONS", 405), ("TRACE", 405), ("PUT", 405), ("ODD", 405)])
def test_a_browser_may_only_read_and_send_forms(browser: Browser, method: str, status: int) -> None:
    assert browser.client.request(method, browser.path("today")).status_code == status


def test_a_page_may_be_asked_for_its_head(browser: Browser) -> None:
    answer = browser.client.head(browser.path("today"))

    assert (answer.status_code, answer.text) == (200, "")


def test_a_link_opens_once(browser: Browser) -> None:
    link = browser.door.link()
    first, second = browser.another(browser.guard), browser.another(browser.guard)

    assert first.get(link).status_code == 200
    assert second.get(link).status_code == 403
    assert first.get(browser.path("today")).status_code == 200
    assert second.get(browser.path("today")).status_code == 403


def test_a_link_ends_after_five_minutes_and_with_the_next_one(browser: Browser) -> None:
    old = browser.door.link()
    new = browser.door.link()
    assert browser.another(browser.guard).get(old).status_code == 403
    browser.now += 301

    assert browser.another(browser.guard).get(new).status_code == 403


def test_a_preview_of_a_link_does_not_use_it(browser: Browser) -> None:
    link = browser.door.link()

    assert browser.another(browser.guard).head(link).status_code == 403
    assert browser.another(browser.guard).get(link).status_code == 200


def test_the_cookie_is_for_this_server_and_no_script(browser: Browser) -> None:
    cookie = browser.another(browser.guard).get(browser.door.link()).headers["set-cookie"]

    assert cookie.startswith("agentws-8760=")
    assert cookie.endswith(f"; HttpOnly; SameSite=Strict; Path=/{browser.door.prefix}/")


@pytest.mark.parametrize("other", ["flag", "a b=c d", 'x={"y": 1}', "agentws-8760=planted", "é=1"])
def test_cookies_of_other_ports_shut_nobody_out(browser: Browser, other: str) -> None:
    own = f"agentws-8760={browser.door._sessions[0].cookie}"
    stranger = browser.another(browser.guard)

    for cookie in (f"{own}; {other}", f"{other}; {own}"):
        assert stranger.get(browser.path("today"), headers={"cookie": cookie.encode()}).status_code == 200


@pytest.mark.parametrize("query", ["page=1", "name=1", "self=1", "notice=1"])
def test_no_name_in_an_address_stops_a_page_or_button(browser: Browser, query: str) -> None:
    assert "Today" in browser.get(f"today?{query}")
    assert "Recorded" not in browser.post(f"today?{query}", 404, token=browser.form_token, action="none")


@pytest.mark.parametrize("cookie", ["", "agentws-8760=", "agentws-8760=x", "agentws-8761=x", "agentws-8760=é", ";=,"])
def test_a_wrong_cookie_is_no_session(browser: Browser, cookie: str) -> None:
    stranger = browser.another(browser.guard)

    assert stranger.get(browser.path("today"), headers={"cookie": cookie.encode()}).status_code == 403


@pytest.mark.parametrize("host", ["evil.example:8760", "127.0.0.1", "127.0.0.1:80", "127.0.0.2:8760", ""])
def test_a_name_that_leads_here_is_refused(browser: Browser, host: str) -> None:
    assert browser.client.get(browser.path("today"), headers={"host": host}).status_code == 403


def test_localhost_is_the_same_server() -> None:
    assert guard.hosts("127.0.0.1", 1) == {"127.0.0.1:1", "localhost:1"}
    assert guard.hosts("::1", 1) == {"[::1]:1", "localhost:1"}
    assert guard.hosts("10.0.0.7", 1) == {"10.0.0.7:1"}


WRONG = [
    ({}, {}, "another page"),
    ({"origin": "null"}, {}, "another page"),
    ({"origin": "http://127.0.0.1:8000"}, {}, "another page"),
    ({"origin": ADDRESS, "sec-fetch-site": "same-site"}, {}, "another page"),
    ({"origin": ADDRESS}, {"token": ""}, "another session"),
    ({"origin": ADDRESS}, {"token": "x"}, "another session"),
]


@pytest.mark.parametrize(("headers", "fields", "why"), WRONG)
def test_a_form_of_another_page_changes_nothing(
    browser: Browser, workspace: Workspace, headers: dict[str, str], fields: dict[str, str], why: str
) -> None:
    workspace.todo("Water the ferns")
    form = {"token": browser.form_token, "action": "done", "ref": workspace.todos().rows[0].ref, **fields}

    answer = browser.client.post(browser.path("today"), data=form, headers=headers)

    assert answer.status_code == 403
    assert why in answer.text
    assert len(workspace.todos().rows) == 1


def test_a_form_that_is_too_large_or_has_too_many_fields_is_refused(browser: Browser) -> None:
    path, headers = browser.path("today"), {"origin": ADDRESS}

    assert browser.client.post(path, content=b"x" * 70_000, headers=headers).status_code == 413
    assert browser.client.post(path, content=b"a=1&" * 500, headers=headers).status_code == 400


def test_a_read_only_page_has_no_button_and_refuses_every_change(
    workspace: Workspace, environment: Environment
) -> None:
    workspace.todo("Water the ferns")
    browser = Browser(workspace.root, environment, is_read_only=True)

    page = browser.get("today")

    assert "Water the ferns" in page
    assert "<form" not in page
    refused = browser.client.post(browser.path("today"), data={"action": "done"}, headers={"origin": ADDRESS})
    assert refused.status_code == 403


def test_every_answer_says_what_the_browser_may_load(browser: Browser) -> None:
    answers = [browser.client.get(browser.path(page)) for page in ("today", "nowhere", "static/page.js")]
    answers.append(browser.another(browser.guard).get("/"))

    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["referrer-policy"] == "same-origin"


def test_pages_have_no_script_or_style_of_their_own(browser: Browser) -> None:
    page = browser.get("today")

    assert "<style" not in page
    assert " style=" not in page
    assert " onclick=" not in page
    assert page.count("<script") == page.count("<script src=")
    assert "http://" not in page
    assert "https://" not in page


def test_at_the_usual_port_browsers_send_a_host_without_one() -> None:
    assert guard.hosts("127.0.0.1", 80) == {"127.0.0.1", "localhost", "127.0.0.1:80", "localhost:80"}
    assert guard.hosts("127.0.0.1", 8080) == {"127.0.0.1:8080", "localhost:8080"}
