"""Hook of mkdocs: pictures of the pages are the committed figures, which lie outside docs/.

A page shows one as ``../figures/PROFILE/NAME.png``, so that it is seen where the Markdown is read as it is too.
"""

import re
from pathlib import Path

from mkdocs.structure.files import File

REPOSITORY = Path(__file__).resolve().parents[1]
_PICTURE = re.compile(r"\]\(\.\./(figures/[\w./-]+\.png)\)")


def on_files(files, config):
    """Add the pictures that pages show to the files of the site."""
    shown = {name for page in files.documentation_pages() for name in _PICTURE.findall(page.content_string)}
    for name in sorted(shown):
        files.append(File.generated(config, name, abs_src_path=str(REPOSITORY / name)))
    return files


def on_page_markdown(markdown, **_):
    """Point the pictures of a page at their place in the site."""
    return _PICTURE.sub(r"](\1)", markdown)
