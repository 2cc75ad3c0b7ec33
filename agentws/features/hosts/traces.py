"""The settings of agent programs that `install` wrote into, as `forget` looks at them: it names those with matches."""

from __future__ import annotations

from agentws import features
from agentws.core.disk import files as _files
from agentws.core.stores.traces import Traces
from agentws.core.text.sanitize import one_line
from agentws.errors import AgentwsError
from agentws.features.hosts import install_record


class HostTraces(Traces):
    """The traces of forgotten text in settings of agent programs."""

    def left_elsewhere(self) -> list[str]:
        """Return a sentence for each file of settings with matches, and for each that cannot be read."""
        records = install_record.all_of(self.stores.files)
        places = {place: record.host for record in records for place in record.after}
        return [text for place, host in sorted(places.items()) if (text := self._notice(place, host))]

    def _notice(self, place: str, host: str) -> str:
        folder, _, name = place.rpartition("/")
        program = features.HOSTS[host].title if host in features.HOSTS else host
        own = _files.Outside(folder or "/")
        try:
            if not own.exists(name):
                return ""
            if self.sought.is_in_bytes(own.read(name)):
                return f"The settings of {program} contain matches: {one_line(place)}. Edit this file."
        except AgentwsError as error:
            return f"The settings of {program} were not searched: {error.message}"
        return ""


forget = HostTraces
