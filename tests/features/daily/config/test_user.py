"""The user's own settings: shown and set, with nothing else of their file touched."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from agentws.core.disk.system import user_settings
from agentws.errors import AgentwsError, DamagedError, NeedsYouError, UsageError
from agentws.features.daily.config import user

SUMMARIZER, TIMEOUT = user_settings.SUMMARIZER, user_settings.TIMEOUT
MINE = '# mine\r\n[compaction]\r\ntimeout_s = 90  # slow\r\ncall_chars = 9000\r\n\r\n[colors]\r\nerror = "red"\r\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "settings/agentws/config.toml"


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True)
    file.write_bytes(text.encode())


def put(file: Path, key: str, value: str, *, by_agent: bool = False) -> list[str]:
    """What is told when a setting is set."""
    done = user.set_setting(str(file), key, value, by_agent=by_agent)
    assert done.changed
    return done.notices


def test_a_first_one_makes_the_file_and_is_read_by_what_needs_it(file: Path) -> None:
    shown = [(one.value, one.line) for one in user.settings(str(file)).settings]
    assert shown == [(one.default, 0) for one in user_settings.SETTINGS]

    put(file, SUMMARIZER, 'echo "a  b" \\n')
    put(file, TIMEOUT, "0.5")

    found = user_settings.read(str(file))
    assert (found.summarizer, found.timeout_s) == ('echo "a  b" \\n', 0.5)
    shown = [(one.value, one.line) for one in user.settings(str(file)).settings]
    unset = [(one.default, 0) for one in user_settings.SETTINGS[2:]]
    assert shown == [('echo "a  b" \\n', 2), (0.5, 3), *unset]


@pytest.mark.parametrize("key", ["waits.site.command", "waits.site.url"])
def test_what_a_task_can_wait_for_is_named_by_a_person(file: Path, key: str) -> None:
    write(file, "[waits]\n\n[waits.other]\nurl = 'http://localhost/'\n")
    put(file, key, "http://localhost/passed")

    assert user.settings(str(file), key).settings[0].value == "http://localhost/passed"
    assert user_settings.read(str(file)).waits["other"] == {"url": "http://localhost/"}
    with pytest.raises(NeedsYouError, match="only a person may set"):
        put(file, key, "http://localhost/other", by_agent=True)


@pytest.mark.parametrize("key", ["embedder", "model", "key_variable", "store"])
def test_settings_of_vectors_are_for_persons_alone(file: Path, key: str) -> None:
    put(file, f"vectors.{key}", "http://localhost:9/v1")

    assert user_settings.read(str(file)).vectors[key] == "http://localhost:9/v1"
    with pytest.raises(NeedsYouError):
        user.set_setting(str(file), f"vectors.{key}", "touch here", by_agent=True)


def test_what_is_no_text_is_refused_where_it_stands(file: Path) -> None:
    write(file, "[vectors]\nstore = 7\n")

    with pytest.raises(DamagedError, match=":2: store must be in quotes"):
        user_settings.read(str(file))


def test_all_else_in_the_file_stays_and_the_value_before_is_said(file: Path) -> None:
    write(file, MINE)

    told = put(file, TIMEOUT, "180")

    assert file.read_bytes().decode() == MINE.replace("= 90 ", "= 180 ")
    assert told[-1].endswith("The value before: 90")
    assert f"{file}: unknown setting colors, ignored." in told


def test_the_same_again_writes_nothing(file: Path) -> None:
    write(file, MINE)
    before = os.stat(file)

    done = user.set_setting(str(file), TIMEOUT, "90", by_agent=True)

    assert not done.changed
    assert (os.stat(file).st_ino, os.stat(file).st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        (TIMEOUT, "0", "must be a number from 0.001"),
        (TIMEOUT, "nan", "must be a number"),
        (TIMEOUT, "soon", "must be a number"),
        (SUMMARIZER, "llm 'x", "its command line is invalid"),
        (SUMMARIZER, "llm\nx", "one line"),
        ("boot.budget", "900", "boot.budget is a setting of the workspace"),
        ("compaction.timeout", "900", "Unknown setting"),
    ],
)
def test_what_does_not_fit_is_not_written(file: Path, key: str, value: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        user.set_setting(str(file), key, value, by_agent=False)

    assert not file.parent.exists()


def test_an_agent_names_no_program_and_nobody_a_secret(file: Path) -> None:
    with pytest.raises(NeedsYouError, match="which only a person may set"):
        user.set_setting(str(file), SUMMARIZER, "echo", by_agent=True)
    with pytest.raises(AgentwsError, match="secret"):
        user.set_setting(
            str(file), SUMMARIZER, f"llm --key sk-ant-{hashlib.sha256(b'a key').hexdigest()}", by_agent=False
        )
    assert not file.exists()

    put(file, TIMEOUT, "60", by_agent=True)


def test_a_program_that_is_not_there_is_said(file: Path) -> None:
    assert "no-such-program was not found on PATH" in put(file, SUMMARIZER, "no-such-program -m x")[0]
    assert len(put(file, SUMMARIZER, "builtin")) == len(put(file, SUMMARIZER, "")) == 1


def test_a_damaged_file_stays_as_it_is(file: Path) -> None:
    write(file, "[compaction]\ntimeout_s = \n")

    with pytest.raises(DamagedError, match=r"config\.toml:2: "):
        user.set_setting(str(file), TIMEOUT, "60", by_agent=False)

    assert file.read_text() == "[compaction]\ntimeout_s = \n"


def test_a_table_on_one_line_is_left_to_an_editor(file: Path) -> None:
    write(file, "compaction = { timeout_s = 9 }\n")

    with pytest.raises(DamagedError, match="could not be set"):
        put(file, TIMEOUT, "60")

    assert file.read_text() == "compaction = { timeout_s = 9 }\n"


def test_a_link_to_a_file_of_the_same_person_is_followed(file: Path, tmp_path: Path) -> None:
    file.parent.mkdir(parents=True)
    (tmp_path / "dotfiles.toml").write_text("# dots\n")
    file.symlink_to(tmp_path / "dotfiles.toml")

    put(file, TIMEOUT, "60")

    assert file.is_symlink()
    assert (tmp_path / "dotfiles.toml").read_text() == "# dots\n\n[compaction]\ntimeout_s = 60\n"


def test_without_a_home_there_is_nowhere_to_write() -> None:
    with pytest.raises(UsageError, match="There is no folder for your settings"):
        user.set_setting(None, TIMEOUT, "60", by_agent=False)
