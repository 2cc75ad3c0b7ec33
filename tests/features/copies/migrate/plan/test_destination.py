"""What a destination may be: nothing that ssh, rsync or a shell could take for something else gets through."""

from __future__ import annotations

import pytest

from agentws.errors import UsageError
from agentws.features.copies.migrate.plan import destination


@pytest.mark.parametrize(
    ("text", "user", "host", "path"),
    [
        ("sam@vps:agents/robin", "sam", "vps", "agents/robin"),
        ("vps:robin", "", "vps", "robin"),
        ("vps:~/robin/", "", "vps", "~/robin"),
        ("sam@10.0.0.7:/srv/robin", "sam", "10.0.0.7", "/srv/robin"),
        ("sam@[fe80::1%eth0]:/srv/robin", "sam", "fe80::1%eth0", "/srv/robin"),
        ("a_b.c-d@my_host.example.org:x y;z", "a_b.c-d", "my_host.example.org", "x y;z"),
    ],
)
def test_another_machine_is_user_host_and_path(text: str, user: str, host: str, path: str) -> None:
    found = destination.parse(text)

    assert (found.via, found.user, found.host, found.path) == ("rsync", user, host, path)


@pytest.mark.parametrize("text", ["/srv/robin", "robin", "./a:b", "../x@y:z/w"])
def test_a_path_is_a_folder_of_this_machine(text: str) -> None:
    found = destination.parse(text, absolute=lambda path: f"<{path}>")

    assert (found.via, found.host, found.path) == ("copy", "", f"<{text}>")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-oProxyCommand=touch x:robin",
        "sam@-oProxyCommand=x:robin",
        "-l@vps:robin",
        "sam@vps -x:robin",
        "sam@v$(id)ps:robin",
        "sam@vps;id:robin",
        "`id`@vps:robin",
        "sam@vps\n:robin",
        "sam@vps:a\0b",
        "sam@vps:a\nb",
        "sam@vps:a\x1b[2J",
        "sam@:robin",
        ":robin",
        "sam@vps-:robin",
        "a@b@vps:robin",
        "sam@[vps:robin",
        "vps:" + "a" * 5000,
    ],
)
def test_what_could_be_a_command_or_an_option_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        destination.parse(text)


@pytest.mark.parametrize("text", ["vps:", "vps:/", "vps:.", "vps:a/..", "vps:~", "/", "..", "."])
def test_the_folder_itself_must_be_named(text: str) -> None:
    with pytest.raises(UsageError, match="does not name a folder"):
        destination.parse(text)


@pytest.mark.parametrize(
    ("text", "via"), [("vps:x", "copy"), ("/x", "rsync"), ("vps:x", "carrier-pigeon"), ("ssh://vps/x", "rsync")]
)
def test_a_way_that_does_not_go_there_is_refused(text: str, via: str) -> None:
    with pytest.raises(UsageError):
        destination.parse(text, via)


@pytest.mark.parametrize(
    ("text", "via"),
    [
        ("https://host/x.git", None),
        ("ssh://git@host:2222/~/x", None),
        ("ssh://[::1]/x", None),
        ("file:///x", None),
        ("git@host:x", "git"),
        ("/srv/x.git", "git"),
    ],
)
def test_a_repository_is_kept_as_it_is_named(text: str, via: str | None) -> None:
    found = destination.parse(text, via)

    assert (found.via, found.path, found.shown, found.host) == ("git", text, text, "")
