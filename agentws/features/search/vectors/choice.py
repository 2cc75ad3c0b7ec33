"""The choice of embedder and vector store from the user's own settings; a workspace cannot choose."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping

from agentws.core.disk.system.user_programs import Answer
from agentws.core.formats import digest
from agentws.core.ports import Embedder, VectorStore
from agentws.errors import MissingFileError

Run = Callable[[str], Callable[[str], Answer]]
"""Makes a function that runs a command line with a text."""


OFF, BUILTIN = "off", "builtin"
_QDRANT, _CHROMA = "qdrant", "chroma"
_WEAVIATE, _PINECONE = "weaviate+", "pinecone+"
"""Before the URL of such a server; one without a word before it is Qdrant."""
_URL = ("http://", "https://")
EXTRA = 'pip install "agentws[vectors]"'
_MODEL = "all-MiniLM-L6-v2"
_CLIENTS = {"numpy": EXTRA, "qdrant_client": "pip install qdrant-client", "chromadb": "pip install chromadb"}
_DIGITS = 16
_loaded: list[Embedder] = []
"""The built-in model, which takes a quarter of a second to load, kept for the next search of this process."""


def embedder_name(settings: Mapping[str, str]) -> str:
    """Return the name of the chosen embedder; vectors of embedders with different names are never compared."""
    name = settings["embedder"]
    if name in ("", BUILTIN):
        return _MODEL
    return f"{name} {settings['model']}".strip()


def embedder(settings: Mapping[str, str], run: Run, *, timeout_s: float) -> Embedder:
    """Return the chosen embedder; `timeout_s` limits an endpoint. MissingFileError names the command to install it."""
    message, name = settings["embedder"], embedder_name(settings)
    if message.startswith(_URL):
        from agentws.features.search.vectors.user_embedders import Endpoint

        return Endpoint(name, message, settings["model"], settings["key_variable"], timeout_s=timeout_s)
    if message not in ("", BUILTIN):
        from agentws.features.search.vectors.user_embedders import Command

        return Command(name, run(message))
    if not _loaded:
        try:
            from agentws.features.search.vectors.minilm import MiniLM
        except ImportError as error:
            raise _lacks(error) from error
        _loaded.append(MiniLM())
    return _loaded[0]


def store(kind: str, embedder_name: str, folder: str) -> VectorStore:
    """Return the vector store of a `kind` in the settings, for the vectors of an embedder; `folder` is the cache's."""
    name = digest.quick(embedder_name.encode())[:_DIGITS]
    at_server = f"agentws-{folder.rpartition('/')[2][:_DIGITS]}-{name}"
    try:
        if kind.startswith(_WEAVIATE):
            from agentws.features.search.vectors.weaviate import Weaviate

            return Weaviate(at_server, kind.removeprefix(_WEAVIATE))
        if kind.startswith(_PINECONE):
            from agentws.features.search.vectors.pinecone import Pinecone

            return Pinecone(at_server, kind.removeprefix(_PINECONE))
        if kind.startswith(_URL):
            from agentws.features.search.vectors.qdrant import Qdrant

            return Qdrant(at_server, url=kind)
        if kind == _QDRANT:
            from agentws.features.search.vectors.qdrant import Qdrant

            return Qdrant(f"agentws-{name}", folder=f"{folder}/search.qdrant-{name}")
        if kind == _CHROMA:
            from agentws.features.search.vectors.chroma import Chroma

            return Chroma(f"agentws-{name}", f"{folder}/search.chroma-{name}")
        from agentws.features.search.vectors.memory_map import MemoryMap
    except ImportError as error:
        raise _lacks(error) from error
    return MemoryMap(folder, f"search.vectors-{name}")


def destroyed(kind: str, embedder_name: str, folder: str) -> bool:
    """Remove the files of a vector store; return whether it is on this machine and nothing of it stays."""
    if "://" in kind:
        return False
    name = digest.quick(embedder_name.encode())[:_DIGITS]
    path = f"{folder}/search.{kind if kind in (_QDRANT, _CHROMA) else 'vectors'}-{name}"
    for each in (path, f"{path}.jsonl"):
        if os.path.isdir(each):
            shutil.rmtree(each, ignore_errors=True)
        elif os.path.lexists(each):
            os.unlink(each)
    return not os.path.lexists(path)


def _lacks(error: ImportError) -> MissingFileError:
    package = (error.name or "numpy").partition(".")[0]
    return MissingFileError(f"{package} is not installed.", hint=_CLIENTS.get(package, EXTRA))
