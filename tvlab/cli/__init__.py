"""The command line: ``tvlab COMMAND``, thin over the library; one module a command.

The library is imported inside the commands, so that ``--help`` is quick. A module of this folder joins its command
to ``application.app`` when it is imported.
"""

import tvlab.cli.build
import tvlab.cli.corpus
import tvlab.cli.doctor
import tvlab.cli.evaluate
import tvlab.cli.export
import tvlab.cli.export_model
import tvlab.cli.figures
import tvlab.cli.graph
import tvlab.cli.play
import tvlab.cli.reproduce
import tvlab.cli.serve
import tvlab.cli.tasks
import tvlab.cli.train  # noqa: F401
from tvlab.cli.application import app, main

__all__ = ["app", "main"]
