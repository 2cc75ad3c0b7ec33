"""What an agent is allowed to run: exactly our verbs, in the words that it types, in each host's own form."""

from __future__ import annotations

import json
import shlex
import tomllib

import pytest

from agentws.core.hosts import allowance, plan
from agentws.errors import UsageError
from agentws.features import hosts
from agentws.features.hosts import javascript, render_install as install
from agentws.features.hosts.host_settings import HostSettings

SCRIPT, WORKSPACE = "/opt/agent ws/bin/agentws", "/home/leo/heron"
claude_code, codex, gemini, opencode = map(hosts.settings, ("claude-code", "codex", "gemini", "opencode"))
HOSTS = (claude_code, codex, gemini, opencode)
PLACES = {claude_code: ".claude/settings.local.json", gemini: ".gemini/settings.json"}
LISTS = {claude_code: ("permissions", "allow"), gemini: ("tools", "allowed")}
MINE = '{\n  "permissions": {"allow": ["Bash(git log:*)"]},\n  "tools": {"allowed": ["ls"]}\n}\n'


def wiring(
    *, allows: bool | None = True, is_named: bool = True, level: str = plan.PROJECT, script: str = SCRIPT,
    workspace: str = WORKSPACE, written: plan.Written = plan.NOTHING,
) -> plan.Wiring:  # fmt: skip
    return plan.Wiring(script, workspace, level=level, parts=1, allows=allows, is_named=is_named, written=written)


def record(host: HostSettings, texts: dict[str, str]) -> plan.Written:
    """What the record says where install wrote each rule that stands there."""
    return plan.Written(host.rules(texts, plan.PROJECT))


def applied(present: dict[str, str], after: plan.After) -> dict[str, str]:
    return {place: text for place, text in {**present, **after}.items() if text is not None}


def listed(host: HostSettings, texts: dict[str, str]) -> list[str]:
    outer, inner = LISTS[host]
    found: list[str] = json.loads(texts[PLACES[host]]).get(outer, {}).get(inner, [])
    return found


def test_the_verbs_are_those_that_people_are_told() -> None:
    *most, last = allowance.VERBS
    told = f"{', '.join(most)} and {last}"

    assert told == install.VERBS


def test_no_verb_is_allowed_that_is_a_way_out() -> None:
    out = "migrate forget restore undo identity install uninstall config approvals sync backup schedule compact hook"

    assert not set(allowance.VERBS) & set(out.split())


@pytest.mark.parametrize(
    ("level", "is_named", "wanted"),
    [
        (plan.PROJECT, True, ["agentws", "agentws -C /w", "/b/agentws", "/b/agentws -C /w"]),
        (plan.PROJECT, False, ["/b/agentws", "/b/agentws -C /w"]),
        (plan.FOLDER, True, ["agentws -C /w", "/b/agentws -C /w"]),
        (plan.USER, True, ["agentws", "agentws -C /w", "/b/agentws", "/b/agentws -C /w"]),
    ],
)
def test_each_way_of_calling_us_is_allowed_with_each_verb(level: str, is_named: bool, wanted: list[str]) -> None:
    told = wiring(level=level, is_named=is_named, script="/b/agentws", workspace="/w")

    assert allowance.typed(told) == [f"{way} {verb}" for way in wanted for verb in allowance.VERBS]


def test_our_commands_are_known_again_whatever_they_name() -> None:
    assert all(map(allowance.is_ours, allowance.typed(wiring())))
    for other in (
        "agentws undo",
        "agentws log x",
        "agentws -C log",
        "git log",
        "agentws",
        "'agentws",
        "notagentws log",
    ):
        assert not allowance.is_ours(other), other


@pytest.mark.parametrize("host", [claude_code, gemini])
def test_rules_stand_behind_those_of_the_user_and_come_out_alone(host: HostSettings) -> None:
    present = {PLACES[host]: MINE}

    wired = applied(present, host.install(present, wiring()))

    mine, *ours = listed(host, wired)
    assert mine in MINE
    assert len(ours) == 4 * len(allowance.VERBS)
    assert any(shlex.quote(SCRIPT) in one for one in ours)
    assert host.allowed(wired, plan.PROJECT) is True
    assert host.install(wired, wiring()) == {}
    assert applied(wired, host.uninstall(wired, plan.PROJECT, record(host, wired))) == present


def test_a_rule_of_claude_code_is_a_beginning_that_ends_with_the_verb() -> None:
    rules = listed(claude_code, applied({}, claude_code.install({}, wiring(script="/b/agentws"))))

    assert "Bash(agentws log:*)" in rules
    assert f"Bash(/b/agentws -C {WORKSPACE} handoff:*)" in rules
    assert not any("undo" in one for one in rules)


@pytest.mark.parametrize("host", HOSTS)
def test_what_is_not_allowed_any_more_is_taken_out(host: HostSettings) -> None:
    allowed = applied({}, host.install({}, wiring()))

    after = applied(allowed, host.install(allowed, wiring(allows=False, written=record(host, allowed))))

    assert host.allowed(allowed, plan.PROJECT) is True
    assert host.allowed(after, plan.PROJECT) is False
    assert after == applied({}, host.install({}, wiring(allows=False)))


@pytest.mark.parametrize("host", HOSTS)
def test_rules_for_an_older_script_are_replaced(host: HostSettings) -> None:
    older = applied({}, host.install({}, wiring(script="/old/bin/agentws")))

    after = applied(older, host.install(older, wiring(written=record(host, older))))

    assert "/old/" not in "".join(after.values())
    assert sorted(after) == sorted(older)
    assert not applied(after, host.uninstall(after, plan.PROJECT, record(host, after)))


def test_codex_allows_the_script_alone_and_never_a_name() -> None:
    rules = applied({}, codex.install({}, wiring()))[".codex/rules/agentws.rules"]

    patterns = [line.strip().removesuffix(",") for line in rules.splitlines() if "pattern" in line]
    # What stands there in Starlark is TOML as well.
    read = [tomllib.loads(pattern)["pattern"] for pattern in patterns]
    assert read == [[SCRIPT, list(allowance.VERBS)], [SCRIPT, "-C", WORKSPACE, list(allowance.VERBS)]]
    assert rules.count('decision = "allow"') == 2


def test_gemini_allows_its_user_by_a_policy_that_replaces_the_list() -> None:
    listed_before = {"settings.json": '{"tools": {"allowed": ["ls", "run_shell_command(agentws log)"]}}'}
    written = plan.Written(["run_shell_command(agentws log)"])

    after = applied(listed_before, gemini.install(listed_before, wiring(level=plan.USER, written=written)))

    assert json.loads(after["settings.json"])["tools"] == {"allowed": ["ls"]}
    (rule,) = tomllib.loads(after["policies/agentws.toml"])["rule"]
    assert rule["commandPrefix"] == allowance.typed(wiring(level=plan.USER))
    assert (rule["toolName"], rule["decision"]) == ("run_shell_command", "allow")
    assert gemini.allowed(after, plan.USER) is True
    assert gemini.allowed(after, plan.PROJECT) is False
    assert gemini.install(after, wiring(level=plan.USER)) == {}
    assert gemini.install(after, wiring(level=plan.USER, allows=False))["policies/agentws.toml"] is None
    assert applied(after, gemini.uninstall(after, plan.USER)) == {"settings.json": '{"tools": {"allowed": ["ls"]}}'}


def test_a_policy_of_gemini_that_a_person_edited_is_theirs() -> None:
    ours = applied({}, gemini.install({}, wiring(level=plan.USER)))
    place = "policies/agentws.toml"
    theirs = {place: ours[place].replace('"allow"', '"deny"')}

    with pytest.raises(UsageError, match="not a file of agentws"):
        gemini.install(theirs, wiring(level=plan.USER))

    assert place not in gemini.install(theirs, wiring(level=plan.USER, allows=False))
    assert place not in gemini.uninstall(theirs, plan.USER)
    assert gemini.allowed(theirs, plan.USER) is False


def test_rules_of_somebody_else_are_not_replaced() -> None:
    with pytest.raises(UsageError, match="not a file of agentws"):
        codex.install({".codex/rules/agentws.rules": "prefix_rule()\n"}, wiring())


@pytest.mark.parametrize("more", ["", "# mine\n", 'prefix_rule(\n    pattern = ["/opt/tool", ["run"]],\n)\n'])
def test_rules_of_a_person_that_begin_like_ours_are_theirs(more: str) -> None:
    place = ".codex/rules/agentws.rules"
    ours = applied({}, codex.install({}, wiring()))[place]
    theirs = {place: ours + more if more else ours.replace('"undo"', "").replace('"log"', '"undo"')}

    with pytest.raises(UsageError, match="not a file of agentws"):
        codex.install(theirs, wiring())

    assert place not in codex.install(theirs, wiring(allows=False))
    assert place not in codex.uninstall(theirs, plan.PROJECT)
    # Unless the record says that an earlier version left it so.
    left = plan.Written(files=[place])
    assert codex.install(theirs, wiring(written=left))[place] == ours
    assert codex.uninstall(theirs, plan.PROJECT, left)[place] is None


@pytest.mark.parametrize("host", [claude_code, gemini])
def test_one_rule_is_no_word_for_the_others(host: HostSettings) -> None:
    whole = applied({}, host.install({}, wiring()))
    one = next(rule for rule in listed(host, whole) if "agentws log" in rule)
    outer, inner = LISTS[host]
    present = {PLACES[host]: json.dumps({outer: {inner: [one]}})}

    assert host.allowed(present, plan.PROJECT) is False
    for allows in (None, False):
        assert listed(host, applied(present, host.install(present, wiring(allows=allows)))) == [one]
    assert listed(host, applied(present, host.uninstall(present, plan.PROJECT))) == [one]


@pytest.mark.parametrize("host", HOSTS)
def test_unasked_the_rules_stay_as_they_stand(host: HostSettings) -> None:
    older = applied({}, host.install({}, wiring(script="/old/bin/agentws", is_named=False)))

    after = applied(older, host.install(older, wiring(allows=None, written=record(host, older))))

    assert host.allowed(after, plan.PROJECT) is True
    if host is opencode:
        assert javascript.listed(after[".opencode/plugin/agentws.js"]) == javascript.listed(
            older[".opencode/plugin/agentws.js"]
        )
    elif host is codex:
        assert after[".codex/rules/agentws.rules"] == older[".codex/rules/agentws.rules"]
    else:
        assert listed(host, after) == listed(host, older)


def test_a_path_that_a_pattern_would_read_otherwise_is_in_no_rule() -> None:
    assert allowance.typed(wiring(script="/b*/agentws", workspace="/w", is_named=False)) == []
