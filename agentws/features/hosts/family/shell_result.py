"""What a command printed, and how it ended, without what agent programs put around it. Pure."""

from __future__ import annotations

_CONTEXT, _CONTEXT_END, _INNER_END = "<untrusted_context>\n", "\n</untrusted_context>", "&lt;/untrusted_context&gt;"
_OUTPUT, _EMPTY, _CODE = "Output: ", "(empty)", "Exit Code: "
_BEFORE = ("Command: ", "Directory: ")
_AFTER = ("Error: ", _CODE, "Signal: ", "Background PIDs: ", "Process Group PGID: ")
_NOTHING = (f"{_CODE}0", "Error: (none)", "Signal: (none)")
"""The fields that say nothing; an error that only ends in `(none)` says something."""
_METADATA, _METADATA_END, _NO_OUTPUT = "\n\n<shell_metadata>\n", "\n</shell_metadata>", "(no output)"
_SHELL_ID, _COMPLETED, _SHELL_END = "<shellId: ", "completed with exit code ", ">"


def without_context(value: object) -> object:
    """Return a tool's result without the tags that Gemini CLI puts around text from outside."""
    if not isinstance(value, str) or not (value.startswith(_CONTEXT) and value.endswith(_CONTEXT_END)):
        return value
    return value[len(_CONTEXT) : -len(_CONTEXT_END)].replace(_INNER_END, _CONTEXT_END.strip())


def without_fields(value: object) -> object:
    """Return a command's output without the names of Gemini CLI's and Qwen Code's fields; a failure stays at its end.

    Any other text, such as the content of a file, is returned as it is.
    """
    if not isinstance(value, str) or not value.startswith((_OUTPUT, *_BEFORE)):
        return value
    _, text, output = f"\n{value}".partition(f"\n{_OUTPUT}")
    if not text:
        return value
    lines, ends = output.split("\n"), list[str]()
    for field in reversed(_AFTER):  # each once and in its order: the command may print such lines, too
        if len(lines) > 1 and lines[-1].startswith(field):
            ends.insert(0, lines.pop())
    printed = "\n".join(lines)
    parts = [line for line in ends if not line.startswith(_AFTER[-1]) and line not in _NOTHING]
    return "\n".join([*([] if printed == _EMPTY else [printed]), *parts])


def without_shell_id(value: object) -> object:
    """Return a command's output without the line in which Copilot CLI says that its shell is done."""
    if not isinstance(value, str):
        return value
    printed, _, last = value.rpartition("\n")
    _, completed, code = last.partition(_COMPLETED)
    if not (last.startswith(_SHELL_ID) and completed and last.endswith(_SHELL_END)):
        return value
    code = code.removesuffix(_SHELL_END)
    return printed if code == "0" else f"{printed}\n{_CODE}{code}".lstrip("\n")


def without_metadata(value: object) -> object:
    """Return a command's output without the tags around OpenCode's words at its end: that it was cancelled, or cut."""
    if not isinstance(value, str) or not value.endswith(_METADATA_END):
        return value
    printed, _, words = value.removesuffix(_METADATA_END).rpartition(_METADATA)
    return words if printed == _NO_OUTPUT else f"{printed}\n{words}"
