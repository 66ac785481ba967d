import { expect, test } from "vitest";
import { FAILED, PAUSED, SUCCEEDED, aNode, aWorkflow } from "../../samples/workflows";
import type { Json } from "../../../../kinds/json";
import { allNodes, findNode } from "../graph/pipelinesGraph";
import { podName, workflowGraph, workflowRecords } from "./workflowNodes";

// As the server names them.
test.each([
  ["unschedulable", "unschedulable", "main", "unschedulable"],
  ["loop-and-retry", "loop-and-retry.train(0:a)(0)", "flaky", "loop-and-retry-flaky-373087983"],
  ["loop-and-retry", "loop-and-retry.save", "save", "loop-and-retry-save-2679367327"],
  ["broken", "broken.fit", "bad", "broken-bad-2538840793"],
  ["a", "a.ü", "", "a-1138895097"],
])("the pod of the node %s %s", (workflow, node, template, pod) => {
  expect(podName(workflow, node, template)).toBe(pod);
});

const states = (workflow: Parameters<typeof workflowGraph>[0]) => Object.fromEntries(allNodes(workflowGraph(workflow)).map((node) => [node.id, node.state]));

test("a graph has the state of each node, and of those that were left out", () => {
  expect(states(SUCCEEDED)).toEqual({ "root.load": "succeeded", "root.fit": "succeeded", "root.report": "succeeded" });
  expect(states(FAILED)).toEqual({ "root.load": "succeeded", "root.fit": "failed", "root.report": "skipped" });
  expect(states(PAUSED)).toEqual({ "root.build": "succeeded", "root.approve": "running", "root.deploy": "pending" });
});

test("values and artifacts of a node are those of a task, and an artifact is read by Argo's route", () => {
  const [load] = workflowRecords(SUCCEEDED).filter((record) => record.name === "load");

  expect(load?.inputs.parameters).toEqual([{ parameter_key: "day", value: "monday" }]);
  expect(load?.outputs.parameters).toEqual([{ parameter_key: "rows", value: "1200" }, { parameter_key: "result", value: "1200" }]);
  const artifact = load?.outputs.artifacts?.[0]?.artifacts?.[0];
  expect(artifact).toMatchObject({ name: "table", uri: "minio://mlpipeline/artifacts/nightly/table.tgz", download: `/argo/artifacts/ml/nightly-report/${load?.id}/table` });
});

const LEAF: Json = { entrypoint: "main", onExit: "bye", templates: [{ name: "main", container: { image: "i" }, retryStrategy: { limit: 1 } }, { name: "bye", container: { image: "i" } }] };

test("a Workflow of one container is one step, with its attempts and its exit handler", () => {
  const workflow = aWorkflow("one", {
    spec: LEAF,
    status: { phase: "Succeeded" },
    // Not in the order of their numbers.
    nodes: [
      aNode("one", "(1)", { displayName: "one(1)", boundaryID: "", templateName: "main" }),
      aNode("one", "(0)", { displayName: "one(0)", boundaryID: "", templateName: "main", phase: "Failed", message: "exit code 1" }),
      aNode("one", "", { type: "Retry" }),
      aNode("one", "onExit", { displayName: "one.onExit", boundaryID: "" }),
    ],
  });
  const nodes = workflowGraph(workflow);

  expect(nodes.map((node) => [node.label, node.state, node.after])).toEqual([["main", "succeeded", []], ["bye", "succeeded", ["root.main"]]]);
  const pods = [podName("one", "one(0)", "main"), podName("one", "one(1)", "main")];
  expect([...(nodes[0]?.record?.failedPods ?? []), nodes[0]?.record?.pod]).toEqual(pods);
});

const LOOP: Json = { entrypoint: "main", templates: [{ name: "main", dag: { tasks: [{ name: "train", template: "work", withItems: ["a", "b"] }] } }, { name: "work", container: { image: "i" } }] };

test("attempts of an iteration are no iterations of their own", () => {
  const workflow = aWorkflow("loop", {
    spec: LOOP,
    status: { phase: "Succeeded" },
    nodes: [
      aNode("loop", "", { type: "DAG" }),
      aNode("loop", "train", { type: "TaskGroup" }),
      ...["a", "b"].flatMap((item, index) => [
        aNode("loop", `train(${index}:${item})`, { type: "Retry" }),
        aNode("loop", `train(${index}:${item})(0)`, { phase: "Failed" }),
        aNode("loop", `train(${index}:${item})(1)`),
      ]),
    ],
  });
  const train = findNode(workflowGraph(workflow), "root.train");

  expect(train?.progress).toEqual({ done: 2, total: 2 });
  expect(train?.children.map((node) => [node.label, node.record?.failedPods.length])).toEqual([["a", 1], ["b", 1]]);
});

const RECURSIVE: Json = { entrypoint: "count", templates: [{ name: "count", steps: [[{ name: "add", template: "work" }], [{ name: "again", template: "count", when: "x" }]] }, { name: "work", container: { image: "i" } }] };

test("a template that calls itself is drawn as deep as it has run", () => {
  const again = aNode("deep", "[1].again", { type: "Steps", displayName: "again" });
  const inside = { boundaryID: again["id"] };
  const workflow = aWorkflow("deep", {
    spec: RECURSIVE,
    status: { phase: "Succeeded" },
    nodes: [
      aNode("deep", "", { type: "Steps" }),
      aNode("deep", "[0]", { type: "StepGroup" }),
      aNode("deep", "[0].add", { displayName: "add" }),
      again,
      aNode("deep", "[1].again[0].add", { displayName: "add", ...inside }),
      aNode("deep", "[1].again[1].again", { displayName: "again", type: "Skipped", phase: "Skipped", ...inside }),
    ],
  });

  expect(states(workflow)).toEqual({ "root.add": "succeeded", "root.again": "succeeded", "root.again.add": "succeeded", "root.again.again": "skipped" });
});

const RETRIED_GROUP: Json = { entrypoint: "main", templates: [{ name: "main", dag: { tasks: [{ name: "group", template: "inner" }] } }, { name: "inner", retryStrategy: { limit: 1 }, dag: { tasks: [{ name: "a", template: "work" }] } }, { name: "work", container: { image: "i" } }] };

test("of a group that was retried the last attempt is drawn", () => {
  const attempt = (number: number, phase: string) => aNode("again", `group(${number})`, { type: "DAG", phase });
  const inside = (number: number, phase: string) => aNode("again", `group(${number}).a`, { displayName: "a", boundaryID: attempt(number, phase)["id"], phase });
  const workflow = aWorkflow("again", {
    spec: RETRIED_GROUP,
    status: { phase: "Succeeded" },
    nodes: [aNode("again", "", { type: "DAG" }), aNode("again", "group", { type: "Retry" }), attempt(0, "Failed"), attempt(1, "Succeeded"), inside(0, "Failed"), inside(1, "Succeeded")],
  });

  expect(states(workflow)).toEqual({ "root.group": "succeeded", "root.group.a": "succeeded" });
});

test("the steps of a WorkflowTemplate are those that the status keeps", () => {
  const template = { entrypoint: "main", arguments: { parameters: [{ name: "day", value: "sunday" }] }, templates: [{ name: "main", dag: { tasks: [{ name: "collect", templateRef: { name: "shared", template: "say", clusterScope: true } }] } }] };
  const shared = { templates: [{ name: "say", steps: [[{ name: "one", template: "print" }]] }, { name: "print", container: { image: "i" } }] };
  const workflow = {
    ...aWorkflow("of-a-template", { status: { phase: "Running", storedWorkflowTemplateSpecs: { "namespaced/report": template, "cluster/shared": shared } } }),
    spec: { workflowTemplateRef: { name: "report" } },
  };

  expect(states(workflow)).toEqual({ "root.collect": "pending", "root.collect.one": "pending" });
});

test("a hook is drawn after the step that it belongs to", () => {
  const workflow = { ...SUCCEEDED, status: { ...SUCCEEDED.status, nodes: { ...(SUCCEEDED.status?.["nodes"] as Json), h: aNode("nightly-report", "load.onExit", { displayName: "load.onExit" }) } } };
  const hook = findNode(workflowGraph(workflow), "root.load.onExit");

  expect([hook?.label, hook?.after]).toEqual(["load.onExit", ["root.load"]]);
});
