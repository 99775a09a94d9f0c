"""The kernel that notebooks run in, and a papermill engine that reports each cell as it begins.

The kernel is this very Python: no kernel that is registered for the user can take its place, and the user's
IPython start-up files are left out. nbclient shuts it down however the run ends; a kernel whose parent was
killed ends itself.
"""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from papermill.engines import NBClientEngine, papermill_engines

from tvlab.foundation.places import home

ENGINE = "tvlab"


class ThisPython(AsyncKernelManager):
    """Starts ``ipykernel`` with the interpreter that runs us, and ``variables`` in its environment."""

    variables: ClassVar[Mapping[str, str]] = {}

    @property
    def kernel_spec(self) -> KernelSpec:
        """Return the specification of a kernel of this interpreter."""
        settings = home() / "workspace" / ".ipython"
        settings.mkdir(parents=True, exist_ok=True)
        environment = {"IPYTHONDIR": str(settings), "TVLAB_HOME": str(home()), **self.variables}
        # the log level keeps out a hint that loopback connections are not encrypted, and a line that a kernel which is
        # being shut down writes when it is interrupted; what goes wrong in a cell is in its outputs
        argv = [sys.executable, "-m", "ipykernel_launcher", "--log-level=CRITICAL", "-f", "{connection_file}"]
        return KernelSpec(argv=argv, display_name="tvlab", language="python", env=environment)


class ReportingEngine(NBClientEngine):
    """papermill's own engine, with ``on_cell(number, of)`` called before each code cell and ``variables`` set."""

    @classmethod
    def execute_managed_notebook(cls, nb_man: Any, kernel_name: str, **settings: Any) -> Any:
        """Run the notebook of ``nb_man``; see papermill's ``NBClientEngine``."""
        on_cell: Callable[[int, int], None] | None = settings.pop("on_cell", None)
        if on_cell is not None:
            nb_man.cell_start = _announced(nb_man.cell_start, on_cell, nb_man.nb.cells)
        variables = settings.pop("variables", {})
        settings["kernel_manager_class"] = type("ThisPython", (ThisPython,), {"variables": variables})
        return super().execute_managed_notebook(nb_man, kernel_name, **settings)


def _announced(
    cell_start: Callable[..., None], on_cell: Callable[[int, int], None], cells: Sequence[Any]
) -> Callable[..., None]:
    code = [at for at, cell in enumerate(cells) if cell.cell_type == "code"]

    def start(cell: Any, cell_index: int | None = None, **words: Any) -> None:
        if cell_index in code:
            on_cell(code.index(cell_index) + 1, len(code))
        cell_start(cell, cell_index, **words)

    return start


def register_engine() -> None:
    """Make the engine known to papermill under the name ``ENGINE``."""
    os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")  # frozen modules: silences a debugger hint
    papermill_engines.register(ENGINE, ReportingEngine)
