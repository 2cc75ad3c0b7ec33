"""Settings of git that are written anew: no key that could run something survives, whatever it is written like."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from agentws.core.formats.git import gitconfig
from tests import table

EVIL = "touch owned"
DANGEROUS = [
    '[core]\n\thooksPath = "{}"',
    "[core]\n\tfsmonitor = {}",
    "[core]\n\tsshCommand = {}",
    "[core]\n\tpager = {}",
    "[core]\n\teditor = {}",
    "[core]\n\taskPass = {}",
    "[core]\n\tgitProxy = {}",
    "[core]\n\talternateRefsCommand = {}",
    "[core]\n\tattributesFile = {}",
    "[core]\n\texcludesFile = {}",
    "[core]\n\tworktree = /home/somebody",
    "[core]\n\tworktree = ../../elsewhere",
    "[core]\n\tworktree = ../mine/.git",
    '[filter "x"]\n\tclean = {}\n\tsmudge = {}\n\tprocess = {}\n\trequired = true',
    '[diff "x"]\n\ttextconv = {}\n\tcommand = {}',
    "[diff]\n\texternal = {}",
    '[merge "x"]\n\tdriver = {}',
    '[difftool "x"]\n\tcmd = {}',
    '[mergetool "x"]\n\tcmd = {}',
    "[alias]\n\tst = !{}",
    "[include]\n\tpath = ../evil",
    '[includeIf "gitdir:/"]\n\tpath = ../evil',
    "[credential]\n\thelper = !{}",
    '[credential "https://example.org"]\n\thelper = !{}',
    '[remote "origin"]\n\turl = ext::{}',
    '[remote "origin"]\n\turl = fd::17',
    '[remote "origin"]\n\turl = foo://{}',
    '[remote "origin"]\n\turl = -oProxyCommand={}',
    '[remote "origin"]\n\turl = ssh://-oProxyCommand={}/x',
    '[remote "origin"]\n\turl = me@-oProxyCommand={}:x',
    '[remote "origin"]\n\tpushurl = ext::{}',
    '[remote "origin"]\n\tvcs = ext',
    '[remote "origin"]\n\tuploadpack = {}\n\treceivepack = {}',
    '[remote "origin"]\n\tproxy = {}',
    '[remote "-x"]\n\turl = https://example.org/x',
    '[branch "main"]\n\tremote = ext::{}',
    '[url "ext::{}"]\n\tinsteadOf = https://',
    '[submodule "x"]\n\tupdate = !{}',
    '[submodule "x"]\n\turl = ext::{}',
    "[gpg]\n\tprogram = {}",
    '[gpg "ssh"]\n\tdefaultKeyCommand = {}',
    "[commit]\n\tgpgSign = true\n\ttemplate = /etc/passwd",
    "[protocol]\n\tallow = always",
    '[protocol "ext"]\n\tallow = always',
    "[safe]\n\tdirectory = *",
    "[sequence]\n\teditor = {}",
    "[uploadpack]\n\tpackObjectsHook = {}",
    "[receive]\n\tprocReceiveRefs = refs/x",
    '[trailer "x"]\n\tcommand = {}',
    "[browser]\n\tx = {}",
    '[man "x"]\n\tcmd = {}',
    "[interactive]\n\tdiffFilter = {}",
    "[init]\n\ttemplateDir = /tmp/x",
    "[http]\n\tcookieFile = /home/x\n\tsslCert = {}",
    "[sendemail]\n\tsmtpServer = {}",
    "[instaweb]\n\thttpd = {}",
    "[web]\n\tbrowser = {}",
    '[core] hooksPath = "{}"',
    "[core]hooksPath={}",
    "[CORE]\n HOOKSPATH = {}",
    "[core]\n\thooks\\\nPath = {}",
    "\ufeff[core]\n\tfsmonitor = {}",
    "[core]\r\n\tfsmonitor = {}\r\n",
    '[remote "a\\"]\n[core"]\n\tfsmonitor = {}',
    '[user]\n\tname = "x\\n[core]\\n\\tfsmonitor = {}"',
    '[user]\n\tname = "x\n[core]\n\tfsmonitor = {}"',
]
KEPT = {
    "core.bare": "false",
    "core.repositoryformatversion": "0",
    "remote.origin.url": "git@example.org:robin/notes.git",
    "remote.origin.fetch": "+refs/heads/*:refs/remotes/origin/*",
    "remote.über uns.url": "https://example.org/ä b.git",
    "branch.main.remote": "origin",
    "branch.main.merge": "refs/heads/main",
    "user.name": 'Zoë "Zo" 王 # not a comment',
    "user.email": "zoe@example.org",
}


def test_no_setting_that_could_run_something_is_kept_and_each_is_named() -> None:
    def check(text: str) -> None:
        text = text.replace("{}", EVIL)
        anew, left = gitconfig.fresh(text.encode("utf-8"), ".git")
        found = list(gitconfig.settings(anew))
        assert left
        assert EVIL not in "".join(f"{key}{value}" for _, _, key, value in found), anew
        assert found in ([], [("user", None, "name", "x")]), "nothing is kept but what stands before an open quote"
        assert gitconfig.fresh(anew) == (anew, [])

    table.holds(check, DANGEROUS)


def test_what_is_harmless_is_kept_as_git_itself_reads_it(tmp_path: Path) -> None:
    try:
        subprocess.run(["git", "--version"], check=True, capture_output=True)
    except OSError:
        pytest.skip("git is not here")
    old, new = tmp_path / "old", tmp_path / "new"
    for name, value in KEPT.items():
        subprocess.run(["git", "config", "--file", str(old), name, value], check=True)
    text, left = gitconfig.fresh(old.read_bytes() + b"; a comment\n[alias]\n\tx = !sh\n")
    new.write_bytes(text)

    listed = subprocess.run(["git", "config", "--file", str(new), "--list", "-z"], check=True, capture_output=True)

    pairs = [line.split("\n", 1) for line in listed.stdout.decode().split("\0") if line]
    assert dict(pairs) == KEPT  # type: ignore[arg-type]
    assert left == ["alias.x"]


def test_escapes_quotes_and_blanks_at_the_end_of_a_value_are_read_as_git_reads_them() -> None:
    text, _ = gitconfig.fresh(b'[user]\n\tname = "A \\" B  "  \n\temail = x  y\t \r\n')

    assert text == b'[user]\n\tname = "A \\" B  "\n\temail = x  y\n'


def test_a_work_tree_is_kept_where_it_is_that_of_a_submodule() -> None:
    text, left = gitconfig.fresh(b"[core]\n\tworktree = ../../../parts/sub\n", ".git/modules/sub")

    assert b"parts/sub" in text
    assert not left


def test_urls_that_git_reaches_without_a_program_are_kept_and_no_others() -> None:
    good = ["https://example.org/x", "ssh://git@h:22/x", "git@h:x", "../other", "/srv/x.git", "file:///x", "h:a::b"]
    good += ["ssh://[::1]/x", "git@[::1]:x", "origin"]
    bad = ["ext::sh", "::x", "gcrypt::https://h/x", "s3://b", "-x", "ssh://-o/x", "a@-o:x", "x\ny", "ftp://h/x"]

    table.holds(lambda url: _is(gitconfig.is_safe_url(url), wanted=True), good)
    table.holds(lambda url: _is(gitconfig.is_safe_url(url), wanted=False), bad)


def test_what_is_no_settings_at_all_keeps_nothing() -> None:
    def check(data: bytes) -> None:
        text, left = gitconfig.fresh(data)
        assert (text, bool(left)) == (b"", True)

    table.holds(check, [b"\0" * 100, b"x" * 100, b"[core\nbare = !", b"[core]\n" + b"x" * gitconfig.LIMIT_BYTES])


def _is(found: bool, *, wanted: bool) -> None:
    assert found == wanted
