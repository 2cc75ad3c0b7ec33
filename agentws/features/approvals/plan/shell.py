"""The simple commands of a line for a shell, as far as they can be told without a shell. Pure.

What a shell would make of variables, aliases and files is not known: rules are a net for what an agent does in good
faith, and for what is written plainly.
"""

from __future__ import annotations

from agentws.features.approvals.plan import quoting
from agentws.features.approvals.plan.quoting import UnclearError

__all__ = ["MOST_BYTES", "Command", "UnclearError", "commands", "handed"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST_BYTES = 1 << 18
"""A longer line is not looked into."""
_KEYWORDS = frozenset(("then", "do", "else", "elif", "if", "while", "until", "!", "{", "}", "fi", "done", "esac"))
_RUNNERS = frozenset((
    "sudo", "doas", "env", "nohup", "command", "builtin", "exec", "nice", "ionice", "chrt", "timeout", "stdbuf",
    "setsid", "xargs", "parallel", "find", "watch", "chroot", "nsenter", "unshare", "strace", "ltrace", "flock",
    "runuser", "su", "busybox", "script", "ssh", "time", "coproc", "taskset", "fakeroot", "systemd-run",
))  # fmt: skip
"""Programs that run what their arguments say."""
_APPENDERS, _MORE = ("xargs", "parallel"), ("{}",)
"""Of these, those that add words of which nobody knows, as `{}` stands for them."""
_SHELLS = frozenset(("sh", "bash", "zsh", "dash", "ksh", "ash", "fish"))
_GIT_TAKES = frozenset(("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"))
_RUNS = frozenset(("-exec", "-execdir", "-ok", "-okdir", "--"))
"""Behind these, however far from its beginning, a command that runs others may name one."""
_SAYS = frozenset(("echo", "printf"))
_FED = _SHELLS | {"ssh", "source", ".", "su", "sudo"}
"""Commands that may run what stands in a text that is handed to them."""
_UNKNOWN = frozenset("$`*?[{")
"""What in a command's name says that only the shell knows which one it is."""
_HERE_STRING = "<<<"
_NOWHERE = frozenset(("/dev/null", "/dev/stdout", "/dev/stderr", "-"))
_MOST_DEPTH = 4
_MOST_READINGS = 32
_MOST_WORDS = 2_000
_MOST_HANDED = 8
_MOST_PATTERNS = 200


class Command:
    """A simple command: its `words` as they stand, and the `files` that it reads from or writes to by redirection.

    `wild` are the patterns among them, with RUN and ONE of named.py. `writes` where what it prints goes to a file.
    """

    __slots__ = ("files", "wild", "words", "writes")

    def __init__(
        self, words: list[str], files: Sequence[str] = (), wild: Sequence[str] = (), *, writes: bool = False
    ) -> None:
        self.words = words
        self.files = files
        self.wild = wild
        self.writes = writes

    def readings(self) -> Iterator[str]:
        """Yield the command as it stands, then without what comes before it, and what it hands to be run."""
        yield " ".join(self.words)
        words = self.words
        while words and _is_assignment(words[0]):
            words = words[1:]
        yield from _named(words)
        yield from _named(_without_options(words))
        if words and _base(words[0]) in _RUNNERS:
            more: tuple[str, ...] = ()
            for at in range(1, min(len(words), _MOST_READINGS)):
                more = _MORE if _base(words[at - 1]) in _APPENDERS else more
                yield from _named(words[at:])
                if more:
                    yield from _named([*words[at:], *more])
            for at, word in enumerate(words[_MOST_READINGS:-1], _MOST_READINGS):
                if word in _RUNS:
                    yield from _named(words[at + 1 :])


def commands(line: str, depth: int = 0) -> list[Command]:
    """Return the simple commands of a line, those within `$(…)`, backquotes, `sh -c` and `eval` too. UnclearError."""
    if depth > _MOST_DEPTH or len(line) > MOST_BYTES:
        raise UnclearError("commands within commands, or a very long line")
    found = _Line(line, depth).commands()
    for command in list(found):
        found += handed(command.words, depth)
    if sum(len(command.words) for command in found) > _MOST_WORDS:
        raise UnclearError("too many words")
    return found


def _named(words: Sequence[str]) -> Iterator[str]:
    if words:
        yield " ".join([_base(words[0]), *words[1:]])


def _without_options(words: Sequence[str]) -> Sequence[str]:
    """Return the words of git without the options before its verb; nothing for another program."""
    if not words or _base(words[0]) != "git":
        return ()
    at = 1
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in _GIT_TAKES else 1
    return [words[0], *words[at:]] if at > 1 else ()


def _base(word: str) -> str:
    return word.rpartition("/")[2] or word


def handed(words: Sequence[str], depth: int = 0) -> list[Command]:
    """Return the commands that these words hand to another shell."""
    found: list[Command] = []
    for at, word in enumerate(words[:_MOST_READINGS]):
        if word == "eval" and at + 1 < len(words):
            return commands(" ".join(words[at + 1 :]).removeprefix("-- "), depth + 1)
        if word == "trap" and at + 1 < len(words):
            return commands(words[at + 1], depth + 1)
        if _base(word) in _SHELLS:
            for place, option in enumerate(words[at + 1 : -1], at + 1):
                if option[:1] in "-+" and not option.startswith("--") and "c" in option:
                    line = next((word for word in words[place + 1 :] if word[:1] not in "-+"), words[-1])
                    return commands(line, depth + 1)
        if _base(word) in ("ssh", "su", "watch", "parallel", "xargs"):
            for line in [one for one in words[at + 1 :] if " " in one][:_MOST_HANDED]:
                found += commands(line, depth + 1)
            break
    return found


def _is_assignment(word: str) -> bool:
    name, sign, _ = word.partition("=")
    return bool(sign) and name.rstrip("+").replace("_", "a").isalnum() and not name[:1].isdigit()


class _Line:
    """A line that is read from its beginning to its end, once."""

    def __init__(self, line: str, depth: int) -> None:
        self._line = line.replace("\r\n", "\n")  # as hosts do; elsewhere a shell takes it for a letter
        self._depth = depth
        self._at = 0
        self._found: list[Command] = []
        self._words: list[str] = []
        self._word: list[str] | None = None
        self._quoted = self._is_wild = self._is_braced = False
        self._wild: list[str] = []
        self._writes = False
        self._files: list[str] = []
        self._target = ""
        self._heredocs: list[quoting.Text] = []
        self._texts: list[str] = []
        self._is_test = self._began_in_test = False
        self._open = 0
        self._cases: list[int] = []  # of each `case` that is not over, how many brackets were open as it began

    def commands(self) -> list[Command]:
        """Return the commands of the line."""
        line, end = self._line, len(self._line)
        while self._at < end:
            char = line[self._at]
            if char == "\\" and line.startswith("\n", self._at + 1):
                self._at += 2
            elif char == "\\":
                self._add(line[self._at + 1 : self._at + 2], 2)
            elif char in "'\"`$":
                self._quote(char)
            elif char in "<>":
                self._redirect(char)
            elif char == "#" and self._word is None:
                stop = line.find("\n", self._at)
                self._at = end if stop < 0 else stop
            elif char in quoting.BLANKS:
                self._end_word()
                self._at += 1
            elif char in quoting.ENDS:
                self._end()
                self._at += 1
                self._open += (char == "(") - (char == ")" and self._open > 0 and not self._is_among_patterns())
                if char == "\n" and self._heredocs:
                    self._skip_texts()
            else:
                self._is_wild = self._is_wild or char in quoting.WILD
                self._is_braced = self._is_braced or char == "{"
                self._add(quoting.WILD.get(char, char), 1)
        self._end()
        if self._heredocs or self._is_test:
            raise UnclearError("a text or a test without its end")
        if any(_reads_commands(one.words) for one in self._found):
            self._texts += [" ".join(one.words[1:]) for one in self._found if _base(one.words[0]) in _SAYS]
        if self._texts and any(_base(word) in _FED for one in self._found for word in one.words[:_MOST_READINGS]):
            for text in self._texts:
                self._found += commands(text, self._depth + 1)
        return self._found

    def _add(self, text: str, length: int) -> None:
        if self._word is None:
            self._word = []
        self._word.append(text)
        self._at += length

    def _end_word(self) -> None:
        if self._word is not None:
            word = "".join(self._word)
            is_quoted, is_wild, is_braced = self._quoted, self._is_wild, self._is_braced
            self._word, self._quoted, self._is_wild, self._is_braced = None, False, False, False
            # A shell makes one word of what a redirection names.
            for one in quoting.braced(word) if is_braced and not self._target else [word]:
                if is_wild:
                    self._wild.append(quoting.pattern(one))
                self._take(one.translate(quoting.PLAIN) if is_wild else one, is_quoted=is_quoted)

    def _take(self, word: str, *, is_quoted: bool) -> None:
        """Take in a whole word: of the command, or what a redirection names."""
        if self._target:
            target, self._target = self._target, ""
            if target == _HERE_STRING:
                self._texts.append(word)
            else:
                self._files.append(word)
                self._writes = self._writes or (">" in target and word not in _NOWHERE)
        elif word == "{" and self._words and not is_quoted:
            self._end()
        elif is_quoted or (word and (self._words or word not in _KEYWORDS)):
            self._note(word, is_quoted=is_quoted)
            self._words.append(word)
        elif word == "esac" and self._cases:
            self._cases.pop()

    def _note(self, word: str, *, is_quoted: bool) -> None:
        """Note whether a word begins or ends what holds words that name no command."""
        if is_quoted:
            return
        if not self._words and word == "case":
            self._cases.append(self._open)
        elif word == "]]" or (word == "[[" and not self._words):
            self._is_test = word == "[["

    def _is_among_patterns(self) -> bool:
        return bool(self._cases) and self._cases[-1] == self._open

    def _is_pattern(self) -> bool:
        """Return whether a bracket closes here, or behind other words alone, the patterns of a `case`."""
        rest = self._line[self._at : self._at + _MOST_PATTERNS]
        end = next((at for at, char in enumerate(rest) if char in ";&\n()"), len(rest))
        is_alone = len(self._words) == 1 and all(len(part.split()) < 2 for part in rest[:end].split("|"))
        return is_alone and rest.startswith(")", end) and self._is_among_patterns()

    def _end(self) -> None:
        self._end_word()
        name = next((word for word in self._words if not _is_assignment(word)), "")
        is_unknown = not _UNKNOWN.isdisjoint(_base(name)) and name not in ("[", "[[")
        if is_unknown and not self._began_in_test and not self._is_pattern():
            raise UnclearError("a name that only the shell knows")
        if self._words or self._files:
            self._found.append(Command(self._words or [""], self._files, self._wild, writes=self._writes))
        self._words, self._files, self._wild, self._writes, self._target = [], [], [], False, ""
        self._began_in_test = self._is_test

    def _quote(self, char: str) -> None:
        """Take in what stands in quotes, or in a substitution."""
        line, at = self._line, self._at
        if char == "$" and line[at + 1 : at + 2] == "'":
            close = quoting.closing(line, at + 1, "'")
            if "\\" in line[at:close]:
                raise UnclearError("letters that only the shell knows")
            self._quoted = True
            self._add(line[at + 2 : close], close + 1 - at)
        elif char == "'":
            close = quoting.closing(line, at, char)
            self._quoted = True
            self._add(line[at + 1 : close], close + 1 - at)
        elif char == '"' or line.startswith('$"', at):
            start = at + (char == "$")
            close = quoting.closing(line, start, '"')
            inner = line[start + 1 : close]
            self._found += _substituted(inner, self._depth)
            self._quoted = True
            self._add(quoting.unescaped(inner), close + 1 - at)
        elif char == "`" or line.startswith("$(", at):
            close = quoting.closing(line, at, char) if char == "`" else quoting.bracket(line, at + 1)
            inner = quoting.unquoted(line[at + 1 : close]) if char == "`" else line[at + 2 : close]
            self._found += commands(inner, self._depth + 1)
            self._add(line[at : close + 1], close + 1 - at)
        elif line.startswith("${", at):
            close = line.find("}", at)
            if close < 0:
                raise UnclearError("a variable without its end")
            self._found += _substituted(line[at : close + 1], self._depth)
            self._add(line[at : close + 1], close + 1 - at)
        else:
            self._add(char, 1)

    def _redirect(self, char: str) -> None:
        """Take in a redirection: the next word is its file, and none of the command."""
        line = self._line
        if self._word is not None and all(part.isdigit() for part in self._word):
            self._word = None
        self._end_word()
        if line.startswith("<<", self._at) and not line.startswith("<<<", self._at):
            self._heredocs.append(quoting.Text(line, self._at))
            self._at = self._heredocs[-1].at
            return
        start = self._at
        while self._at < len(line) and line[self._at] in "<>&|":
            self._at += 1
        sign = line[start : self._at]
        if sign.endswith("&") and line[self._at : self._at + 1] in tuple("0123456789-"):
            while line[self._at : self._at + 1] in tuple("0123456789-"):
                self._at += 1
            return
        self._target = sign

    def _skip_texts(self) -> None:
        """Go on behind the texts that begin here."""
        for one in self._heredocs:
            end, behind = one.end(self._line, self._at)
            text = self._line[self._at : end]
            self._texts.append(text)
            if not one.is_quoted:
                self._found += _substituted(text, self._depth)
            self._at = behind
        self._heredocs = []


def _reads_commands(words: Sequence[str]) -> bool:
    """Return whether a command is a shell that runs what is written to it."""
    name, *others = words
    return _base(name) in _SHELLS and all(one in ("-", "-s", "-e", "-x", "-u") for one in others)


def _substituted(text: str, depth: int) -> list[Command]:
    """Return the commands that stand in substitutions within double quotes."""
    found: list[Command] = []
    at = 0
    while at < len(text):
        if text[at] == "\\":
            at += 2
        elif text[at] == "`":
            close = quoting.closing(text, at, "`")
            found += commands(quoting.unquoted(text[at + 1 : close]), depth + 1)
            at = close + 1
        elif text.startswith("$(", at):
            close = quoting.bracket(text, at + 1)
            found += commands(text[at + 2 : close], depth + 1)
            at = close + 1
        else:
            at += 1
    return found
