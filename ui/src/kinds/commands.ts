/** Buttons as command lines that do the same. Pure. */
import type { ObjectKey } from "../api/k8s";
import { suggestedNamespace, type MemberRole } from "../apps/profiles/api/people";
import type { Change } from "../apps/volcano/api/queues";
import { joinCommand } from "./commandWords";

const merge = (resource: string, key: ObjectKey, patch: unknown): string =>
  joinCommand(["kubectl", "patch", resource, key.name, ...(key.namespace === "" ? [] : ["-n", key.namespace]), "--type", "merge", "-p", JSON.stringify(patch)]);

/** `kubectl apply` with the manifest in it: to be copied as it is. */
export const applyCommand = (manifest: string): string => `kubectl apply -f - <<'EOF'\n${manifest}\nEOF`;

// --- volumes

export const resizeCommand = (claim: ObjectKey, size: string): string => merge("pvc", claim, { spec: { resources: { requests: { storage: size } } } });

/** Twice as large, in the same unit: `10Gi` becomes `20Gi`. */
export const doubled = (size: string): string => size.replace(/^[\d.]+/, (number) => String(Number(number) * 2));

export const snapshotManifest = (claim: ObjectKey, name: string): Record<string, unknown> => ({
  apiVersion: "snapshot.storage.k8s.io/v1",
  kind: "VolumeSnapshot",
  metadata: { name, namespace: claim.namespace },
  spec: { source: { persistentVolumeClaimName: claim.name } },
});

export const snapshotCommand = (claim: ObjectKey, name: string): string => applyCommand(JSON.stringify(snapshotManifest(claim, name)));

/** A first volume, where there is none. */
export const newVolumeCommand = (namespace: string): string =>
  applyCommand(`apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: datasets
  namespace: ${namespace}
spec:
  accessModes: [ReadWriteOnce]
  resources:
    requests:
      storage: 10Gi`);

export const snapshotName = (claim: { name: string }, now: Date): string => `${claim.name}-${now.toISOString().slice(0, 10)}`;

// --- notebooks

/** A first server, where there is none. Its files are lost with it: the form makes a volume for them. */
export const newNotebookCommand = (namespace: string): string =>
  applyCommand(`apiVersion: kubeflow.org/v1
kind: Notebook
metadata:
  name: lab
  namespace: ${namespace}
spec:
  template:
    spec:
      containers:
        - name: lab
          image: kubeflownotebookswg/jupyter-scipy:v1.10.0`);

/** A first board, over a folder of a volume. */
export const newBoardCommand = (namespace: string): string =>
  applyCommand(`apiVersion: tensorboard.kubeflow.org/v1alpha1
kind: Tensorboard
metadata:
  name: curves
  namespace: ${namespace}
spec:
  logspath: pvc://datasets/logs`);

/** The edit itself, without the version that guards it in the form. */
export function notebookEditCommand(key: ObjectKey, patch: { metadata: { labels?: object }; spec: unknown }): string {
  const { labels = {} } = patch.metadata;
  return merge("notebook", key, { ...(Object.keys(labels).length > 0 ? { metadata: { labels } } : {}), spec: patch.spec });
}

// --- people

/** A namespace for someone who has none. */
export const newProfileCommand = (user: string): string => joinCommand(["windlass", "profile", "create", suggestedNamespace(user) || "NAME", "--owner", user]);

/** As kfam names the binding of a contributor. */
const bindingOf = (user: string, role: MemberRole): string => `user-${user.replaceAll(/[^A-Za-z0-9]+/g, "-")}-clusterrole-${role}`.toLowerCase();

export function shareCommand(namespace: string, user: string, role: MemberRole): string {
  const binding = bindingOf(user, role);
  const create = joinCommand(["kubectl", "create", "rolebinding", binding, "-n", namespace, `--clusterrole=kubeflow-${role}`, `--user=${user}`]);
  return `${create} && ${joinCommand(["kubectl", "annotate", "rolebinding", binding, "-n", namespace, `user=${user}`, `role=${role}`])}`;
}

export const unshareCommand = (namespace: string, user: string, role: MemberRole): string => joinCommand(["kubectl", "delete", "rolebinding", bindingOf(user, role), "-n", namespace]);

export const revokeCommand = (user: string, token: string): string => joinCommand(["windlass", "user", "token", user, "--revoke", token]);

export const endSessionCommand = (user: string, id: string): string => joinCommand(["windlass", "user", "sessions", user, "--end", id]);

// --- queues

export const weightCommand = (queue: string, weight: number): string => merge("queue.scheduling.volcano.sh", { namespace: "", name: queue }, { spec: { weight } });

/** What the simulator is asked, as the page asks it. */
export const whatIfBody = (change: Change): Record<string, unknown> => ({
  queues: Object.entries(change.weights).map(([name, weight]) => ({ name, weight })),
  nodes: change.nodes > 0 ? { count: change.nodes, like: change.like, ...(isEmpty(change.allocatable) ? {} : { allocatable: change.allocatable }) } : null,
  ...(isEmpty(change.removeNodes) ? {} : { removeNodes: change.removeNodes }),
  ...(change.manifest?.trim() ? { manifest: change.manifest, namespace: change.namespace ?? "" } : {}),
});

const isEmpty = (value: object | undefined): boolean => value === undefined || Object.keys(value).length === 0;

/** `windlass simulate` describes a cluster of its own; what this one would do is asked of the gateway. */
export const whatIfCommand = (origin: string, user: string, change: Change): string =>
  `curl -H "Authorization: Bearer $(${joinCommand(["windlass", "user", "token", user, "--name", "what-if", "--days", "1"])})" ${joinCommand(["--json", JSON.stringify(whatIfBody(change)), `${origin}/api/what-if`])}`;
