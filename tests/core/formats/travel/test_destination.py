"""How a destination of backups is written, and that it is remembered as it is read again."""

from __future__ import annotations

import pytest

from agentws.core.formats.travel import destination
from agentws.errors import UsageError
from tests.table import holds


def parse(text: str) -> destination.Destination:
    return destination.parse(text, lambda path: path if path.startswith("/") else f"/here/{path}")


def test_each_kind_is_told_by_its_words() -> None:
    rows = (
        ("/media/stick", ("folder", "/media/stick", "/media/stick")),
        ("stick", ("folder", "/here/stick", "/here/stick")),
        ("a:b", ("folder", "/here/a:b", "/here/a:b")),
        ("./git@here:b", ("folder", "/here/./git@here:b", "/here/./git@here:b")),
        ("git@host:robin.git", ("git", "git@host:robin.git", "git@host:robin.git")),
        ("ssh://git@host:22/robin.git", ("git", "ssh://git@host:22/robin.git", "ssh://git@host:22/robin.git")),
        ("https://host/robin.git", ("git", "https://host/robin.git", "https://host/robin.git")),
        ("file:///srv/robin.git", ("git", "file:///srv/robin.git", "file:///srv/robin.git")),
        ("git:robin.git", ("git", "/here/robin.git", "git:/here/robin.git")),
        ("git:host:robin.git", ("git", "host:robin.git", "git:host:robin.git")),
        ("git:git@host:robin.git", ("git", "git@host:robin.git", "git@host:robin.git")),
        ("restic:/srv/repo", ("restic", "/srv/repo", "restic:/srv/repo")),
        ("restic:s3:s3.example.org/box", ("restic", "s3:s3.example.org/box", "restic:s3:s3.example.org/box")),
        ("rclone:box:robin", ("rclone", "box:robin", "rclone:box:robin")),
    )

    def check(row: tuple[str, tuple[str, str, str]]) -> None:
        text, expected = row
        found = parse(text)
        assert (found.kind, found.target, found.text) == expected
        again = parse(found.text)
        assert (again.kind, again.target) == (found.kind, found.target)

    holds(check, rows)


def test_an_agent_in_a_repository_is_named_behind_the_mark() -> None:
    rows = (
        ("git@host:robin.git#0f3c9a52", ("git@host:robin.git", "0f3c9a52")),
        ("git@host:robin.git#1", ("git@host:robin.git#1", "")),
        ("git@host:robin.git#0f3c9a52/x", ("git@host:robin.git#0f3c9a52/x", "")),
        ("git:/srv/a#b.git", ("/srv/a#b.git", "")),
    )

    def check(row: tuple[str, tuple[str, str]]) -> None:
        text, expected = row
        assert (parse(text).target, parse(text).agent) == expected

    holds(check, rows)


@pytest.mark.parametrize(
    "text",
    ["https://robin:secret@host/x.git", "http://host/x.git", "git:ext::sh -c id", "git:--upload-pack=id", "git:",
     "ssh://-oProxyCommand=id/x", "restic:", "restic:-r", "restic:a\nb", "x@h:-y"],
)  # fmt: skip
def test_what_would_run_something_or_tell_a_secret_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse(text)


def test_no_secret_is_remembered_in_plain_text() -> None:
    refused = (
        "https://ghp_aaaaaaaaaaaaaaaaaaaaaaaa@host.example/x/y.git",
        "git:https://ghp_aaaaaaaaaaaaaaaaaaaaaaaa@host.example/x.git",
        "https://host/x.git?private_token=abc",
        "restic:rest:https://t0ken@host/",
        "restic:rest:https://robin:pw@host/",
        "restic:rest:http://robin:p/w@host/",
        "restic:sftp://robin:pw@host/x",
        "restic:rclone::crypt,remote=x,password2=zz:c",
        "restic:rclone::storj,access_grant=zz:c",
        "restic:rclone::hidrive,auth=zz:c",
        "restic:rclone::smb,'pass'=zz:c",
        "restic:rclone::mega,pass =zz:c",
        "restic:rclone::b2,KEY=zz:c",
        'restic:rclone::http,url="https://t0ken@host":c',
    )

    def check(text: str) -> None:
        with pytest.raises(UsageError, match="plain text"):
            parse(text)

    holds(check, refused)
    for text in (
        "https://git@host/x.git",
        "restic:rest:https://host:8000/robin@home/",
        "restic:rest:https://host/robin@home/",
        "restic:sftp:robin@host:/srv/repo",
        "restic:sftp://robin@host/repo",
        "restic:rclone::sftp,host=box,user=robin:c",
    ):
        parse(text)


def test_one_backup_is_named_behind_its_agent() -> None:
    found = parse("git@host:robin.git#0f3c9a52/0013-2026-11-20T061500Z")

    assert (found.target, found.agent, found.backup) == ("git@host:robin.git", "0f3c9a52", "0013-2026-11-20T061500Z")
