"""An application of eventsourcing that measures five rooms. Kill it, and start it again: it goes on where it was.

pip install 'agentws[eventsourcing]'
python examples/adapters/eventsourcing_application.py FOLDER
"""

from __future__ import annotations

import sys
import time
from uuid import NAMESPACE_URL, UUID, uuid5

from eventsourcing.application import AggregateNotFoundError, Application
from eventsourcing.domain import Aggregate, event

from agentws import Workspace

ROOMS = ("kitchen", "hall", "study", "attic", "cellar")


class House(Aggregate):
    """The rooms that were measured."""

    @event("Begun")
    def __init__(self) -> None:
        self.rooms: list[str] = []

    @staticmethod
    def create_id() -> UUID:
        """Return the same id each time: there is one house."""
        return uuid5(NAMESPACE_URL, "house")

    @event("Measured")
    def measure(self, room: str) -> None:
        """Note a room."""
        self.rooms.append(room)


def main(folder: str) -> None:
    """Begin the job in the workspace `folder`, or go on with it."""
    Workspace.init(folder, git=False)  # makes or opens it
    settings = {"PERSISTENCE_MODULE": "agentws.adapters.eventsourcing", "AGENTWS_WORKSPACE": folder}
    application: Application[UUID] = Application(settings)
    try:
        house: House = application.repository.get(House.create_id())
    except AggregateNotFoundError:
        house = House()
    for number in range(len(house.rooms), len(ROOMS)):
        print(f"step {number + 1}: the {ROOMS[number]}", flush=True)
        time.sleep(0.2)  # the work
        house.measure(ROOMS[number])
        application.save(house)
    print("done:", application.recorder.max_notification_id(), "events")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
