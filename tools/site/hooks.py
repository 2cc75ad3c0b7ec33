"""What mkdocs.yml needs beside mkdocs: the README as first page, links to files outside of docs/, and llms.txt."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.structure.files import File

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent.parent
_LINK = re.compile(r"\[([^\]]*)\]\(([^)\s#:]+)(#[^)\s]*)?\)")
_MARKS = re.compile(r"[*`]|\[|\]\([^)]*\)")
_FIRST = "index.md"
_summaries: dict[str, tuple[str, str]] = {}
"""Title and first paragraph of each page, by its address."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the README as the first page."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8").replace("](docs/", "](")
    files.append(File.generated(config, _FIRST, content=readme))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Return the page without links to files of the repository that the site lacks; folders lead to their README."""
    here = page.file.src_uri
    paragraphs = [part for part in markdown.split("\n\n") if part[:1] not in ("#", "!", "<", "`")]
    summary = " ".join(_MARKS.sub("", paragraphs[0]).split()) if paragraphs else ""
    _summaries[page.file.url] = (markdown.partition("\n")[0].lstrip("# "), summary)

    def rewritten(link: re.Match[str]) -> str:
        text, target, anchor = link.group(1), link.group(2), link.group(3) or ""
        path = os.path.normpath(os.path.join(os.path.dirname(here), target))
        if files.get_file_from_path(path):
            return link.group(0)
        origin = ROOT if here == _FIRST else Path(config["docs_dir"]) / os.path.dirname(here)
        if (origin / target).exists():
            return text
        return f"[{text}]({target}{anchor})"  # mkdocs names it

    parts = re.split(r"(^```.*?^```$)", markdown, flags=re.DOTALL | re.MULTILINE)
    return "".join(part if part.startswith("```") else _LINK.sub(rewritten, part) for part in parts)


def on_post_build(config: MkDocsConfig) -> None:
    """Write llms.txt: each page with its address, title and first paragraph."""
    lines = [f"# {config['site_name']}", "", f"> {config['site_description']}", ""]
    lines += [f"- [{title}]({url}): {summary}" for url, (title, summary) in sorted(_summaries.items())]
    (Path(config["site_dir"]) / "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
