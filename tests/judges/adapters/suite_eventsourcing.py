"""The eventsourcing library's own tests of recorders, with ours: run by test_eventsourcing.py where the library is.

At the end it prints how many recorders of ours were made, by class.
"""

from __future__ import annotations

import atexit
import collections
import os
import tempfile
from unittest import mock

from eventsourcing.tests import application, persistence
from eventsourcing.utils import Environment

from agentws import Workspace
from agentws.adapters import eventsourcing as ours

made: collections.Counter[str] = collections.Counter()


def _environment() -> Environment:
    folder = tempfile.mkdtemp()
    Workspace.init(folder, git=False)
    return Environment("Suite", {"PERSISTENCE_MODULE": "agentws.adapters.eventsourcing", ours.WORKSPACE: folder})


def _counted(recorder: object) -> object:
    made[type(recorder).__name__] += 1
    return recorder


class TestAggregateRecorder(persistence.AggregateRecorderTestCase):
    def create_recorder(self):
        return _counted(ours.Factory(_environment()).aggregate_recorder())


class TestApplicationRecorder(persistence.ApplicationRecorderTestCase):
    def create_recorder(self):
        return _counted(ours.Factory(_environment()).application_recorder())

    def test_insert_subscribe(self):
        self.optional_test_insert_subscribe()


class TestTrackingRecorder(persistence.TrackingRecorderTestCase):
    def create_recorder(self):
        return _counted(ours.Factory(_environment()).tracking_recorder())


class TestProcessRecorder(persistence.ProcessRecorderTestCase):
    def create_recorder(self):
        return _counted(ours.Factory(_environment()).process_recorder())


class TestNonInterleaving(persistence.NonInterleavingNotificationIDsBaseCase):
    def create_recorder(self):
        return _counted(ours.Factory(_environment()).application_recorder())


class OwnTrackingRecorder(ours.TrackingRecorder):
    pass


class TestFactory(persistence.InfrastructureFactoryTestCase[ours.Factory]):
    def setUp(self):
        self.env = _environment()
        super().setUp()

    def expected_factory_class(self):
        return ours.Factory

    def expected_aggregate_recorder_class(self):
        return ours.AggregateRecorder

    def expected_application_recorder_class(self):
        return ours.ApplicationRecorder

    def expected_tracking_recorder_class(self):
        return ours.TrackingRecorder

    def tracking_recorder_subclass(self):
        return OwnTrackingRecorder

    def expected_process_recorder_class(self):
        return ours.ProcessRecorder


class TestApplication(application.ExampleApplicationTestCase):
    expected_factory_topic = "agentws.adapters.eventsourcing:Factory"

    def setUp(self):
        super().setUp()
        patched = mock.patch.dict(os.environ, _environment())
        patched.start()
        self.addCleanup(patched.stop)


class TestApplications(application.ApplicationTestCase):
    def setUp(self):
        super().setUp()
        patched = mock.patch.dict(os.environ, _environment())
        patched.start()
        self.addCleanup(patched.stop)


atexit.register(lambda: print("recorders:", dict(made)))
