# tvlab with JupyterLab on notebook 00:
#   docker build -t tvlab .
#   docker run --rm -p 127.0.0.1:8888:8888 tvlab
# On Linux x86-64 pip takes torch's CUDA build unless --build-arg TORCH_INDEX=<index of torch's CPU builds> is given.
# Continuous integration has no container daemon, so no test builds this image; it runs `make install` in a clean clone,
# and tests/test_packaging.py compares the last line with `make lab`.
FROM python:3.11-slim
ARG TORCH_INDEX=
# the folder is made here because WORKDIR may make it as root, and .venv goes into it
RUN apt-get update && apt-get install -y --no-install-recommends git make \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home researcher \
    && install --directory --owner=researcher --group=researcher /home/researcher/tvlab
USER researcher
WORKDIR /home/researcher/tvlab
COPY --chown=researcher:researcher . .
# pip's cache would stay in the image beside what was installed from it
RUN PIP_NO_CACHE_DIR=1 make install TORCH_INDEX="$TORCH_INDEX"
ENV PATH="/home/researcher/tvlab/.venv/bin:$PATH"
EXPOSE 8888
# The address is that of the container alone; the token that JupyterLab prints is asked for.
CMD ["python", "-m", "jupyterlab", "--ip=0.0.0.0", "--no-browser", "--ServerApp.root_dir=.", \
     "--LabApp.default_url=/lab/tree/notebooks/00_overview.ipynb"]
