"""Objects of an archive in S3, Google Cloud Storage, Azure or a folder, by obstore.

Credentials come from the environment of that client alone: AWS_ACCESS_KEY_ID, GOOGLE_APPLICATION_CREDENTIALS,
AZURE_STORAGE_ACCOUNT_NAME, and what else its documentation names.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from datetime import timedelta
from urllib.parse import quote, unquote, urlsplit

from agentws import errors
from agentws.core import extras
from agentws.core.disk.files import Outside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import ModuleType

    from obstore.store import ObjectStore as _Store

_PATIENCE = timedelta(seconds=30)
_FILE = "file"
_CREDENTIALS = "The client reads credentials from its environment, such as AWS_ACCESS_KEY_ID."
_NO_BUCKET, _REFUSED = "404 Not Found", ("401 Unauthorized", "403 Forbidden")
"""What the client's errors of a listing have instead of a class."""
UNUSABLE = (errors.MayNotWriteError, errors.OutsideProgramError, errors.RemoteAwayError)
"""Failures of the whole place, not of an object."""
_NOTHING_IS_LOST = "Nothing is lost: re-run the command later."


class ObjectStore:
    """The objects below a URL, each with a name."""

    def __init__(self, url: str, store: _Store | None = None) -> None:
        """Open the place at `url`, or a path of a folder. UsageError for a URL that names none, or has a password."""
        if "://" not in url:
            url = f"{_FILE}://{quote(os.path.abspath(os.path.expanduser(url)))}"
        parts = urlsplit(url)
        if parts.password is not None or parts.query:
            raise errors.UsageError(
                "The URL of an archive contains no credentials.", hint="The client reads them from its environment."
            )
        self.url = url
        self.folder = unquote(parts.path) if parts.scheme == _FILE else None
        """The path of the folder; None for a service."""
        self._store = store or self._opened()

    def _opened(self) -> _Store:
        options = {"retry_config": {"max_retries": 3, "retry_timeout": _PATIENCE}} if self.folder is None else {}
        try:
            if self.folder is not None:
                with suppress(FileExistsError):
                    os.makedirs(self.folder)
            return _client().store.from_url(self.url, **options)  # type: ignore[no-any-return]
        except OSError as error:
            raise errors.MayNotWriteError(f"{self.folder}: {error.strerror}.") from None
        except (ValueError, _client().exceptions.BaseError) as error:
            raise errors.UsageError(
                f"{self.url}: not a place for an archive: {_first_line(error)}.",
                hint=f"s3://BUCKET/PREFIX, gs://BUCKET/PREFIX, az://CONTAINER/PREFIX, or a folder. {_CREDENTIALS}",
            ) from None

    def create(self, name: str, data: bytes) -> bool:
        """Create an object; return False if there is one with this name, whatever it contains."""
        try:
            with self._failures(name):
                _client().put(self._store, name, data, mode="create")
        except FileExistsError:
            return False
        self._sync(name)
        return True

    def replace(self, name: str, data: bytes, version: Mapping[str, str] | None) -> None:
        """Replace an object. A service raises FileExistsError if it no longer has this `version` (see `get`)."""
        mode = dict(version) if version and self.folder is None else "overwrite"
        with self._failures(name):
            _client().put(self._store, name, data, mode=mode)
        self._sync(name)

    def get(self, name: str, limit_bytes: int) -> tuple[bytes, Mapping[str, str]]:
        """Return the content and the version of an object: S3 and Azure compare its `e_tag`, Google its `version`.

        MissingFileError, TooLargeError.
        """
        with self._failures(name):
            answer = _client().get(self._store, name)
            size = answer.meta["size"]
            if size > limit_bytes:
                raise errors.TooLargeError(f"{self.place(name)}: {size:,} bytes, {limit_bytes:,} at most.")
            return bytes(answer.bytes()), {
                key: answer.meta[key] for key in ("e_tag", "version") if answer.meta.get(key)
            }

    def names(self, prefix: str) -> Iterator[str]:
        """Yield the names of all objects below a prefix."""
        with self._failures(prefix):
            for batch in _client().list(self._store, prefix or None):
                yield from (entry["path"] for entry in batch)

    def agents(self) -> list[str]:
        """Return the first parts of the names of all objects: the agents that have an archive here."""
        with self._failures(""):
            listed = _client().list_with_delimiter(self._store)
        return sorted(prefix.rstrip("/") for prefix in listed["common_prefixes"])

    def remove(self, name: str) -> None:
        """Remove an object, if it exists."""
        with suppress(errors.MissingFileError), self._failures(name):
            _client().delete(self._store, name)

    def place(self, name: str) -> str:
        """Return the URL of an object."""
        return f"{self.url.rstrip('/')}/{name}"

    def _sync(self, name: str) -> None:
        """Make an object of a folder durable: the client syncs neither files nor folders."""
        if self.folder is not None:
            folder = Outside(os.path.realpath(self.folder))
            folder.sync_file(name)
            folder.sync_way(name)

    @contextmanager
    def _failures(self, name: str) -> Iterator[None]:
        """Raise the client's errors as ours, but FileExistsError for an object that is already there."""
        exceptions = _client().exceptions
        try:
            yield
        except (exceptions.AlreadyExistsError, exceptions.PreconditionError) as error:
            raise FileExistsError(name) from error
        except FileNotFoundError:
            raise errors.MissingFileError(f"{self.place(name)}: not found.") from None
        except exceptions.NotSupportedError as error:
            raise errors.OutsideProgramError(f"{self.url}: cannot hold an archive: {_first_line(error)}.") from error
        except (exceptions.BaseError, OSError) as error:
            words = _first_line(error)
            is_refused = isinstance(error, exceptions.PermissionDeniedError | exceptions.UnauthenticatedError)
            if is_refused or any(status in words for status in _REFUSED):
                raise errors.MayNotWriteError(
                    f"{self.place(name)}: access was refused: {words}.", hint=_CREDENTIALS
                ) from error
            if _NO_BUCKET in words:
                raise errors.MissingFileError(
                    f"{self.url}: there is no such bucket or container.", hint="Make the bucket, or correct its name."
                ) from error
            raise errors.RemoteAwayError(
                f"The archive {self.url} is out of reach: {words}.", hint=_NOTHING_IS_LOST
            ) from error


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].partition(": <?xml")[0].rstrip(".")


def _client() -> ModuleType:
    """Return the module obstore. MissingFileError names the extra to install."""
    with extras.needed("fleet-archive"):
        import obstore
    return obstore
