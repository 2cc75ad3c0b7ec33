"""What a line for a shell runs: each simple command, whatever stands before it, around it or within it."""

from __future__ import annotations

import pytest

from agentws.features.approvals.plan import shell
from tests import table

LINES: list[tuple[str, list[str]]] = [
    ("git status", ["git status"]),
    ("{rm,-rf,y}", ["rm -rf y"]),
    ("rm a{b,{c,d}}e {} {f}", ["rm abe ace ade {} {f}"]),
    ("echo rm x | sh", ["echo rm x", "sh", "rm x"]),
    ("echo rm x | sh build.sh", ["echo rm x", "sh build.sh"]),
    ("trap 'rm x' EXIT", ["trap rm x EXIT", "rm x"]),
    ("ssh h 'cd a; rm x' y", ["ssh h cd a; rm x y", "cd a", "rm x"]),
    ("a=`echo \\`rm x\\``", ["rm x", "echo `rm x`", "a=`echo \\`rm x\\``"]),
    ("cat <<'E F'\na 'b\nE F\nrm x", ["cat", "rm x"]),
    ("  git   status  ", ["git status"]),
    ("a; b && c || d | e & f\ng", ["a", "b", "c", "d", "e", "f", "g"]),
    ("a 'b c' \"d e\" f\\ g", ["a b c d e f g"]),
    ("echo 'a; b' \"c && d\"", ["echo a; b c && d"]),
    ("r''m -rf x", ["rm -rf x"]),
    ('"rm" x', ["rm x"]),
    ("r\\m x", ["rm x"]),
    ("$'rm' x", ["rm x"]),
    ("echo $(rm x)", ["rm x", "echo $(rm x)"]),
    ('echo "now $(rm x) and `rm y`"', ["rm x", "rm y", "echo now $(rm x) and `rm y`"]),
    ("echo '$(rm x)'", ["echo $(rm x)"]),
    ('echo "\\$(rm x)"', ["echo $(rm x)"]),
    ("echo `rm x`", ["rm x", "echo `rm x`"]),
    ("echo $(echo $(rm x))", ["rm x", "echo $(rm x)", "echo $(echo $(rm x))"]),
    ("echo ${X:-$(rm x)}", ["rm x", "echo ${X:-$(rm x)}"]),
    ("diff <(rm x) y", ["diff", "rm x", "y"]),
    ("(cd a && rm x)", ["cd a", "rm x"]),
    ("{ rm x; }", ["rm x"]),
    ("f() { rm x; }", ["f", "rm x"]),
    ("if true; then rm x; else rm y; fi", ["true", "rm x", "rm y"]),
    ("for x in a b; do rm $x; done", ["for x in a b", "rm $x"]),
    ("while ! rm x; do :; done", ["rm x", ":"]),
    ("case $1 in a|*b) rm x;; *) rm y;; esac; c", ["case $1 in a", "*b", "rm x", "*", "rm y", "c"]),
    ("(case a in\n*.c | $X)\nrm x;; esac)", ["case a in", "*.c", "$X", "rm x"]),
    (
        "[[ -n a && $X == b* || ( $Y =~ ^(c|d)$ ) ]] && rm x",
        [
            "[[ -n a",
            "$X == b*",
            "$Y =~ ^",
            "c",
            "d",
            "$",
            "]]",
            "rm x",
        ],
    ),
    ('[[ -n "$X" && $Y == z ]]', ["[[ -n $X", "$Y == z ]]"]),
    ("if [[ a || rm x ]]; then b; fi", ["[[ a", "rm x ]]", "b"]),
    ("a # rm x", ["a"]),
    ("a#b", ["a#b"]),
    ("a # it's\nrm x", ["a", "rm x"]),
    ("a 2>&1 | b", ["a", "b"]),
    ("a > f 2>/dev/null", ["a"]),
    ("a \\\n  b", ["a b"]),
    ("sh -c 'rm x'", ["sh -c rm x", "rm x"]),
    ("bash -lc 'a; rm x' name", ["bash -lc a; rm x name", "a", "rm x"]),
    ("sudo -u lena bash -c 'rm x'", ["sudo -u lena bash -c rm x", "rm x"]),
    ("eval 'rm x; a'", ["eval rm x; a", "rm x", "a"]),
    ("ssh shop 'rm x'", ["ssh shop rm x", "rm x"]),
    ("cat <<END\nit's rm x\nEND\nrm y", ["cat", "rm y"]),
    ("cat <<'END' > f\n$(rm x)\nEND", ["cat"]),
    ("cat <<END\n$(rm x)\nEND", ["cat", "rm x"]),
    ("cat <<-END\n\trm x\n\tEND\na", ["cat", "a"]),
    ("bash <<END\nrm x\nEND", ["bash", "rm x"]),
    ("cat <<END | sh\nrm x\nEND", ["cat", "sh", "rm x"]),
    ("cat <<<'a b'", ["cat"]),
    ("a \"$(cat <<'END'\nit's `b (#1\nEND\n)\"; rm x", ["cat", "a $(cat <<'END'\nit's `b (#1\nEND\n)", "rm x"]),
    ("a $(cat <<A <<-B\nit's\nA\n\t(\n\tB\nrm x\n)", ["cat", "rm x", "a $(cat <<A <<-B\nit's\nA\n\t(\n\tB\nrm x\n)"]),
    ("a $(cat <<END\n$(rm x) (\nEND\n)", ["cat", "rm x", "a $(cat <<END\n$(rm x) (\nEND\n)"]),
    ("a $(cat <<<'b)'; rm x)", ["cat", "rm x", "a $(cat <<<'b)'; rm x)"]),
    ("a $(b # <<END\n)\nrm x\nEND\n)", ["b", "rm x", "END", "a $(b # <<END\n)\nrm x\nEND\n)"]),
    ("A=1 B=2 rm x", ["A=1 B=2 rm x"]),
    ("cat <<< {a,b} rm x", ["cat rm x"]),
    ("> {a,b} rm x", ["rm x"]),
    ("> \r rm x", ["rm x"]),
    ("< \\\n a rm x", ["rm x"]),
    ("a\r\nrm x\r\n", ["a", "rm x"]),
    ("eval -- rm x", ["eval -- rm x", "rm x"]),
    ("", []),
    ("# nothing", []),
]

UNCLEAR = [
    "echo 'a", 'echo "a', "echo `a", "echo $(a", "echo \"$(a\"", "cat <<END\na", "cat <<END", "cat << ''\na",
    "case a in *) b;; esac; *) c", "case a in b) (*);; esac", "case a in b) (c; *);; esac",
    "case a in b) $X | c;; esac", "case a in b) $X -rf y;; esac", "[[ a ]] && $X y", "[[ a && $X y",
    "'[[' a || $X y ]]", "echo [[; $X y ]]", "case a in b) $X | case a in *) ;; esac;; esac", "esac; *)",
    "a $(cat <<END\nb\nEND)\nEND\n)", "a $(cat <<END\nb)", "a $(cat <<END)\nb\nEND",
    "$X -rf y", "`a` b", "$(a) b", "/bin/r? x", "/bin/r* x", "a " + "{4,5}" * 9, "$'\\x72m' x", "echo ${X",
    "sh -c \"sh -c 'echo", "a" * (shell.MOST_BYTES + 1), "$(" * 40 + ")" * 40,
]  # fmt: skip

READINGS: list[tuple[str, str]] = [
    ("/usr/bin/rm x", "rm x"),
    ("A=1 rm x", "rm x"),
    ("sudo rm x", "rm x"),
    ("sudo -u lena rm x", "rm x"),
    ("env -i A=1 rm x", "rm x"),
    ("timeout 5 nice -n 3 rm x", "rm x"),
    ("A=1 sudo /bin/rm x", "rm x"),
    ("find . -name y -exec rm {} +", "rm {} +"),
    ("xargs -0 rm x", "rm x"),
    ("xargs -0 rm", "rm {}"),
    ("sudo xargs rm", "rm {}"),
    ("command rm x", "rm x"),
]


def test_every_simple_command_of_a_line_is_found() -> None:
    def check(row: tuple[str, list[str]]) -> None:
        assert [" ".join(one.words) for one in shell.commands(row[0])] == row[1]

    table.holds(check, LINES)


def test_a_line_that_only_a_shell_could_read_is_unclear() -> None:
    def check(line: str) -> None:
        with pytest.raises(shell.UnclearError):
            shell.commands(line)

    table.holds(check, UNCLEAR)


def test_what_comes_before_a_command_hides_it_from_nobody() -> None:
    def check(row: tuple[str, str]) -> None:
        (command,) = shell.commands(row[0])
        readings = [*command.readings()]
        assert readings[0] == row[0]
        assert row[1] in readings

    table.holds(check, READINGS)


def test_what_goes_to_a_file_is_known() -> None:
    rows = [
        ("a > f", True), ("a >> f", True), ("a >f", True), ("a >| f", True), ("a 2>&1", False),
        ("a > /dev/null", False), ("a < f", False), ("a 2>/dev/null", False), ("a '>' f", False), ("a <> f", True),
    ]  # fmt: skip

    def check(row: tuple[str, bool]) -> None:
        (command,) = shell.commands(row[0])
        assert command.writes is row[1]

    table.holds(check, rows)


def test_a_hostile_line_is_read_in_a_bounded_number_of_steps(steps: list[int]) -> None:
    """Twice the length takes no more than about twice the steps."""
    makers = [
        lambda n: "#\n" * n,
        lambda n: 'a "b" ' * n,
        lambda n: "$(a) " * n,
        lambda n: 'a "' + "$(a)" * n + '"',
        lambda n: "a 2>&1 " * n,
        lambda n: "cat <<E\nE\n" * n,
        lambda n: "a $(" + "cat <<E\nE\n" * n + ")",
        lambda n: "a $(" + "cat <<E " * n + "\nE" * n + "\n)",
        lambda n: "a" + "(" * n,
        lambda n: '"$(' * n,
        lambda n: "`a` " * n,
        lambda n: "case a in\n" + "*|" * n,
        lambda n: "[[ " + "$X && " * n,
        lambda n: "b ${X} " * n,
        lambda n: "A=1 " * n + "a",
        lambda n: "sudo " * n + "a",
    ]

    def check(make: object) -> None:
        counts = []
        for n in (200, 400):
            steps.clear()
            try:
                for one in shell.commands(make(n)):  # type: ignore[operator]
                    [*one.readings()]
            except shell.UnclearError:
                pass
            counts.append(len(steps))
        assert counts[1] <= 2.3 * counts[0] + 200, counts

    table.holds(check, makers)
