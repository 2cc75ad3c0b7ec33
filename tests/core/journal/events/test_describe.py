"""One event in words: what is cut keeps its origin, however long it is and whatever stands in it."""

from __future__ import annotations

from agentws.core.formats.journal import event
from agentws.core.journal.events import describe
from tests import table

_TEXTS = ("word ", "word\nand ", "\\(via user) ", "(via the pass ", f"the key AKIA{'Q7R2' * 4} ")
_LENGTHS = (100, 200, 280, 1_000, 5_000, 50_000)


def test_a_text_that_is_cut_keeps_its_origin() -> None:
    def keeps(row: tuple[str, int, str]) -> None:
        words, length, below = row
        said = (words.replace("\n", " ") * length)[:length]
        text = f"{said} (via tool:web){below}"
        (shown,), _ = describe.lines(lambda cut: [cut(text, describe.MOST_TEXT)])
        assert shown.endswith("(via tool:web)") or len(text) <= describe.MOST_TEXT, shown
        assert len(shown) < describe.MOST_TEXT * 2

    below = ("", "\n" + "more " * 2000)
    table.holds(keeps, [(words, length, more) for words in _TEXTS for length in _LENGTHS for more in below])


def told(kind: str, **body: object) -> str:
    fields = {
        "agentws": 1, "seq": 1, "id": "x", "at": "2026-11-20T07:15:00.000000Z", "kind": f"approval.{kind}",
        "session": None, "src": "agent", "prev": "", "digest": "", "salt": "",
        "body": {"v": 1, "id": "k3x9q2", "action_digest": "sha256:8962cf5b", **body},
    }  # fmt: skip
    one = event.Event(fields, writer="w1", hash="", segment=1, offset=0)
    (shown,), _ = describe.lines(lambda cut: [describe.line(one, cut)])
    return shown


def test_an_answer_says_about_which_request_it_is_and_what_it_was() -> None:
    yes = {"verdict": "approved", "proof": "typed"}

    assert told("asked", text="Pay?", action={"pay": 250}) == "[approval.asked] k3x9q2: Pay?"
    assert told("decided", verdict="rejected", text="Not now.") == "[approval.decided] k3x9q2: rejected · Not now."
    assert told("decided", **yes) == "[approval.decided] k3x9q2: approved (typed)"
    assert told("used") == "[approval.used] k3x9q2"
