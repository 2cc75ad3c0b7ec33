"""Two doors, one house: whatever the fast lane accepts, Typer understands in the same way, and both end alike."""

from __future__ import annotations

import inspect
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, settings, strategies as st

from agentws.cli import commands, fast_lane, main
from agentws.core.terminal import options
from agentws.verbs import Memory, Tasks
from agentws.workspace import Workspace

VERBS = {verb.name: verb for verb in commands.all_verbs()}
HANDED_ON = {
    **{name: getattr(Workspace, name) for name in ("boot", "done", "log", "remember", "todo")},
    **{f"task {name}": getattr(Tasks, name) for name in ("add", "edit", "wait")},
    "compact": Memory.compact,
}
"""The methods to which the function of a verb hands options on, as they are."""
EVERY = [*options.COMMON, *(option for verb in VERBS.values() for option in verb.options)]
NAMES = sorted({name for option in EVERY for name in (*option.names, option.off) if name})
WORDS = st.sampled_from(
    [*("boot", "log", "status", "bo", "", "-", "--", "-x", "--help", "-h", "--version", "--budge", "--no-strict"),
     *("text", "two words", "a=b", "--kind", "5", "0", "11", "007", " 5", "+5", "5.0", "1_0", "１", "9" * 12, "dir"),
     *("-Cdir", "-qC", "-qq", "--quiet=1", "--json=", "-C=dir", "--install-completion", "ü", "\udcff", "-5")]
)  # fmt: skip


@st.composite
def one_option(draw: st.DrawFn, table: tuple[options.Option, ...]) -> list[str]:
    """An option of the table with a value that may or may not suit it."""
    option = draw(st.sampled_from(table))
    name = draw(st.sampled_from([*option.names, *filter(None, [option.off])]))
    if option.kind == options.FLAG:
        return [name]
    suits = st.integers(0, 12).map(str) if option.kind == options.NUMBER else st.sampled_from(["main", "o", "a b", "é"])
    value = draw(st.one_of(suits, suits, suits, WORDS))
    return draw(st.sampled_from([[name, value], [f"{name}={value}"]]))


@st.composite
def command_lines(draw: st.DrawFn) -> list[str]:
    """Mostly sound command lines of every verb, in any order, now and then with a word too many."""
    verb = draw(st.sampled_from(list(VERBS.values())))
    table = verb.options or options.COMMON
    arguments = [word for word in verb.words if word.is_required or draw(st.booleans())]
    arguments += [word for word in verb.words if word.is_many and draw(st.booleans())]
    needed = [[option.names[-1], "text"] for option in verb.options if option.is_required and draw(st.integers(0, 9))]
    before = draw(st.lists(one_option(options.COMMON), max_size=2))
    behind = draw(st.lists(st.one_of(one_option(table), one_option(table), one_option(options.COMMON)), max_size=5))
    behind += [[draw(st.sampled_from(["text", "two words", "-", "ü", ""]))] for _ in arguments]
    behind += needed
    odd = draw(st.lists(WORDS.map(lambda word: [word]), max_size=1)) if draw(st.booleans()) else []
    return [word for words in (*before, verb.name.split(), *draw(st.permutations(behind + odd))) for word in words]


def through(door: Any, words: list[str]) -> tuple[int, list[tuple[str, dict[str, object], dict[str, object]]]]:
    """The exit code, and which verbs were called, with the run's own options and the verb's parameters."""
    called: list[tuple[str, dict[str, object], dict[str, object]]] = []

    def note(verb: str) -> Any:
        return lambda run, **parameters: called.append((verb, dict(vars(run)), parameters))

    with pytest.MonkeyPatch.context() as patch:
        for name, verb in VERBS.items():
            patch.setattr(verb, "function", note(name))
        return door(list(words)), called


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=st.one_of(command_lines(), st.lists(st.one_of(WORDS, st.sampled_from(NAMES)), max_size=5)))
def test_what_the_fast_lane_accepts_typer_understands_alike(words: list[str]) -> None:
    accepted = fast_lane.recognise(words) is not None
    event(f"fast lane: {accepted}")
    if accepted:
        assert through(main.start, words) == through(main.run, words)


@pytest.mark.parametrize(
    "words",
    [
        ["boot"],
        ["boot", "--budget", "2000", "--tokenizer=chars4", "--audience", "shared", "--context", "blog", "--strict"],
        ["-C", "dir", "--json", "boot", "-q"],
        ["boot", "--workspace=dir", "--quiet"],
        ["log", "A text"],
        ["log", "--kind", "fact", "--importance=8", "A text", "--tag", "a", "--tag=b", "--via", "x", "--task", "t"],
        ["log", "-"],
        ["log", ""],
        ["log", "Sent it", "--kind", "done", "--closes", "t3fk", "--closes=x7mp"],
        ["todo", "Call Tom", "--due", "monday", "--for=Sam", "--via", "user"],
        ["event", "note"],
        ["event", "decision", "Chose SQLite", "--importance", "8", "--task=index", "--via", "user"],
        ["event", "action", "--tool", "web_search", "--input", '{"query": "a b"}', "--call", "c1", "--session", "s"],
        ["event", "result", "--call=c1", "--output", '"sunny"', "--body", '{"status": 200}', "--json"],
        ["-C", "dir", "hook", "claude-code", "SessionStart", "--part", "2"],
        ["hook", "openclaw", "session:compact:before"],
        ["task", "add", "Move", "--step", "export", "--step=import", "--start"],
        ["task", "step", "move", "--done", "1", "--done=2"],
        ["init", "--no-git", "--private"],
        ["handoff", "--doing", "Moving", "--max-tokens", "300"],
        ["-C", "dir", "handoff", "list", "--all"],
        ["done", "call", "tom", "-m", "He signs"],
        ["why"],
        ["journal", "purge", "a:1", "a:2", "--reason", "asked"],
        ["log", "Sam", "said", "yes"],
    ],
)
def test_the_documented_forms_take_the_fast_lane(words: list[str]) -> None:
    assert fast_lane.recognise(words) is not None
    code, called = through(main.start, words)
    assert (code, len(called)) == (0, 1)


@pytest.mark.parametrize(
    "words",
    [
        *([], ["--help"], ["boot", "--help"], ["boot", "-h"], ["bo"], ["boot", "log"], ["help"]),
        *(["task"], ["task", "lis"], ["task", "-q", "list"], ["task", "list", "all"], ["handoff", "--auto", "list"]),
        *(["drop"], ["restore"], ["task", "step", "a", "--done", "x"], ["journal", "purge", "3"], ["init", "a", "b"]),
        *(["boot", "--now"], ["boot", "--budg", "300"], ["init", "--git", "--no-git"], ["handoff", "lis"]),
        *(["boot", "--budget"], ["boot", "--budget", "-5"], ["boot", "--budget", "x"], ["boot", "--budget="]),
        *(["log", "a", "--importance", "11"], ["log", "--", "a"], ["log", "-a"], ["log", "a", "--kind", "--json"]),
        *(["boot", "-Cdir"], ["boot", "-qC", "dir"], ["boot", "-C=dir"], ["boot", "-q", "-q"], ["--strict", "boot"]),
        *(["event", "note", "a", "b"], ["event", "note", "--importance", "0"], ["forget", "--matching", "-"]),
        *(["boot", "--json=1"], ["boot", "--budget", "300", "--budget", "400"], ["boot", "--budget", "１００"]),
        *(["hook"], ["hook", "codex"], ["hook", "codex", "Stop", "more"], ["hook", "codex", "Stop", "--part", "0"]),
    ],
)  # fmt: skip
def test_any_doubt_is_left_to_typer(words: list[str]) -> None:
    assert fast_lane.recognise(words) is None


def test_a_shell_that_asks_for_completions_is_answered_by_typer(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []
    monkeypatch.setenv("_AGENTWS_COMPLETE", "complete_bash")
    monkeypatch.setattr(main, "run", lambda words: asked.append(words) or 0)

    main.start(["boot"])

    assert asked == [["boot"]]


@pytest.mark.parametrize("verb", VERBS.values(), ids=VERBS)
def test_the_function_of_a_verb_takes_what_its_table_says_and_nothing_else(verb: options.Verb) -> None:
    told = [one.parameter for one in (*verb.words, *verb.options) if one is not options.AGAIN]
    taken = dict(inspect.signature(verb.function).parameters)
    if [taken.pop(name) for name, one in [*taken.items()] if one.kind is inspect.Parameter.VAR_KEYWORD]:
        further = inspect.signature(HANDED_ON[verb.name]).parameters
        taken |= {name: one for name, one in further.items() if name in told}

    assert sorted(taken) == sorted(["run", *told])
    assert verb.help
    assert all(not one.is_many for one in verb.words[:-1])


@pytest.mark.parametrize("words", [["boot"], ["log", "a"], ["todo", "a"], ["event", "note"], ["hook", "codex", "Stop"]])
def test_what_runs_at_every_turn_is_hot(words: list[str]) -> None:
    found = fast_lane.recognise(words)

    assert found is not None
    assert found.is_hot


@pytest.mark.parametrize(
    "words",
    [
        *(["todo"], ["todo", "--stale"], ["event", "--stdin"], ["boot", "--explain"], ["boot", "--now", "3d"]),
        *(["boot", "--debug"], ["status"], ["done", "t3fk"], ["task", "list"]),
    ],
)
def test_what_prints_more_than_it_was_given_is_looked_through_for_secrets(words: list[str]) -> None:
    found = fast_lane.recognise(words)

    assert found is not None
    assert not found.is_hot


SECRET = "gh" + "p_" + "a8Fk2Lq9Zx7Cv5Bn3Mm1Qw4Er6Ty8Ui0Op2A"
FAILING = [
    *(["boot", "--budget", "10"], ["boot", "--tokenizer", "nope"], ["boot", "--audience", "nobody"]),
    *(["boot", "--context", "nope"], ["boot", "--strict", "--budget", "300"], ["boot", "-C", "/no/such/folder"]),
    *(["log", ""], ["log", "-"], ["log", "a", "--kind", "Two Words"], ["log", "a", "--task", "a/b"]),
    *(["log", "a", "--tag", "12"], ["log", "a", "--via", "(x)"], ["log", "\udcff\ud800"], ["log", SECRET]),
    *(["log", "a", "-C", "/no/such/folder"], ["boot", "-C", "memory"]),
    *(["event", "no kind"], ["event", "note", "--body", "{"], ["event", "note", "--body", "[]"], ["event", "seal"]),
    *(["event", "note", "-"], ["event", "note", "--call", "a b"], ["event", "note", "-C", "/no/such/folder"]),
]  # fmt: skip
WORKING = [
    *(["boot"], ["boot", "--json"], ["boot", "--budget", "400", "-q"], ["boot", "--tokenizer", "claude", "--json"]),
    *(["boot", "--audience", "shared"], ["log", "A text"], ["log", "A text", "--task", "nope", "--json"]),
    *(["log", "A text", "--task", "nope", "-q"], ["log", "A text", "--task", "nope"], ["log", "a\nb", "--tag", "x"]),
    *(["hook", "codex", "PreToolUse"], ["hook", "gemini", "Whatever"], ["hook", "claude-code", "SessionStart", "-q"]),
    *(["hook", "codex", "Stop", "--json"], ["hook", "codex", "PostToolUse", "-C", "/no/such/folder"]),
    *(["hook", "somebody", "PreToolUse"], ["hook", "somebody", "PreToolUse", "--json"]),
]  # fmt: skip


@pytest.mark.parametrize("words", [*FAILING, *([*words, "--json"] for words in FAILING), *WORKING], ids=repr)
@pytest.mark.parametrize("cached", [True, False])
def test_both_doors_end_alike(
    tmp_path: Path,
    words: list[str],
    cached: bool,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("AGENTWS_NOW", "2026-11-20T07:15:00+00:00")
    monkeypatch.setattr("sys.stdin", None)
    if not cached:
        monkeypatch.delenv("HOME")
    main.run(["init", str(tmp_path / "one" / "robin"), "--name", "Robin", "--no-git"])
    shutil.copytree(tmp_path / "one", tmp_path / "two", symlinks=True)
    capfd.readouterr()

    ends = []
    for name, door in (("one", main.start), ("two", main.run)):
        monkeypatch.chdir(tmp_path / name / "robin")
        assert fast_lane.recognise(words) is not None
        ends.append((door(words), capfd.readouterr()))

    assert ends[0] == ends[1]
    assert (ends[0][0] == 0) == (words in WORKING)
