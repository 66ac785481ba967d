"""The scripts in a distributed ChainerJob's pods: the agent that MPI calls as ssh, and what writes its hostfile."""

from collections.abc import Sequence

AGENT, GENERATOR, DOWNLOAD, SETS = "kubexeb.sh", "gen_hostfile.sh", "download_kubectl.sh", "statefulsets_and_slots"
NAMES = (DOWNLOAD, AGENT, GENERATOR, SETS)

_AGENT = """#!/bin/sh
# Called by MPI as ssh would be: a host, which is a pod, and a command.
while [ "${{1#-}}" != "$1" ]; do shift; done
pod=$1
shift
if [ "$pod" = "$(hostname)" ]; then exec /bin/sh -c "$*"; fi
exec "${{KUBECTL_DIR:-{folder}}}/kubectl" exec -i "$pod" -c {container} -- /bin/sh -c "$*"
"""

_GENERATOR = """#!/bin/sh
# gen_hostfile.sh TARGET MASTER SLOTS SETS: one line a worker once it can be reached, then the master.
set -eu
target=$1 master=$2 own=$3 sets=$4
kubectl="${{KUBECTL_DIR:-{folder}}}/kubectl"
: > "$target.new"
while read -r name slots replicas; do
  index=0
  while [ "$index" -lt "$replicas" ]; do
    pod="$name-$index"
    until "$kubectl" exec "$pod" -c {container} -- true </dev/null; do
      echo "waiting for $pod"
      sleep 0.5
    done
    echo "$pod $slots" >> "$target.new"
    index=$((index + 1))
  done
done < "$sets"
echo "$master $own" >> "$target.new"
mv "$target.new" "$target"
"""

_DOWNLOAD = """#!/bin/sh
# Nothing is downloaded: the init container kubectl-delivery brings the exec client.
test -x "${{1:-{folder}}}/kubectl"
"""


def all_of(sets: Sequence[tuple[str, int, int]], folder: str, container: str) -> dict[str, str]:
    """The files, by name. `sets`: stateful sets with their slots and replicas; `folder` has the exec client."""
    scripts = {AGENT: _AGENT, GENERATOR: _GENERATOR, DOWNLOAD: _DOWNLOAD}
    filled = {name: text.format(folder=folder, container=container) for name, text in scripts.items()}
    return {**filled, SETS: "".join(f"{name} slots={slots} {replicas}\n" for name, slots, replicas in sets)}
