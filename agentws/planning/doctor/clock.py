"""Whether the clock and the time zone can be right, by what was written here before. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta

from agentws.planning.doctor.finding import ADVICE, WARNING, Finding

_TOLERANCE = timedelta(minutes=5)
_A_DAY = timedelta(days=1)
_MINUTES = "%Y-%m-%d %H:%M"


def events(now: datetime, newest: str, cursor: str) -> list[Finding]:
    """A finding where the newest event (its time as written, and its place) is of the future."""
    at = _moment(newest)
    if at is None or at - now <= _TOLERANCE:
        return []
    says = f"the newest event ({cursor}) is of {at.astimezone(now.tzinfo):{_MINUTES}}, the clock says {now:{_MINUTES}}"
    return [Finding("clock", WARNING, says, remedy=_remedy(), path="journal")]


def days(now: datetime, newest_path: str, newest_day: str) -> list[Finding]:
    """A finding where the newest daily log is of a day to come."""
    latest = (now + _A_DAY).date().isoformat()
    if newest_day <= latest:
        return []
    says = f"the newest log is of {newest_day}, the clock says {now:{_MINUTES}}"
    remedy = f"{_remedy()} If the clock is right, give the log the day that it is of."
    return [Finding("clock", WARNING, says, remedy=remedy, path=newest_path)]


def made(now: datetime, created: str, manifest: str) -> list[Finding]:
    """A finding where the clock stands before the workspace was made (`created`, as the manifest says)."""
    at = _moment(created)
    if at is None or at - now <= _A_DAY:
        return []
    says = f"the workspace was made on {at:%Y-%m-%d}, the clock says {now:{_MINUTES}}"
    return [Finding("clock", WARNING, says, remedy=_remedy(), path=manifest)]


def unknown_zone(zone: str, manifest: str) -> list[Finding]:
    """The finding for a time zone that is not known here."""
    says = f"the time zone {zone!r} is not known here: times are in UTC"
    remedy = f"Write an IANA name into {manifest}, for example Europe/Berlin; or: pip install tzdata"
    return [Finding("time-zone", WARNING, says, remedy=remedy, path=manifest)]


def zones(now: datetime, there: datetime, *, here: str, zone: str, manifest: str) -> list[Finding]:
    """A finding where the manifest's zone shows another time (`now`) than this machine's (`there`)."""
    if now.utcoffset() == there.utcoffset():
        return []
    says = f"times are in {zone}, this machine is set to {here}: {now:%H:%M} here is {there:%H:%M} there"
    remedy = f"Nothing, if {zone} is where its user lives. Else set timezone in {manifest}."
    return [Finding("time-zone", ADVICE, says, remedy=remedy, path=manifest)]


def _remedy() -> str:
    return "Set the clock (timedatectl). Order in the journal never depends on it, but dates do."


def _moment(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except (ValueError, TypeError):
        return None
    return found if found.tzinfo else None
