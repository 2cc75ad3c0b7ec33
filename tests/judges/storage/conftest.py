"""Servers that speak the protocols of S3 (moto), Azure (Azurite) and Google (google.py); a place for each test."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import subprocess
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from email.utils import formatdate
from itertools import count
from pathlib import Path

import pytest

from tests.judges import rig
from tests.judges.adapters import frameworks
from tests.judges.conftest import collect_ignore_glob
from tests.judges.storage import google

__all__ = ["collect_ignore_glob"]
MOTO = "moto[server]==5.2.5"
AZURITE = "azurite@3.34.0"
_ADDRESS = re.compile(r" on (http://127\.0\.0\.1:\d+)")
_ACCOUNT = "devstoreaccount1"
_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
"""The account of every Azurite, as its documentation has it."""
_numbers = count(1)


@contextmanager
def _running(argv: Sequence[str]) -> Iterator[str]:
    """Run a server that prints its address; yields that."""
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as server:
        assert server.stdout is not None
        try:
            said = ""
            while not (address := _ADDRESS.search(said)):
                line = server.stdout.readline()
                assert line, said
                said += line
            yield address[1]
        finally:
            server.kill()


@pytest.fixture(scope="session")
def moto(judges_cache: Path) -> Iterator[str]:
    """The address of a server that speaks S3."""
    program = frameworks.venv(judges_cache, "moto", MOTO).parent / "moto_server"
    with _running([str(program), "-H", "127.0.0.1", "-p", "0"]) as address:
        yield address


@pytest.fixture(scope="session")
def azurite(judges_cache: Path) -> Iterator[str]:
    """The address of a server that speaks Azure Blob Storage."""
    program = rig.from_npm(judges_cache, AZURITE) / "node_modules/.bin/azurite-blob"
    options = ("--blobPort", "0", "--inMemoryPersistence", "--disableTelemetry", "--skipApiVersionCheck")
    with _running([str(program), *options]) as address:
        yield address


@pytest.fixture
def googles() -> Iterator[str]:
    """The address of a server that follows Google's documentation."""
    with google.running() as address:
        yield address


def _container(address: str, name: str) -> None:
    """Make a container in Azurite."""
    own = f"x-ms-date:{formatdate(usegmt=True)}\nx-ms-version:2021-08-06\n"
    words = f"PUT{chr(10) * 12}{own}/{_ACCOUNT}/{_ACCOUNT}/{name}\nrestype:container"
    digest = base64.b64encode(hmac.digest(base64.b64decode(_KEY), words.encode(), hashlib.sha256)).decode()
    headers = dict(line.split(":", 1) for line in own.splitlines())
    headers |= {"Authorization": f"SharedKey {_ACCOUNT}:{digest}", "Content-Length": "0"}
    _put(f"{address}/{_ACCOUNT}/{name}?restype=container", headers)


def _put(url: str, headers: Mapping[str, str]) -> None:
    with urllib.request.urlopen(urllib.request.Request(url, method="PUT", headers=dict(headers))):
        pass


@pytest.fixture(params=["s3", "az", "gs"])
def url(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """The URL of an empty place in each service; the client's variables lead to it."""
    name = f"arch{next(_numbers)}"
    if request.param == "s3":
        address = request.getfixturevalue("moto")
        values = {"ACCESS_KEY_ID": "key", "SECRET_ACCESS_KEY": "secret", "REGION": "us-east-1", "ALLOW_HTTP": "true"}
        for key, value in {**values, "ENDPOINT": address}.items():
            monkeypatch.setenv(f"AWS_{key}", value)
        _put(f"{address}/{name}", {})
    elif request.param == "gs":
        address = request.getfixturevalue("googles")
        account = tmp_path / "account.json"
        own = {"private_key": "", "private_key_id": "", "client_email": ""}
        account.write_text(json.dumps({**own, "gcs_base_url": address, "disable_oauth": True}))
        monkeypatch.setenv("GOOGLE_SERVICE_ACCOUNT", str(account))
    else:
        address = request.getfixturevalue("azurite")
        monkeypatch.setenv("AZURE_STORAGE_USE_EMULATOR", "true")
        monkeypatch.setenv("AZURITE_BLOB_STORAGE_URL", address)
        _container(address, name)
    return f"{request.param}://{name}/our journals"
