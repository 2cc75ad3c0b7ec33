"""Our lines in a crontab: put in, replaced, taken out, and all else byte for byte as it was."""

from __future__ import annotations

from datetime import time

import pytest

from agentws.features.automation.schedule.plan import crontab
from agentws.features.automation.schedule.plan.crontab import CrontabLine

AGENT, OTHER = "0f3c9a52d4e84c6f9b7a1d2e3f405162", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
OURS = CrontabLine("doctor", AGENT, "30 3 * * *", "/bin/agentws -C /home/sam/robin doctor")
THEIRS = CrontabLine("doctor", OTHER, "40 3 * * *", "/bin/agentws -C /home/sam/wren doctor")
CRONTABS = (
    "",
    "# mine\n",
    "MAILTO=sam\n\n\n0 5 * * 1  tar -zcf  x \t# weekly\n",
    "\n\n",
    "0 5 * * * no end",
    "\r\n0 5 * * * windows\r\n",
    "0 5 * * * printf '\udce4 \u2028 \x0c'\n",
    f"{THEIRS.line}\n# {OURS.line}\n0 5 * * * echo ' # agentws schedule'\n",
)


@pytest.mark.parametrize("text", CRONTABS)
def test_what_is_put_in_and_taken_out_again_leaves_every_byte(text: str) -> None:
    with_ours = crontab.with_entry(text, OURS)

    assert f"{OURS.line}\n" in with_ours
    assert crontab.with_entry(with_ours, OURS) == with_ours
    assert crontab.without(with_ours, job="doctor", agent=AGENT) == text


@pytest.mark.parametrize("text", CRONTABS)
def test_nothing_is_taken_out_where_nothing_of_ours_is(text: str) -> None:
    assert crontab.without(text, job="doctor", agent=AGENT) == text


def test_an_older_line_is_replaced_where_it_stands() -> None:
    older = CrontabLine("doctor", AGENT, "1 1 * * *", "/old/agentws -C /home/sam/moved doctor").line
    text = f"# one\n{older}\n{THEIRS.line}\n  {older}  \n# two\n"

    assert crontab.with_entry(text, OURS) == f"# one\n{OURS.line}\n{THEIRS.line}\n# two\n"


def test_lines_of_other_jobs_and_agents_stay() -> None:
    other_job = CrontabLine("compact", AGENT, "30 3 * * *", "/bin/agentws -C /home/sam/robin compact")
    text = f"{THEIRS.line}\n{other_job.line}\n{OURS.line}\n"

    assert crontab.without(text, job="doctor", agent=AGENT) == f"{THEIRS.line}\n{other_job.line}\n"


def test_a_line_that_somebody_made_a_comment_is_theirs() -> None:
    text = f"#{OURS.line}\n"

    assert list(crontab.entries(text, agent=AGENT)) == []
    assert crontab.without(text, job="doctor", agent=AGENT) == text


@pytest.mark.parametrize(
    ("when", "at", "every"),
    [
        ("30 3 * * *", time(3, 30), "day"),
        ("0 0 * * *", time(0), "day"),
        ("30 3 * * 1", time(3, 30), "mon"),
        ("30 3 * * 0", time(3, 30), "sun"),
        ("30 3 * * 7", time(3, 30), "sun"),
        ("30 3 * * Tue", time(3, 30), "tue"),
        ("30 3 * * xyz", None, ""),
        ("30 3 1 * *", None, ""),
        ("30 3 * * 1-5", None, ""),
        ("@daily", None, ""),
        ("99 3 * * *", None, "day"),
    ],
)
def test_a_line_tells_when_it_runs(when: str, at: time | None, every: str) -> None:
    (found,) = crontab.entries(f"{when} /bin/agentws doctor # agentws schedule doctor {AGENT}\n", agent=AGENT)

    assert (found.when, found.at, found.every) == (when, at, every)
    assert found.command == "/bin/agentws doctor"


def test_a_crontab_with_a_zone_of_its_own_is_known() -> None:
    assert crontab.sets_zone("# x\nCRON_TZ=Asia/Tokyo\n")
    assert not crontab.sets_zone("MAILTO=sam\n0 5 * * * TZ=UTC date\n")


def test_a_job_of_two_words_is_found_again() -> None:
    (found,) = crontab.entries(f"0 4 * * * /bin/agentws task due # agentws schedule task-due {AGENT}\n", agent=AGENT)

    assert (found.job, found.command) == ("task-due", "/bin/agentws task due")
