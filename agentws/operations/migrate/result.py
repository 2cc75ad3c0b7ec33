"""What became of a migration."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Migrated:
    """The agent is at `to`, or what would be done to bring it there (`dry_run`), or it came back (`aborted`).

    `path` is the absolute place there, `host` what that machine calls itself. `files` and `bytes` are those of the
    whole workspace, `sent_files` and `sent_bytes` what had to be sent now. `state` is `planned`, `moved`, `waiting` (in
    a repository, to be taken from there), `arrived` (taken from the repository `through`), `already` (it was there
    before this call) or `aborted`. `aside` is where an older copy was put, `booted` whether the agent has booted there
    (None: agentws is not there), `vouched` whether its installation there was signed in. `left` are the paths of what
    cannot be sent, `stripped` says of what stays or is written anew why, `runs` are the paths of what could run
    something.

    `signer` is the fingerprint of the key that signed what is sent (empty: nobody did), `code` stands for both.
    """

    to: str
    via: str
    state: str
    migration: str
    path: str = ""
    host: str = ""
    files: int = 0
    bytes: int = 0
    sent_files: int = 0
    sent_bytes: int = 0
    resumes: bool = False
    aside: str = ""
    booted: bool | None = None
    vouched: bool = False
    left: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    through: str = ""
    stripped: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    signer: str = ""
    code: str = ""
