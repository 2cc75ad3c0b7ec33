"""As for the other judges: nothing is fetched unless somebody asks for it."""

from tests.judges.conftest import collect_ignore_glob

__all__ = ["collect_ignore_glob"]
