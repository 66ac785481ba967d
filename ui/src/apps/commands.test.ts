import { expect, test } from "vitest";
import { parse } from "yaml";
import type { KubeObject } from "../api/k8s";
import { splitCommand } from "../kinds/commandWords";
import { endSessionCommand, revokeCommand } from "../kinds/commands";
import { weightCommand, whatIfBody, whatIfCommand } from "./volcano/kinds/queueCommands";
import { shareCommand, unshareCommand } from "./profiles/kinds/profileCommands";
import { newBoardCommand } from "./tensorboards/kinds/tensorboardCommands";
import { newNotebookCommand, notebookEditCommand } from "./notebooks/kinds/notebookCommands";
import { doubled, newVolumeCommand, resizeCommand, snapshotCommand, snapshotName } from "./volumes/kinds/volumeCommands";

const CLAIM = { namespace: "ml", name: "datasets" };

test.each([
  ["resize", resizeCommand(CLAIM, "20Gi"), `kubectl patch pvc datasets -n ml --type merge -p '{"spec":{"resources":{"requests":{"storage":"20Gi"}}}}'`],
  ["remove a contributor", unshareCommand("ml", "bob.x@example.com", "edit"), "kubectl delete rolebinding user-bob-x-example-com-clusterrole-edit -n ml"],
  ["revoke a token", revokeCommand("ann@example.com", "my laptop"), "windlass user token ann@example.com --revoke 'my laptop'"],
  ["end a session", endSessionCommand("ann@example.com", "0a1b"), "windlass user sessions ann@example.com --end 0a1b"],
  ["weight", weightCommand("research", 3), `kubectl patch queue.scheduling.volcano.sh research --type merge -p '{"spec":{"weight":3}}'`],
  [
    "share",
    shareCommand("ml", "bob@example.com", "view"),
    "kubectl create rolebinding user-bob-example-com-clusterrole-view -n ml --clusterrole=kubeflow-view --user=bob@example.com && kubectl annotate rolebinding user-bob-example-com-clusterrole-view -n ml user=bob@example.com role=view",
  ],
])("%s", (_, line, expected) => {
  expect(line).toBe(expected);
});

test("the edit of a notebook is the patch, without the version that guards it", () => {
  const spec = { template: { spec: { containers: [{ name: "lab", args: ["it's"] }] } } };
  const words = splitCommand(notebookEditCommand({ namespace: "ml", name: "lab" }, { metadata: { labels: { team: null } }, spec }));

  expect(words.slice(0, 8)).toEqual(["kubectl", "patch", "notebook", "lab", "-n", "ml", "--type", "merge"]);
  expect(JSON.parse(words[9] ?? "")).toEqual({ metadata: { labels: { team: null } }, spec });
});

test("what-if asks what the page asks", () => {
  const line = whatIfCommand("http://127.0.0.1:8080", "ann@example.com", { weights: { a: 2 }, nodes: 0, like: "" });

  expect(line).toBe(
    `curl -H "Authorization: Bearer $(windlass user token ann@example.com --name what-if --days 1)" --json '{"queues":[{"name":"a","weight":2}],"nodes":null}' http://127.0.0.1:8080/api/what-if`,
  );
});

test("what-if sends added and removed nodes and a manifest", () => {
  const change = { weights: {}, nodes: 2, like: "node-1", allocatable: { cpu: "64" }, removeNodes: ["node-2"], manifest: "kind: TFJob", namespace: "ml" };

  expect(whatIfBody(change)).toEqual({
    queues: [],
    nodes: { count: 2, like: "node-1", allocatable: { cpu: "64" } },
    removeNodes: ["node-2"],
    manifest: "kind: TFJob",
    namespace: "ml",
  });
  expect(whatIfBody({ ...change, nodes: 0, removeNodes: [], manifest: " " })).toEqual({ queues: [], nodes: null });
});

test.each([
  ["Notebook", newNotebookCommand("ml")],
  ["PersistentVolumeClaim", newVolumeCommand("ml")],
  ["Tensorboard", newBoardCommand("ml")],
  ["VolumeSnapshot", snapshotCommand(CLAIM, snapshotName(CLAIM, new Date("2026-02-03T04:05:06Z")))],
])("the manifest of a new %s is in the line that applies it", (kind, line) => {
  const [first, ...rest] = line.split("\n");
  const manifest = parse(rest.slice(0, -1).join("\n")) as KubeObject;

  expect([first, rest.at(-1)]).toEqual(["kubectl apply -f - <<'EOF'", "EOF"]);
  expect([manifest.kind, manifest.metadata.namespace]).toEqual([kind, "ml"]);
});

test.each([
  ["10Gi", "20Gi"],
  ["1.5Ti", "3Ti"],
  ["500", "1000"],
])("twice %s", (size, expected) => {
  expect(doubled(size)).toBe(expected);
});
