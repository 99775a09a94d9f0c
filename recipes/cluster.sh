#!/usr/bin/env bash
# The paper's setting, from tool lists to scores, one step a call: recipes/cluster.sh STEP
#
#   plan       memory, tokens and time, before anything is paid
#   items      environments, items, filter by the teacher (Qwen3-32B must be served: step teacher)
#   teacher    serve Qwen3-32B with vLLM                      (a node of its own, 2-4 GPUs)
#   user       serve the model that plays the user            (another node; the scripted user needs none)
#   ray        start Ray: on the first node `ray head`, on the others `ray HOST`
#   train      on the first node
#   export     checkpoint -> Hugging Face folder
#   serve      vLLM with the trained model
#   evaluate   GUST, BFCL, tau2-bench, ACEBench
#
# DRY=1 prints the commands and starts nothing. Every variable below can be set from outside.
set -euo pipefail

MODEL=${MODEL:-Qwen3-8B}               # folder of the model that is trained
TEACHER=${TEACHER:-Qwen3-32B}          # folder or name
USER_MODEL=${USER_MODEL:-DeepSeek-V3.2}
TEACHER_URL=${TEACHER_URL:-http://127.0.0.1:8001/v1}
USER_URL=${USER_URL:-}                 # empty: the user is scripted
ESTIMATOR=${ESTIMATOR:-tara}
NODES=${NODES:-4}
GPUS=${GPUS:-8}
SOURCE=${SOURCE:-embedded}             # descriptions of MCP servers, see tvlab build --help (--from)
OUT=${OUT:-workspace/cluster/verl/run}
DATA=${DATA:-workspace/cluster/gust}
ENVIRONMENTS=${ENVIRONMENTS:-workspace/cluster/environments}
EXPORTED=${EXPORTED:-$OUT-hf}
PORT=${PORT:-8000}

run() { echo "+ $*"; [ -n "${DRY:-}" ] || "$@"; }

case "${1:-help}" in
plan)
	run tvlab train --profile cluster --model "$MODEL" --estimator "$ESTIMATOR" --plan -- \
		"trainer.nnodes=$NODES" "trainer.n_gpus_per_node=$GPUS" ;;
teacher) run vllm serve "$TEACHER" --served-model-name teacher --port 8001 --tensor-parallel-size 4 \
	--enable-auto-tool-choice --tool-call-parser hermes --reasoning-parser qwen3 ;;
user) run vllm serve "$USER_MODEL" --served-model-name user --port 8002 --tensor-parallel-size 8 ;;
items)
	run tvlab build --from "$SOURCE" --out "$ENVIRONMENTS"
	run tvlab tasks "$ENVIRONMENTS"/*/ --profile cluster --mixed --dataset "$DATA" --attempts 8 \
		--rewrite --try 200 --base-url "$TEACHER_URL" --model teacher ;;
ray)
	if [ "${2:-head}" = head ]; then run ray start --head --port 6379; else run ray start --address "$2:6379"; fi ;;
train)
	user=()
	[ -z "$USER_URL" ] || user=(tvlab.user.kind=endpoint "tvlab.user.base_url=$USER_URL" tvlab.user.model=user)
	run tvlab train --profile cluster --model "$MODEL" --estimator "$ESTIMATOR" --items "$DATA" \
		--environments "$ENVIRONMENTS" --out "$OUT" -- "trainer.nnodes=$NODES" "trainer.n_gpus_per_node=$GPUS" \
		+ray_kwargs.ray_init.address=auto "${user[@]}" ;;
export) run tvlab export-model "$OUT" --out "$EXPORTED" ;;
serve) run vllm serve "$EXPORTED" --served-model-name tuned --port "$PORT" \
	--enable-auto-tool-choice --tool-call-parser hermes ;;
evaluate) run tvlab evaluate --base-url "http://127.0.0.1:$PORT/v1" --model tuned --bench gust,bfcl,tau2,acebench \
	--runs 4 --items "$DATA" --environments "$ENVIRONMENTS" ;;
*) sed -n '2,15p' "$0" | sed 's/^# \{0,1\}//' ;;
esac
