"""Files of a repository that somebody else made: a checkout, or an archive of one, read and never unpacked.

Nothing of it is written to disk, run or followed: an archive is refused if a member has an absolute path or
climbs out by ``..``; links and devices, in archives and folders, are left out; a file, the number of members
and their sum have a largest size.  Where the commit and the origin are on record (``.git``, the comment that
GitHub puts into its archives) they are read as text, without running git.
"""

from __future__ import annotations

import configparser
import os
import re
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from tvlab.foundation.errors import UserError

MAX_FILE = 32 * 2**20
MAX_TOTAL = 4 * 2**30
MAX_MEMBERS = 200_000
ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_DAMAGE = (
    zipfile.BadZipFile,
    tarfile.TarError,
    EOFError,
    zlib.error,
    OSError,
    RuntimeError,
    NotImplementedError,
)


@dataclass(frozen=True)
class RepositoryFiles:
    """Readable files of a repository.

    Attributes:
        name: ``owner/name`` of its origin where known, else the name of the folder or archive.
        commit: 40 hexadecimal digits, or "" where unknown.
        paths: paths of the files below the root, in the order in which they are best read.
        left_out: how many links and devices were left out.
    """

    name: str
    commit: str
    paths: list[str]
    left_out: int
    _read: Callable[[str], bytes] = field(repr=False)

    def read(self, path: str) -> bytes:
        """Return the content of one of ``paths``.

        Raises:
            ValueError: it is larger than ``MAX_FILE``.
            UserError: the archive is damaged, or the file is gone.
        """
        try:
            content = self._read(path)
        except _DAMAGE as error:
            raise UserError(f"{path} of {self.name} cannot be read ({_line(error)}): get it again") from None
        if len(content) > MAX_FILE:
            raise ValueError(f"larger than {MAX_FILE >> 20} MiB")
        return content


@contextmanager
def open_repository(path: Path, wanted: Callable[[str], bool]) -> Iterator[RepositoryFiles]:
    """Yield the files of a checkout or archive.

    Args:
        path: a folder, or a ``.zip`` or ``.tar`` archive (also compressed).
        wanted: tells which paths below the root matter; others are not listed.

    Raises:
        UserError: it is damaged, too large, or holds a path that leads outside.
    """
    if path.is_dir():
        yield _folder(path, wanted)
        return
    try:
        if path.name.lower().endswith(".zip"):
            with zipfile.ZipFile(path) as archive:
                yield _zip(path, archive, wanted)
        else:
            with tarfile.open(path) as tar:
                yield _tar(path, tar, wanted)
    except _DAMAGE as error:
        raise UserError(f"archive {path} cannot be read ({_line(error)}): get it again") from None


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())[:120] or type(error).__name__


def _folder(root: Path, wanted: Callable[[str], bool]) -> RepositoryFiles:
    paths, left_out = [], 0
    for folder, folders, files in os.walk(root):
        here = Path(folder)
        folders[:] = sorted(name for name in folders if name != ".git" and not (here / name).is_symlink())
        for name in sorted(files):
            relative = (here / name).relative_to(root).as_posix()
            if not wanted(relative):
                continue
            if stat.S_ISREG((here / name).lstat().st_mode):
                paths.append(relative)
            else:
                left_out += 1

    def read(path: str) -> bytes:
        with open(root / path, "rb") as file:
            return file.read(MAX_FILE + 1)

    name = _origin(root) or root.resolve().name
    return RepositoryFiles(name, _checked_out(root), paths, left_out, read)


def _origin(root: Path) -> str:
    """``owner/name`` of the remote ``origin``, read from ``.git/config``."""
    config = configparser.ConfigParser(strict=False, interpolation=None)
    try:
        config.read(root / ".git" / "config", encoding="utf-8")
    except (configparser.Error, UnicodeDecodeError, OSError):
        return ""
    url = config.get('remote "origin"', "url", fallback="").strip().removesuffix("/").removesuffix(".git")
    match = re.search(r"(?:^|[/:])([\w.-]+/[\w.-]+)$", url)
    return match[1] if match else ""


def _checked_out(root: Path) -> str:
    """The commit that ``.git/HEAD`` names, by itself or through a reference."""
    git = root / ".git"
    head = _small_text(git / "HEAD").strip()
    if _COMMIT.fullmatch(head):
        return head
    reference = head.removeprefix("ref: ")
    if not re.fullmatch(r"refs/[\w./-]+", reference) or ".." in reference:
        return ""
    found = _small_text(git / reference).strip()
    if _COMMIT.fullmatch(found):
        return found
    packed = re.search(
        rf"^({_COMMIT.pattern}) {re.escape(reference)}$", _small_text(git / "packed-refs"), re.M
    )
    return packed[1] if packed else ""


def _small_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8") if path.stat().st_size <= MAX_FILE else ""
    except (OSError, UnicodeDecodeError):
        return ""


class _Members:
    """Paths of an archive's members, checked one by one."""

    def __init__(self, archive: Path) -> None:
        self.archive, self.total, self.number, self.left_out = archive, 0, 0, 0
        self.files: list[str] = []

    def add(self, path: str, size: int, regular: bool, folder: bool) -> None:
        parts = PurePosixPath(path.replace("\\", "/")).parts
        if path.startswith(("/", "\\")) or ".." in parts or re.match(r"[A-Za-z]:", path) or "\0" in path:
            raise UserError(
                f"archive {self.archive} holds the path {path[:80]!r}, which leads outside: refused"
            )
        self.number += 1
        self.total += size
        if self.number > MAX_MEMBERS or self.total > MAX_TOTAL:
            raise UserError(
                f"archive {self.archive} unpacks to more than {MAX_MEMBERS:,} files or "
                f"{MAX_TOTAL >> 30} GiB: refused"
            )
        if regular:
            self.files.append(path)
        elif not folder:
            self.left_out += 1

    def repository(
        self, commit: str, wanted: Callable[[str], bool], read: Callable[[str], bytes]
    ) -> RepositoryFiles:
        top = "" if any(map(wanted, self.files)) else self._top()
        paths = [path.removeprefix(top) for path in self.files if wanted(path.removeprefix(top))]
        name = top[:-1] or self.archive.name.split(".")[0]
        plain = re.sub(r"-(?:main|master|[0-9a-f]{7,40})$", "", name)
        return RepositoryFiles(plain, commit, paths, self.left_out, lambda path: read(top + path))

    def _top(self) -> str:
        """The one folder that all files lie in, with its slash, or ""."""
        tops = {path.split("/", 1)[0] for path in self.files}
        return f"{tops.pop()}/" if len(tops) == 1 and all("/" in path for path in self.files) else ""


def _zip(path: Path, archive: zipfile.ZipFile, wanted: Callable[[str], bool]) -> RepositoryFiles:
    members = _Members(path)
    for info in archive.infolist():
        mode = stat.S_IFMT(info.external_attr >> 16)
        # a member's size in the directory may lie; reading stops at MAX_FILE whatever it says
        members.add(
            info.filename, info.file_size, not info.is_dir() and mode in (0, stat.S_IFREG), info.is_dir()
        )

    def read(name: str) -> bytes:
        with archive.open(name) as file:
            return file.read(MAX_FILE + 1)

    comment = archive.comment.decode("ascii", "replace").strip()
    return members.repository(comment if _COMMIT.fullmatch(comment) else "", wanted, read)


def _tar(path: Path, archive: tarfile.TarFile, wanted: Callable[[str], bool]) -> RepositoryFiles:
    members = _Members(path)
    found: dict[str, tarfile.TarInfo] = {}
    for info in archive:
        members.add(info.name, info.size, info.isreg(), info.isdir())
        if info.isreg():
            found[info.name] = info

    def read(name: str) -> bytes:
        file = archive.extractfile(found[name])
        return file.read(MAX_FILE + 1) if file is not None else b""

    comment = str(archive.pax_headers.get("comment", "")).strip()
    return members.repository(comment if _COMMIT.fullmatch(comment) else "", wanted, read)
