"""Jobs on a Ray cluster: the only module that imports Ray (extra ``ray``).

An address is given by ``--ray`` or by TVLAB_RAY: ``HOST:PORT``, ``ray://HOST:PORT`` or ``auto``. Every node must
have the same Python with tvlab's dependencies and see the project folder under the same path (a shared file
system), since jobs write their results there; that is tried on each node before the first job. Each job takes one
CPU. A job inside a job runs where it is: the address is not handed on.
"""

import logging
import os
import socket
import sys
import uuid
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tvlab.foundation.atomic_files import write_text
from tvlab.foundation.errors import UserError
from tvlab.foundation.places import home

VARIABLE = "TVLAB_RAY"


class NodeDied:
    """Stands for the result of a job whose worker died twice."""


def ray_address() -> str:
    """Return the address of the Ray cluster that jobs go to, "" if they stay here."""
    return os.environ.get(VARIABLE, "")


def run_on_ray(
    function: Callable[[Any], Any], jobs: Sequence[Any], address: str
) -> Iterator[tuple[int, Any]]:
    """Yield (number of the job, result) as jobs end; the result of a failed job is its exception.

    Args:
        function: a module-level function of one picklable argument.
        jobs: the arguments.
        address: of the cluster.

    Raises:
        UserError: Ray is not installed, no cluster answers, or a node does not see the project folder.
    """
    ray = _connected(address)
    environment = {"env_vars": _variables()}
    remote = ray.remote(function if hasattr(function, "__name__") else _called(function))
    remote = remote.options(num_cpus=1, max_retries=1, runtime_env=environment)
    _check_nodes(ray, environment)
    numbers = {remote.remote(job): at for at, job in enumerate(jobs)}
    waiting = list(numbers)
    try:
        while waiting:
            ended, waiting = ray.wait(waiting, num_returns=1)
            yield numbers[ended[0]], _result(ray, ended[0])
    finally:
        for reference in waiting:
            ray.cancel(reference, force=True)


def _called(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a plain function, which Ray wants, in place of a ``functools.partial``."""

    def call(job: Any) -> Any:
        return function(job)

    return call


def _connected(address: str) -> Any:
    try:
        import ray
    except ImportError:
        hint = "install it (pip install 'tvlab[ray]') or leave out --ray and TVLAB_RAY"
        raise UserError(f"jobs are to go to {address}, but Ray is not installed here: {hint}") from None
    if not ray.is_initialized():
        try:
            _knock(address)
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
        except (OSError, ValueError, RuntimeError) as error:
            reason = " ".join(str(error).split())[:200]
            raise UserError(f"no Ray cluster answers at {address} ({reason}): start one with `ray start`") from None
    return ray


def _knock(address: str) -> None:
    """Fail soon where nobody listens; Ray itself would try for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if colon and port.isdigit():
        socket.create_connection((host, int(port)), timeout=10).close()


def _variables() -> dict[str, str]:
    """Return what a worker's process needs to find the same code and the same project folder."""
    paths = [path for path in sys.path if path and os.path.isdir(path)]
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {"PYTHONPATH": os.pathsep.join(paths), "TVLAB_HOME": str(home()), VARIABLE: "", **threads}


def _check_nodes(ray: Any, environment: dict[str, Any]) -> None:
    """Let every node read a file of the project folder.

    Raises:
        UserError: a node does not see it.
    """
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    token = home() / "workspace" / f".ray-{uuid.uuid4().hex}.tmp"
    write_text(token, token.name)
    try:
        nodes = [node for node in ray.nodes() if node["Alive"] and node["Resources"].get("CPU")]
        task = ray.remote(os.path.isfile)
        seen = {
            node["NodeManagerAddress"]: task.options(
                num_cpus=1,
                runtime_env=environment,
                scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=False),
            ).remote(str(token))
            for node in nodes
        }
        blind = [name for name, reference in seen.items() if not ray.get(reference)]
    finally:
        token.unlink(missing_ok=True)
    if blind:
        raise UserError(f"node {blind[0]} of the Ray cluster does not see {home()}: share that folder with it")


def _result(ray: Any, reference: Any) -> Any:
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        return error.cause if isinstance(error.cause, Exception) else error
    except (ray.exceptions.WorkerCrashedError, ray.exceptions.NodeDiedError, ray.exceptions.OutOfMemoryError):
        return NodeDied()
