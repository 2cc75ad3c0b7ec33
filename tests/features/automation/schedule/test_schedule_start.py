"""A schedule calls the console script: no launcher could take the words of a job (docs/guides/hooks.md)."""

from __future__ import annotations

import pytest

from agentws.cli import fast_lane
from agentws.features.automation.schedule.plan import jobs


@pytest.mark.parametrize("job", jobs.JOBS, ids=lambda job: job.name)
def test_the_words_of_a_job_are_for_the_ordinary_start(job: jobs.Job) -> None:
    found = fast_lane.recognise(["-C", "/home/sam/robin", *job.words])

    assert found is None or not found.is_hot


def test_what_the_launcher_is_for_is_for_the_fast_lane() -> None:
    found = fast_lane.recognise(["-C", "/home/sam/robin", "boot"])

    assert found is not None
    assert found.is_hot
