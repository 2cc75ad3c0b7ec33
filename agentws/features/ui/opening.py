"""Opens a link in the person's browser, without the link in a list of processes."""

from __future__ import annotations

import contextlib
import os
import tempfile
import webbrowser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextlib.contextmanager
def browser(link: str) -> Iterator[Callable[[], None]]:
    """Open `link` in a browser, nothing if it is empty; yields what removes the file that leads there, once it is used.

    Every process of this machine can read the arguments of a browser, so these name a file that only this user can
    read.
    """
    if not link:
        yield lambda: None
        return
    with (made := tempfile.TemporaryDirectory(prefix="agentws-ui-")) as folder:
        path = os.path.join(folder, "open.html")
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(f'<!doctype html><title>agentws</title><meta http-equiv="refresh" content="0; url={link}">\n')
        with contextlib.suppress(webbrowser.Error):
            chosen = webbrowser.get()
            if type(chosen) is not webbrowser.GenericBrowser:  # that would be in the terminal
                chosen.open(f"file://{path}")
        yield made.cleanup
