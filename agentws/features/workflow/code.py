"""The code of a step, as a digest: whoever reads a recorded result is told that the code has changed since."""

from __future__ import annotations

from agentws.core.formats import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_DIGITS = 16


def digest_of(function: Any) -> str:
    """The digest of a function's source; empty where it has none, as what is built in."""
    import inspect

    while hasattr(function, "func"):  # functools.partial
        function = function.func
    function = inspect.unwrap(getattr(function, "__func__", function))
    if not hasattr(function, "__code__"):
        function = vars(type(function)).get("__call__", function)  # an object that is called
    try:
        source = inspect.getsource(function)
    except (OSError, TypeError):
        code = getattr(function, "__code__", None)
        source = repr((code.co_code, code.co_names, code.co_consts)) if code is not None and not _nested(code) else ""
    return digest.of(source.encode("utf-8", "surrogatepass"))[:_DIGITS] if source else ""


def _nested(code: Any) -> bool:
    """Return whether a constant shows an address, which is another one in each process."""
    return any(hasattr(one, "co_code") for one in code.co_consts)
