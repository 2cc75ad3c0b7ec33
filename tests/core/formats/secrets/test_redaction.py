"""Secrets in the body of an event: taken out before anything is hashed or written, wherever they stand."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agentws.core.formats.secrets import redaction, secrets
from agentws.core.stores import record, seals
from agentws.core.stores.record import Happening
from agentws.errors import SecretRefusedError, UsageError
from agentws.workspace import Workspace
from tests import table
from tests.core.formats.secret_corpus import FALSE_EXAMPLES, SENTENCES, Dice, Example, true_examples

EXAMPLES = true_examples()
PLACES: dict[str, Callable[[str], dict[str, Any]]] = {
    "text": lambda text: {"text": text},
    "within a text": lambda text: {"text": f"I read: {text} (rotate it)\nand went on"},
    "nested": lambda text: {"input": {"a": [1, {"b": [None, text]}]}},
    "a key": lambda text: {"output": {text: True}},
    "JSON as text": lambda text: {"output": '{"value": ' + _quoted(text) + "}"},
    "JSON within that": lambda text: {"output": _quoted('{"value": ' + _quoted(text) + "}")},
}


def _quoted(text: str) -> str:
    import json

    return json.dumps(text)


def tags() -> Callable[[], str]:
    count = itertools.count()
    return lambda: f"{next(count):08x}"


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


def journal_of(workspace: Workspace) -> bytes:
    return b"".join(
        path.read_bytes() for path in sorted((Path(workspace.root) / "journal").rglob("*")) if path.is_file()
    )


def test_a_secret_is_taken_out_of_every_place() -> None:
    def check(row: tuple[Example, str]) -> None:
        example, place = row
        body = PLACES[place](example.text)

        assert not redaction.is_clean([body])
        found, kinds = redaction.redact(body, tags())

        assert kinds
        assert not any(example.secret in text for text in strings(found))
        assert any(secrets.has_placeholder(text) for text in strings(found))

    table.holds(check, itertools.product(EXAMPLES, PLACES))


def test_a_command_in_parts_is_looked_through_as_a_whole() -> None:
    def check(row: tuple[list[str], list[str]]) -> None:
        parts, wanted = row
        body = {"input": {"command": parts}}

        assert not redaction.is_clean([body])
        assert redaction.redact(body, lambda: "t")[0] == {"input": {"command": wanted}}

    hidden = "‹redacted:password:t›"
    table.holds(check, [
        (["curl", "-u", "kim:" + "Regen4417", "example.org"], ["curl", "-u", f"kim:{hidden}", "example.org"]),
        (["sshpass", "-p", "Regen" + "4417", "ssh", "birds"], ["sshpass", "-p", hidden, "ssh", "birds"]),
    ])  # fmt: skip
    plain = {"output": ["The password", "is on the fridge", "of the house"], "input": ["git", "log", "-u", "kim:2"]}
    assert redaction.is_clean([plain])


def test_what_people_and_programs_write_down_is_taken_out_of_every_place() -> None:
    def check(row: tuple[tuple[str, str, Callable[[Dice], str]], str]) -> None:
        (_kind, sentence, make), place = row
        secret = make(Dice(sentence))
        body = PLACES[place](sentence.format(secret))

        assert not redaction.is_clean([body])
        assert not any(secret in text for text in strings(redaction.redact(body, tags())[0]))

    # A password that stands alone on its line is no longer one with more behind it.
    rows = itertools.product(SENTENCES, PLACES)
    table.holds(check, [row for row in rows if "\n" not in row[0][1] or row[1] != "within a text"])


def test_what_is_a_secret_only_by_its_name_is_taken_out() -> None:
    value = "k3Jx9QmZ2vLw8RtY5nBc"

    for body in ({"api_key": value}, {"input": {"headers": [{"db_password": value}]}}, {"client_secret": [value]}):
        found, kinds = redaction.redact(body, tags())

        assert kinds == ["secret-assignment"], body
        assert value not in "".join(strings(found))


def test_two_secrets_cannot_be_told_to_be_the_same() -> None:
    token = next(example.text for example in EXAMPLES if example.kind == "github-token")

    found, kinds = redaction.redact({"a": token, "b": token}, tags())

    assert kinds == ["github-token", "github-token"]
    assert found == {"a": "‹redacted:github-token:00000000›", "b": "‹redacted:github-token:00000001›"}


def test_what_only_speaks_of_secrets_stays_as_it_is() -> None:
    body = {"text": "\n".join(FALSE_EXAMPLES), "each": list(FALSE_EXAMPLES)}

    assert redaction.is_clean([body])
    assert redaction.redact(body, tags()) == (body, [])


def test_a_placeholder_in_an_event_stays_and_is_not_taken_out_again() -> None:
    body = {"text": "it said ‹redacted:github-token:k3f9›"}

    assert redaction.redact(body, tags()) == (body, [])


def test_a_body_that_is_nested_too_deeply_is_refused_before_it_is_looked_through() -> None:
    body: dict[str, Any] = {}
    for _ in range(100):
        body = {"a": body}

    with pytest.raises(UsageError, match="nested"):
        redaction.redact(body, tags())


def test_no_secret_of_the_corpus_reaches_the_bytes_of_a_journal(workspace: Workspace) -> None:
    happenings = [Happening("note", put(example.text)) for example in EXAMPLES for put in PLACES.values()]

    _, notices = record.record(workspace.stores, happenings)

    written = journal_of(workspace)
    for example in EXAMPLES:
        assert example.secret.encode() not in written, example
        assert _quoted(example.secret)[1:-1].encode() not in written, example
    assert sum("Possible secrets" in notice for notice in notices) == len(happenings)


def test_a_secret_in_a_body_that_becomes_a_blob_is_taken_out_too(workspace: Workspace) -> None:
    example = EXAMPLES[0]

    record.record(workspace.stores, [Happening("note", {"text": "long " * 20_000 + example.text})])

    assert list((Path(workspace.root) / "journal").rglob("blobs/*"))
    assert example.secret.encode() not in journal_of(workspace)


def test_the_notice_names_the_kind_and_not_the_secret(workspace: Workspace) -> None:
    example = next(example for example in EXAMPLES if example.kind == "npm-token")

    _, (notice,) = record.record(workspace.stores, [Happening("note", {"text": example.text})])

    assert "npm-token" in notice
    assert example.secret not in notice


def test_a_placeholder_is_refused_wherever_it_would_become_content(workspace: Workspace) -> None:
    text = "the token is ‹redacted:github-token:k3f9›"

    for attempt in (lambda: workspace.log(text), lambda: workspace.contexts.new("blog", text=text)):
        with pytest.raises(SecretRefusedError):
            attempt()

    assert not list((Path(workspace.root) / "memory").glob("2*.md"))
    record.record(workspace.stores, [Happening("note", {"text": text})])
    assert b"\\u2039redacted:github-token:k3f9\\u203a" in journal_of(workspace)


def test_a_journal_itself_looks_like_no_secret(workspace: Workspace) -> None:
    for round in range(40):
        body = {"call": f"call-{round:016x}", "tool": "web_search", "input": {"query": f"weather {round}"}}
        record.record(workspace.stores, [Happening("action", body), Happening("result", {**body, "output": ["rain"]})])
        record.record(workspace.stores, [Happening("note", {"text": "a very long text " * 8_000})])
        seals.seal(workspace.stores)

    root = Path(workspace.root)
    text = journal_of(workspace).decode() + "".join(path.read_text() for path in sorted((root / "identity").iterdir()))
    assert text.count('"kind":"seal"') == 40
    assert secrets.find(text) == []


GIVEN_AWAY: list[dict[str, Any]] = [
    {"password": "hunter2"}, {"passwd": "a b c"}, {"DB_PASSWORD": "y"}, {"DB_PASS": "rose"}, {"PGPASSWORD": "rose"},
    {"secret": "rose"}, {"clientSecret": "rose"}, {"client-secret": "rose"}, {"token": "rose"}, {"GITHUB_TOKEN": "r1"},
    {"api_key": "rose"}, {"apiKey": "rose"}, {"X-Api-Key": "rose"}, {"AWS_SECRET_ACCESS_KEY": "rose"},
    {"password": ["rose"]}, {"password": 4711}, {"newPassword2": "rose"}, {"name": "DB_PASSWORD", "value": "rose"},
    {"key": "API_KEY", "value": "rose"}, {"Name": "SMTP_PASS", "Value": "rose"}, {"password": "$ecret"},
    {"password": "x"}, {"token": "xx"}, {"Authorization": "Bearer rose"}, {"authorization": "Basic cm9zZQ=="},
    {"Proxy-Authorization": "rose"}, {"HTTP_AUTHORIZATION": "Bearer rose"}, {"Cookie": "sid=rose; theme=dark"},
    {"Set-Cookie": ["sid=rose; Path=/"]}, {"cookies": "sid=rose"}, {"name": "Authorization", "value": "Bearer rose"},
    {"passwords": ["rose"]}, {"apiKeys": ["rose"]}, {"credentials": "robin:rose"}, {"credential": "rose"},
    {"COOKIE_SECRET": "rose"}, {"cookieToken": "rose"}, {"password": "default"},
]  # fmt: skip
HARMLESS: list[dict[str, Any]] = [
    {"password": ""}, {"password": "  "}, {"password": True}, {"secret": False}, {"token": None}, {"token": "true"},
    {"max_tokens": 4096}, {"token_count": "1234"}, {"tokens": "1234"}, {"tokenizer": "o200k_base"}, {"token": 7},
    {"secret_name": "db"}, {"password_file": "db.txt"}, {"secret": "/run/secrets/db"}, {"token": "~/.config/token"},
    {"PWD": "/home/robin"}, {"password": "${DB_PASSWORD}"}, {"password": "$DB_PASSWORD"}, {"api_key": "********"},
    {"api_key": "<your key>"}, {"token": "env:GITHUB_TOKEN"}, {"next_page_token": "rose"}, {"bypass": "rose"},
    {"pass": "12 of 12"}, {"has_password": "maybe"}, {"key": "value", "value": "rose"}, {"compass": "north"},
    {"name": "DB_PASSWORD", "value": ""}, {"password": {"type": "string", "minLength": 8}},
    {"primary_key": "id"}, {"name": "rose", "value": "red"}, {"publicKey": "rose"}, {"keyword": "rose"},
    {"password": "xxx"}, {"password": "-"}, {"authorization": "required"}, {"Authorization": "Bearer $TOKEN"},
    {"Authorization": "Bearer ${TOKEN}"}, {"Authorization": "Bearer <token>"}, {"authorization_url": "rose"},
    {"cookie": "oatmeal"}, {"cookies": 12}, {"cookie": True}, {"credentials": "include"}, {"credentials": "omit"},
    {"credentials": "~/.aws/credentials"}, {"has_credentials": "maybe"}, {"author": "rose"}, {"authority": "rose"},
]  # fmt: skip
AROUND: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "as it is": lambda body: body,
    "what a tool is given": lambda body: {"tool": "Bash", "input": body},
    "its environment": lambda body: {"input": {"command": "ls", "env": {"TERM": "xterm", **body}}},
    "in a list": lambda body: {"input": {"headers": [{"a": "b"}, body]}},
}


def test_what_stands_under_the_name_of_a_secret_is_taken_out_however_plain_it_is() -> None:
    def check(row: tuple[dict[str, Any], str]) -> None:
        body, around = row
        whole = AROUND[around](body)

        assert not redaction.is_clean([whole])
        found, kinds = redaction.redact(whole, tags())

        assert kinds == ["secret-assignment"]
        assert "rose" not in repr(found)
        assert found != whole
        assert redaction.redact(found, tags()) == (found, []), "once is enough"

    table.holds(check, itertools.product(GIVEN_AWAY, AROUND))


def test_what_is_no_secret_stays_whatever_it_is_called() -> None:
    def check(row: tuple[dict[str, Any], str]) -> None:
        body, around = row
        whole = AROUND[around](body)

        assert redaction.is_clean([whole])
        assert redaction.redact(whole, tags()) == (whole, [])

    table.holds(check, itertools.product(HARMLESS, AROUND))
