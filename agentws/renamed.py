"""The names that verbs had on `Workspace` before they were in groups; they still work, with a DeprecationWarning."""

from __future__ import annotations

import warnings

from agentws import verbs
from agentws.workspace import Workspace

RENAMED = {
    "abort_migration": "copies.abort_migration",
    "accept_handoff": "handoff.accept",
    "ack_handoff": "handoff.ack",
    "add_task": "tasks.add",
    "approval": "approvals.show",
    "approval_statement": "approvals.statement",
    "approver_keys": "approvals.keys",
    "ask_rules": "approvals.rules",
    "ask_summarizer": "memory.ask",
    "audit": "journal.audit",
    "cancel_task": "tasks.cancel",
    "carry_out_schedule": "schedule.carry_out",
    "changes": "history.changes",
    "checkpoint": "checkpoints.open",
    "compact": "memory.compact",
    "compact_journal": "journal.compact",
    "conflicts": "sync.conflicts",
    "context": "contexts.show",
    "create_backup": "copies.create",
    "curate": "memory.curate",
    "curation_brief": "memory.brief",
    "curation_review": "memory.review",
    "decide": "approvals.decide",
    "decide_curation": "memory.decide",
    "detach_backup": "copies.detach",
    "detach_remote": "sync.detach",
    "diff": "history.diff",
    "diff_checkpoints": "checkpoints.diff",
    "drill": "copies.drill",
    "edit_task": "tasks.edit",
    "end_session": "session.end",
    "events": "journal.list",
    "expire_approvals": "approvals.expire",
    "find_session": "session.find",
    "finish_task": "tasks.done",
    "fold": "journal.fold",
    "follow": "journal.follow",
    "forget": "memory.forget",
    "forget_vectors": "search.forget_vectors",
    "handoffs": "handoff.list",
    "index_status": "search.status",
    "install": "hosts.install",
    "install_schedule": "schedule.install",
    "is_allowed": "hosts.is_allowed",
    "kept_out": "memory.kept_out",
    "known_backups": "copies.list",
    "known_remotes": "sync.list",
    "lease": "sync.lease",
    "lift": "memory.lift",
    "memories": "memory.list",
    "migrate": "copies.migrate",
    "new_context": "contexts.new",
    "notify": "approvals.notify",
    "pause": "tasks.pause",
    "prune_checkpoints": "checkpoints.prune",
    "purge_journal": "journal.purge",
    "rebuild_index": "search.rebuild",
    "recent_states": "history.states",
    "record_lines": "journal.record_lines",
    "redo": "history.redo",
    "refresh_index": "search.refresh",
    "refresh_vectors": "search.refresh_vectors",
    "remove_schedule": "schedule.remove",
    "rename_task": "tasks.rename",
    "renew_journal": "journal.renew",
    "replay_journal": "journal.replay",
    "request_vouch": "identity.request_vouch",
    "resolve_conflict": "sync.resolve",
    "resolve_step": "workflow.resolve",
    "restore": "history.restore",
    "restore_checkpoint": "checkpoints.restore",
    "resume": "tasks.resume",
    "retire": "identity.retire",
    "retract": "journal.retract",
    "retrieve": "search.retrieve",
    "revive": "identity.revive",
    "rollback_task": "tasks.rollback",
    "rotate_key": "identity.rotate",
    "run_due_tasks": "tasks.run_due",
    "save_checkpoint": "checkpoints.save",
    "scheduled": "schedule.show",
    "seal_journal": "journal.seal",
    "searcher": "search.open",
    "sessions": "session.list",
    "set_setting": "config.set",
    "settings": "config.list",
    "show_checkpoint": "checkpoints.show",
    "show_handoff": "handoff.show",
    "show_session": "session.show",
    "show_workflow": "workflow.show",
    "sign_approval": "approvals.sign",
    "sql": "search.sql",
    "start_session": "session.start",
    "start_task": "tasks.start",
    "step_task": "tasks.step",
    "take_over": "identity.take_over",
    "task": "tasks.show",
    "undo_compaction": "memory.undo",
    "uninstall": "hosts.uninstall",
    "use_approval": "approvals.use",
    "use_context": "contexts.use",
    "vector_status": "search.vectors",
    "verify_compaction": "memory.verify",
    "verify_identity": "identity.verify",
    "verify_journal": "journal.verify",
    "vouch_writer": "identity.vouch",
    "wait_task": "tasks.wait",
    "wake_tasks": "tasks.due",
    "watch": "history.watch",
    "why": "memory.why",
    "workflows": "workflow.list",
}
"""Each former name with the present one, except those that `plumbing` has under the same name."""


def warn(former: str, present: str, *, stacklevel: int = 3) -> None:
    """Warn that a name of `Workspace` is deprecated; `stacklevel` counts the frames up to the caller that uses it."""
    warnings.warn(f"Workspace.{former} is now Workspace.{present}", DeprecationWarning, stacklevel=stacklevel)


def former(workspace: Workspace, name: str) -> object:
    """Return what `name` meant on `workspace` before; AttributeError if it never meant anything."""
    is_private = name == "stores" or name.startswith("_")  # of an object that copy or pickle has not filled yet
    present = f"plumbing.{name}" if name in vars(verbs.Plumbing) and not is_private else RENAMED.get(name)
    present = present or ("" if is_private or not hasattr(workspace.stores, name) else f"stores.{name}")
    if name in vars(type(workspace)):  # a property or the module of a verb raised AttributeError: show that one
        return vars(type(workspace))[name].__get__(workspace, type(workspace))
    if not present:
        raise AttributeError(f"'Workspace' object has no attribute {name!r}", name=name, obj=workspace)
    warn(name, present, stacklevel=4)
    group, _, verb = present.partition(".")
    return getattr(getattr(workspace, group), verb)
