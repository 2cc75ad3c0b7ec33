"""HTML comments: which there are, and what is none."""

from __future__ import annotations

import resource
import subprocess
import sys

from agentws.core.markdown import comment
from tests.table import holds

TEXTS = (
    ("Tea. <!-- a hint -->\n", "Tea. \n"),
    ("a <!-- b --> c <!-- d\ne --> f\n", "a  c \n f\n"),
    ("<!--\nfirst\n\nsecond\n\n- third\n-->\nTea.\n", "\n\n\n\n\n\n\nTea.\n"),
    ("```sh\nls <!-- -->\n```\n\n<!--\nfirst\n\nsecond\n-->\n", "```sh\nls <!-- -->\n```\n\n\n\n\n\n\n"),
    ("- boat\n<!--\n- rope\n-->\n- oar\n", "- boat\n\n\n\n- oar\n"),
    ("- boat\n  <!--\n  - rope\n\n  -->\n- oar\n", "- boat\n  \n\n\n\n- oar\n"),
    ("- boat <!-- the\n  blue --> one\n", "- boat \n one\n"),
    *(
        (text, text)
        for text in (
            "- strip <!-- above\n- call Tom\n- strip --> below\n",
            "- oars\n  - strip <!-- above\n  - call Tom\n  - strip --> below\n",
            "- strip <!-- above\n\n  call Tom -->\n",
            "Strip <!-- above.\n\nStrip --> below.\n",
            "- oars\n\n  <!-- no end\n- strip -->\n",
            "It begins with `<!--` here.\n\nIt ends with `-->`.\n",
            "Write `<!--` and ``a ` -->`` around it.\n",
            "Write \\<!-- and --> around it.\n",
            "- ```\n  <!-- a -->\n  ```\n",
            "<!-- no end\n",
        )
    ),
)


def test_a_comment_ends_within_its_item_and_is_no_code() -> None:
    def check(row: tuple[str, str]) -> None:
        assert comment.without(row[0]) == row[1]

    holds(check, TEXTS)


def test_lines_that_begin_inside_a_comment_are_named() -> None:
    text = "a\n<!-- b\nc -->\nd <!-- e -->\n<!--\n\n-->\n"

    assert comment.lines(text, first_line=11) == {13, 16, 17}


def test_the_cost_grows_with_the_text() -> None:
    texts = (
        "".join(f"- boat {at} <!-- c -->{' oar' * 20}\n" for at in range(60_000)),
        "a <!-- b " * 300_000,
        "<!-- --> ` `` " * 200_000,
        "- <!-- a\n" * 200_000,
    )
    code = "import sys\nfrom agentws.core.markdown import comment\ncomment.lines(sys.stdin.read())"
    for text in texts:
        subprocess.run(
            [sys.executable, "-c", code],
            input=text.encode(),
            check=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (20, 20)),
        )
