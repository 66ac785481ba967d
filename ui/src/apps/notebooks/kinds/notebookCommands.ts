/** Buttons of notebooks as command lines that do the same. Pure. */
import type { ObjectKey } from "../../../api/k8s";
import { applyCommand, mergeCommand } from "../../../kinds/commands";

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

/** The edit itself, without the version that guards it in the form. */
export function notebookEditCommand(key: ObjectKey, patch: { metadata: { labels?: object }; spec: unknown }): string {
  const { labels = {} } = patch.metadata;
  return mergeCommand("notebook", key, { ...(Object.keys(labels).length > 0 ? { metadata: { labels } } : {}), spec: patch.spec });
}
