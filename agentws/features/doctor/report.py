"""The report that `doctor` returns."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.findings import Finding
    from agentws.core.stores.stores import Stores


class Examined:
    """The result of `doctor`: the `findings` left, the worst first, and those that `--fix` has `mended`."""

    __slots__ = ("dry_run", "findings", "fix", "mended", "notices", "root")

    def __init__(self, stores: Stores, *, fix: bool, dry_run: bool) -> None:
        self.root = stores.root
        self.fix = fix
        self.dry_run = dry_run
        self.findings: list[Finding] = []
        self.mended: list[Finding] = []
        self.notices: list[str] = []

    @property
    def well(self) -> bool:
        """Return whether the report has no finding, except advice."""
        return not any(finding.needs_you for finding in self.findings)

    @property
    def mendable(self) -> list[Finding]:
        """The findings in the report that `--fix` would fix."""
        return [finding for finding in self.findings if finding.mends]
