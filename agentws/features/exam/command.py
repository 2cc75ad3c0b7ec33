"""The verb `agentws exam`: its options, its call and its output."""

from __future__ import annotations

from agentws.core.terminal import output
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import DRY_RUN, Verb, flag
from agentws.core.text.sanitize import one_line
from agentws.errors import NeedsYouError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.features.exam.apply import Exam
    from agentws.features.exam.suggest import Suggestion


def exam(run: Run, *, suggest: bool, dry_run: bool) -> None:
    """Check that boot and search show what `exam.toml` asks for. Exits 3 if they do not.

    `agentws doctor` includes it.
    """
    if dry_run and not suggest:
        raise UsageError("--dry-run needs --suggest: an exam changes nothing.")
    if suggest:
        made = run.workspace().exam.suggest(dry_run=dry_run)
        run.result("exam-suggest", made, f"path text dry_run exam[{_EXAM}] notices", suggestion_lines(made))
        return
    done = run.workspace().exam()
    run.result("exam", done, _EXAM, exam_lines(done))
    if not done.well:
        failed = f"{len(done.failed)} of {len(done.answers)} questions failed."
        raise NeedsYouError(failed, hint=f"Correct the notes, or {done.path}.")


_EXAM = "well path answers[passed says? *question[table search? expect audience budget line]] notices"


VERBS = (
    Verb(
        "exam",
        exam,
        (
            flag("--suggest", "Write a first `exam.toml`."),
            DRY_RUN,
        ),
        "agentws exam",
        "agentws exam --suggest --dry-run   print a first exam",
        "agentws exam --json                for CI",
    ),
)


def exam_lines(done: Exam) -> Iterator[str]:
    """Yield the questions that failed, each with its place, and how many passed."""
    for answer in done.failed:
        place = output.place(done.path, answer.question.line)
        yield one_line(f"{place}: {answer.question.table}: {answer.says}")
    passed = len(done.answers) - len(done.failed)
    yield f"{passed} of {len(done.answers)} questions passed."


def suggestion_lines(made: Suggestion) -> Iterator[str]:
    """Yield the file for a dry run, else its path; then what would fail now."""
    yield from made.text.splitlines() if made.dry_run else [f"Wrote {output.place(made.path)}."]
    yield ""
    yield from exam_lines(made.exam)
