"""What was forgotten is kept out: every input refuses it in every script, and only a person writes it again."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from agentws.core.formats import kept_out, layout
from agentws.core.formats.kept_out import FORGOTTEN
from agentws.core.stores.kept_out import without_in_body
from agentws.errors import ForgottenError, NeedsYouError, UsageError
from agentws.workspace import Environment, Workspace
from tests import forked, table
from tests.features.journal.keeping import tree

NAMES = {
    "Latin": ("Zébulon Quark", "met ZEBULON QUARK's aunt"),
    "Greek": ("Νίκος Παππάς", "ο ΝΙΚΟΣ ΠΑΠΠΑΣ ήρθε"),
    "Cyrillic": ("Иван Петров", "пришёл ИВАН ПЕТРОВ."),
    "Arabic": ("سارة خان", "اتصل وسارة خان اليوم"),
    "Hebrew": ("שרה כהן", "הלכתי לשרה כהן"),
    "Devanagari": ("सीता राम", "मिले सीता रामको"),
    "Korean": ("민수", "오늘 김민수는 왔다"),
    "Armenian": ("Անի Սարգսյան", "Անի Սարգսյանը եկավ"),
    "Georgian": ("ნინო ბერიძე", "ნინო ბერიძემ თქვა"),
    "Chinese": ("王小明", "今天王小明来了"),
    "Japanese": ("山田花子", "昨日山田花子さんと"),
    "Thai": ("สมชายใจดี", "พบสมชายใจดีวันนี้"),
}
"""A name in each of twelve scripts, and a line in which it comes again in another form."""
FORMS = (
    "Quark, Zebulon",
    "[Zebulon](https://x.org/a) Quark",
    "| Zebulon | Quark |",
    "**Zebulon** Quark",
    "zebulon.quark@x.org",
    "zebulonquark",
    "Zebu-\nlon Quark",
    "Zebulon\nQuark",
    "https://x.org/?q=Zebulon%20Quark",
    '{"who": "Z\\u00e9bulon Quark"}',
)
OTHERS = ("Zebulon met a quark", "zebulons quarks", "Zebulon\n\nQuark", "- Zebulon\n- Quark", "the meeting was long")

INPUTS: dict[str, Callable[[Workspace, str], object]] = {
    "log": lambda workspace, text: workspace.log(text),
    "todo": lambda workspace, text: workspace.todo(text),
    "done": lambda workspace, text: workspace.done("fence", note=text),
    "drop": lambda workspace, text: workspace.drop("fence", note=text),
    "remember": lambda workspace, text: workspace.remember(text),
    "task add": lambda workspace, text: workspace.tasks.add("Roof", goal=text),
    "task edit": lambda workspace, text: workspace.tasks.edit("plan", goal=text),
    "task rename": lambda workspace, text: workspace.tasks.rename("plan", text),
    "task step": lambda workspace, text: workspace.tasks.step("plan", text),
    "task wait": lambda workspace, text: workspace.tasks.wait("plan", on=text),
    "task done": lambda workspace, text: workspace.tasks.done("plan", text),
    "handoff": lambda workspace, text: workspace.handoff(doing=text),
    "event": lambda workspace, text: workspace.event("note", text),
    "event --input": lambda workspace, text: workspace.event("action", tool="x", input={"q": [text]}),
    "session": lambda workspace, text: _in_session(workspace, text),
    "ask": lambda workspace, text: workspace.ask("May I?", action={"to": text}),
    "context new": lambda workspace, text: workspace.contexts.new("calls", text=text),
}


def _in_session(workspace: Workspace, text: str) -> None:
    with workspace.session("today") as session:
        session.note(text)


def forgotten(workspace: Workspace, *names: str) -> Workspace:
    """A workspace in which these names were forgotten."""
    for name in names:
        workspace.log(f"met {name} today")
    workspace.memory.forget(subjects=list(names), confirm=True)
    return workspace


@pytest.fixture
def kept(workspace: Workspace) -> Workspace:
    workspace.tasks.add("Plan")
    workspace.todo("paint the fence")
    return forgotten(workspace, *(name for name, _ in NAMES.values()))


def test_every_input_refuses_a_forgotten_name_in_every_script(kept: Workspace) -> None:
    def check(row: tuple[str, str]) -> None:
        before = tree(kept.root)
        with pytest.raises(ForgottenError, match="forgotten on 2026-11-20") as refused:
            INPUTS[row[0]](kept, NAMES[row[1]][1])
        assert refused.value.exit_code == 17
        if row[0] != "session":
            assert tree(kept.root) == before

    table.holds(check, product(INPUTS, NAMES))


def test_a_name_is_met_in_any_written_form_and_other_words_are_not(workspace: Workspace) -> None:
    forgotten(workspace, "Zébulon Quark")

    def refuses(text: str) -> None:
        with pytest.raises(ForgottenError):
            workspace.log(text)

    table.holds(refuses, FORMS)
    table.holds(workspace.log, OTHERS)


def test_what_was_forgotten_as_part_of_a_word_is_kept_out_as_that_word(workspace: Workspace) -> None:
    workspace.log("the number is x901820y")
    workspace.memory.forget(matching=["901820"], confirm=True)

    with pytest.raises(ForgottenError):
        workspace.log("x901820y again")
    workspace.log("z901820 is another word")


def test_a_single_text_is_not_a_list_of_its_letters(workspace: Workspace) -> None:
    workspace.log("王芳 called")

    workspace.memory.forget(subjects="王芳", confirm=True)

    with pytest.raises(ForgottenError):
        workspace.log("王芳 called again")


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("lighthouse", "Every later line with the word is refused."),
        ("Leo Nobody", "Not found in documents or journals. Nothing is kept out."),
    ],
)
def test_the_command_says_what_it_keeps_out(workspace: Workspace, text: str, printed: str) -> None:
    workspace.log("the lighthouse is closed")

    done = forked.run_text("-C", workspace.root, "forget", "--matching", text, "--yes")

    assert printed in done.stdout


def test_nothing_of_the_text_is_stored_and_each_entry_is_signed(kept: Workspace) -> None:
    stored = Path(kept.root, layout.KEPT_OUT).read_text()
    rows = [json.loads(line) for line in stored.splitlines()]

    assert len(rows) == 1 + len(NAMES)
    assert not any(name in stored for name, _ in NAMES.values())
    assert all(row["reason"] == "forgotten" and "SIGNATURE" in row["signature"] for row in rows[1:])


def test_a_single_word_is_kept_out_only_if_the_caller_confirms_it(workspace: Workspace) -> None:
    workspace.log("the lighthouse is closed")
    before = tree(workspace.root)

    with pytest.raises(NeedsYouError) as caught:
        workspace.memory.forget(subjects=["Zebulon Quark"], matching=["lighthouse"])

    assert "Every later line with the word 'lighthouse' would be refused" in caught.value.message
    assert "confirm=True" in caught.value.hint
    assert {path: data for path, data in tree(workspace.root).items() if path in before} == before
    assert workspace.memory.forget(matching=["lighthouse"], dry_run=True).broad == ["lighthouse"]
    assert workspace.memory.forget(matching=["lighthouse"], confirm=True).kept_out
    with pytest.raises(ForgottenError):
        workspace.log("the lighthouse is open")


def test_without_a_trace_a_single_word_needs_no_confirmation(workspace: Workspace) -> None:
    workspace.log("the lighthouse is closed")

    assert workspace.memory.forget(matching=["lighthouse"], trace=False).lines
    workspace.log("the lighthouse is open")


def test_without_a_trace_there_is_no_entry(workspace: Workspace) -> None:
    workspace.log("met Zebulon Quark")
    workspace.memory.forget(subjects=["Zebulon Quark"], trace=False)

    assert not Path(workspace.root, layout.KEPT_OUT).exists()
    workspace.log("met Zebulon Quark")


def test_what_was_not_found_and_a_dry_run_leave_no_entry(workspace: Workspace) -> None:
    workspace.log("met Zebulon Quark")
    before = tree(workspace.root)

    workspace.memory.forget(subjects=["Nobody Else"])
    workspace.memory.forget(subjects=["Zebulon Quark"], dry_run=True)

    assert not Path(workspace.root, layout.KEPT_OUT).exists()
    assert tree(workspace.root).keys() == before.keys()


def test_a_person_lifts_an_entry_and_forgets_again(kept: Workspace) -> None:
    entries = kept.memory.kept_out()
    assert len(entries) == len(NAMES)

    kept.memory.lift(*(entry.id for entry in entries))

    assert not kept.memory.kept_out()
    kept.log(NAMES["Latin"][1])
    kept.memory.forget(subjects=[NAMES["Latin"][0]])
    assert len(kept.memory.kept_out()) == 1
    with pytest.raises(UsageError, match="no entry"):
        kept.memory.lift("ffffffff")


def test_again_writes_it_and_lifts_the_entry(workspace: Workspace) -> None:
    forgotten(workspace, "Zebulon Quark")
    workspace.stores.environment.again = True

    workspace.log("Zebulon Quark is back")

    assert not workspace.memory.kept_out()


@pytest.mark.parametrize("way", ["by_agent", "session", "hosted"])
def test_an_agent_may_neither_lift_nor_write_it_again(workspace: Workspace, environment: Environment, way: str) -> None:
    forgotten(workspace, "Zebulon Quark")
    (entry,) = workspace.memory.kept_out()
    setattr(environment, way, True if way == "by_agent" else "one")
    environment.again = True
    agent = Workspace.open(workspace.root, environment=environment)

    with pytest.raises(NeedsYouError):
        agent.log("Zebulon Quark is back")
    with pytest.raises(NeedsYouError):
        agent.memory.lift(entry.id)
    assert workspace.memory.kept_out()


def test_the_command_line_lists_lifts_and_refuses(workspace: Workspace) -> None:
    def run(*words: str, code: int = 0) -> str:
        done = forked.run_text("-C", workspace.root, *words)
        assert done.returncode == code, done.stderr
        return done.stdout + done.stderr

    run("log", "met Zebulon Quark and Anni")
    assert "Later lines with the word Anni are refused" in run("forget", "--subject", "Anni", "--dry-run")
    assert "Later lines" not in run("forget", "--subject", "Anni", "--dry-run", "--no-trace")
    assert "--lift" in run("forget", "--subject", "Zebulon Quark", "--yes")
    (entry,) = json.loads(run("forget", "--list", "--json"))["entries"]
    assert "--again" in run("log", "Zebulon Quark rang", code=17)
    run("log", "Zebulon Quark rang", "--again")
    assert "Nothing is kept out" in run("forget", "--list")
    run("forget", "--lift", entry["id"], code=2)
    run("forget", "--list", "--subject", "x", code=2)


def test_many_events_at_once_are_refused_one_by_one(workspace: Workspace) -> None:
    forgotten(workspace, "Zebulon Quark")

    answers, _ = workspace.journal.record_lines(
        [b'{"kind": "note", "text": "%s"}' % text for text in (b"a", b"zebulonquark")]
    )

    assert "seq" in answers[0]
    assert answers[1]["error"]["code"] == "forgotten"  # type: ignore[index]


def test_a_line_that_is_no_entry_is_passed_over() -> None:
    salt, line = "ab" * 32, ""
    name, line = kept_out.key_line(salt, at="2026-11-20T00:00:00Z")
    fields = kept_out.entry_fields(["Anna"], FORGOTTEN, key=(name, salt), at="2026-11-20T00:00:00Z", by="")
    rows = ["", "nonsense", "[1]", '{"id": 1}', '{"key": "x", "salt": "zz"}', json.dumps({**fields, "digests": ["x"]})]  # type: ignore[dict-item]

    read = kept_out.decode("\n".join([line, json.dumps(fields), *rows]))

    assert [entry.reason for entry in read.entries] == [FORGOTTEN]


SALT = "00" * 32
KEY, KEY_LINE = kept_out.key_line(SALT, at="2026-01-01T00:00:00.000000Z")


def entry(text: str, reason: kept_out.Reason = FORGOTTEN, *more: str, day: int = 2, after: str | None = None) -> str:
    at = f"2026-01-{day:02}T00:00:00.000000Z"
    return json.dumps(kept_out.entry_fields((text, *more), reason, key=(KEY, SALT), at=at, by="a", after=after))


def test_an_entry_ends_no_other_one() -> None:
    lines = [
        KEY_LINE,
        entry("Zebulon", FORGOTTEN, "Zebulonic"),
        entry("Zebulon", FORGOTTEN, "Zebulonish", day=3),
        entry("Zebulon", kept_out.REJECTED, day=4),
        entry("Zebulon", kept_out.SUPERSEDED, day=5, after="Ada"),
        entry("Zebulon", kept_out.SUPERSEDED, day=6, after="Bo"),
    ]

    kept = kept_out.decode("\n".join(lines))

    assert len(kept.entries) == 5
    assert len(kept.among(["Zebulonic", "Zebulonish", "zebulon", "Ada"])) == 3
    last = kept.whole("Zebulon", kept_out.SUPERSEDED)
    assert last is not None
    assert kept.after(last, "Bo")


@pytest.mark.parametrize("changed", [
    {"digests": ["0:" + "a" * 32]}, {"digests": ["9" * 5000 + ":" + "a" * 32]}, {"digests": ["2:abc"]},
    {"digests": [7]}, {"digests": 7}, {"words": float("inf")}, {"reason": "odd"}, {"at": ""},
])  # fmt: skip
def test_a_line_of_another_form_is_passed_over(changed: dict[str, object]) -> None:
    odd = json.dumps({**json.loads(entry("Ada Lind")), **changed})

    kept = kept_out.decode("\n".join([KEY_LINE, odd, entry("Zebulon Quark")]))

    assert list(kept.among(["Ada Lind", "", "Zebulon Quark"])) == [2]


@pytest.mark.parametrize("salt", ["00" * 100, "11" * 32, "odd", 5])
def test_a_key_is_the_one_that_its_name_says(salt: object) -> None:
    odd = json.dumps({"v": 1, "at": "2026-01-05T00:00:00.000000Z", "key": KEY, "salt": salt})

    assert list(kept_out.decode("\n".join([KEY_LINE, odd, entry("Ada")])).among(["Ada"])) == [0]


def test_a_clock_that_is_ahead_lifts_no_later_entry(workspace: Workspace) -> None:
    workspace.log("met Zebulon Quark")
    workspace.memory.forget(matching=["Zebulon Quark"])
    (first,) = workspace.memory.kept_out()
    path = Path(workspace.root, layout.KEPT_OUT)
    told = kept_out.lifted_fields(first, at="2099-01-01T00:00:00.000000Z", by="b")
    path.write_text(path.read_text() + json.dumps(told) + "\n")
    workspace.log("met Zebulon Quark")

    workspace.memory.forget(matching=["Zebulon Quark"])

    with pytest.raises(ForgottenError):
        workspace.log("met Zebulon Quark")
    assert kept_out.later("b", "a") == "b"
    assert kept_out.later("a", "9999-12-31T23:59:59.999999Z") == "a"


def test_a_replacement_that_is_refused_marks_nothing_as_replaced(workspace: Workspace) -> None:
    workspace.log("met Zebulon Quark")
    workspace.memory.forget(matching=["Zebulon Quark"])
    workspace.remember("The pump costs 40")

    with pytest.raises(ForgottenError):
        workspace.remember("The pump is Zebulon Quark's", replaces="The pump costs 40")

    assert [one.reason for one in workspace.memory.kept_out()] == [FORGOTTEN]


def test_a_task_with_a_forgotten_name_is_renamed_without_a_trace_of_that_name(workspace: Workspace) -> None:
    workspace.tasks.add("Feed the zebra", goal="hay")
    told = workspace.memory.forget(matching=["zebra"], confirm=True).left
    assert [one.why.partition(":")[0] for one in told] == ["the file name contains the text", "below a removed heading"]

    done = workspace.tasks.rename("feed-the-zebra", "Feed the horse")

    assert (done.slug, done.noticed) == ("feed-the-horse", [])
    assert "zebra" not in Path(workspace.root, done.path).read_text()
    assert workspace.memory.forget(matching=["zebra"], confirm=True).left == []
    assert workspace.tasks.done("feed-the-horse").noticed == []
    events = [one for one in workspace.journal.list() if one.kind.startswith("task.") and one.body]
    assert [(one.kind, one.body and one.body["task"]) for one in events] == [
        ("task.renamed", "feed-the-horse"), ("task.done", "feed-the-horse"),
    ]  # fmt: skip


def test_an_event_keeps_the_names_that_others_refer_to() -> None:
    kept = kept_out.decode("\n".join([KEY_LINE, entry("call")]))
    found: list[kept_out.Entry] = []

    body = without_in_body(kept, {"tool": "call", "call": "call 1", "input": {"x": "a call"}, "text": "call"}, found)

    assert body == {"tool": "call", "call": "call 1", "input": {"x": kept_out.STAND_IN}, "text": kept_out.STAND_IN}
    assert len(found) == 2


def test_a_text_is_kept_out_however_many_lengths_of_text_were_forgotten() -> None:
    texts = [" ".join(f"w{at}of{count}" for at in range(count)) for count in range(1, 50)]
    lines = [KEY_LINE, *(entry(text) for text in texts)]
    kept = kept_out.decode("\n".join(lines))

    assert [len(text.split()) for text in texts if not kept.among([text])] == []
    assert not kept.among([texts[-1].replace("w3of49", "another")])


def test_a_long_text_whose_first_words_end_within_a_word_is_kept_out() -> None:
    text = "שרה כהן הלכה אל השוק וקנתה תפוחים ירוקים לכל הילדים בכפר"
    kept = kept_out.decode("\n".join([KEY_LINE, entry(text)]))

    assert kept.among([f"אתמול {text} היום"]).keys() == {0}


def test_a_long_text_over_several_lines_is_met_to_its_end() -> None:
    lines = [" ".join(f"w{row}at{at}" for at in range(10)) for row in range(5)]
    kept = kept_out.decode("\n".join([KEY_LINE, entry(" ".join(lines))]))

    assert kept.among(["before", *lines, "behind"]).keys() == {1, 2, 3, 4, 5}


def test_a_file_with_every_length_of_text_costs_a_bounded_number_of_digests(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [" ".join(f"w{at}of{count}" for at in range(count)) for count in range(1, 400)]
    kept = kept_out.decode("\n".join([KEY_LINE, *map(entry, texts)]))
    made: list[int] = []
    quick = kept_out.digest.quick
    monkeypatch.setattr(kept_out.digest, "quick", lambda *words: (made.append(1), quick(*words))[1])
    line = " ".join(f"word{at}" for at in range(1_000))

    assert kept.among([line, texts[0], texts[7], "as it was"]).keys() == {1, 2}
    assert 20_000 < len(made) < 50_000
