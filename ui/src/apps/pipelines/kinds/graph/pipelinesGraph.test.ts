import { describe, expect, test } from "vitest";
import { FAILED, IR, RUNNING, SUCCEEDED, V1_RUN, WORKFLOW, wideRun } from "../../samples/pipelines";
import type { Run } from "../pipelines";
import { allNodes, ancestorsOf, failedNode, findNode, initiallyOpen, reducedEdges, runGraph, staticGraph, waitingNode } from "./pipelinesGraph";
import { readSpec } from "./pipelinesSpec";
import { recordsOf } from "./pipelinesTasks";

const steps = readSpec(IR)?.steps ?? [];
const graphOf = (run: Run, spec: unknown = IR) => runGraph(readSpec(spec)?.steps ?? [], recordsOf(run), run.state === "SUCCEEDED" || run.state === "FAILED");
const stateAt = (run: Run, id: string, spec?: unknown) => findNode(graphOf(run, spec), id)?.state;

describe("reading a specification", () => {
  test("every kind of step of the IR is known", () => {
    const kinds = Object.fromEntries(allNodes(staticGraph(steps)).map((node) => [node.key, node.kind]));

    expect(kinds).toEqual({
      "exit-handler-1": "exit",
      importer: "importer",
      prepare: "task",
      "for-loop-2": "loop",
      train: "task",
      score: "task",
      evaluate: "task",
      "condition-branches-3": "branches",
      "condition-4": "condition",
      deploy: "task",
      "condition-5": "condition",
      "ask-a-person": "task",
      notify: "task",
    });
  });

  test("a step comes after what it names and after what it reads", () => {
    const inside = steps[0]?.inner ?? [];
    expect(inside.find((step) => step.key === "evaluate")?.after.sort()).toEqual(["for-loop-2", "prepare"]);
    expect(steps.find((step) => step.key === "notify")?.after).toEqual(["exit-handler-1"]);
  });

  test("a component that contains itself ends", () => {
    const nested = { root: { dag: { tasks: { a: { componentRef: { name: "comp-a" } } } } }, components: { "comp-a": { dag: { tasks: { a: { componentRef: { name: "comp-a" } } } } } } };
    expect(allNodes(staticGraph(readSpec(nested)?.steps ?? []))).toHaveLength(2);
  });

  test.each([[undefined], [null], ["text"], [{}], [{ root: 3 }], [[]]])("%j is no specification", (spec) => {
    expect(readSpec(spec)).toBeUndefined();
  });

  test("the platform's document is left aside", () => {
    expect(readSpec({ pipeline_spec: IR, platform_spec: { platforms: {} } })?.name).toBe("churn-model");
  });

  test("a Workflow is a chain of its four steps before any run, with its parameters", () => {
    const spec = readSpec(WORKFLOW);

    expect(spec).toMatchObject({ name: "train-and-predict", isArgo: true });
    expect(reducedEdges(staticGraph(spec?.steps ?? []))).toEqual([
      ["root.create-pvc", "root.train"],
      ["root.train", "root.predict"],
      ["root.predict", "root.print-result"],
    ]);
    expect(spec?.parameters["epochs"]).toEqual({ parameterType: "STRING", defaultValue: "3", isOptional: true });
    expect(spec?.steps.at(-1)?.outputs).toEqual([{ name: "print-result-result", type: "" }]);
  });

  test("steps of a Workflow come after the group before them, and loops and conditions are known", () => {
    const workflow = {
      kind: "Workflow",
      spec: {
        entrypoint: "main",
        onExit: "bye",
        templates: [
          { name: "main", steps: [[{ name: "a", template: "t" }], [{ name: "b", template: "t", withItems: [1, 2] }, { name: "c", template: "inner", when: "x == 1" }]] },
          { name: "inner", dag: { tasks: [{ name: "d", template: "t" }, { name: "e", template: "t", depends: "d.Succeeded || d.Failed" }] } },
          { name: "t", container: { image: "busybox" } },
          { name: "bye", container: { image: "busybox" } },
        ],
      },
    };
    const found = readSpec(workflow)?.steps ?? [];

    expect(found.map(({ label, kind, after }) => [label, kind, after])).toEqual([
      ["a", "task", []],
      ["b", "loop", ["a"]],
      ["c", "condition", ["a"]],
      ["bye", "task", ["b", "c"]],
    ]);
    expect(found[2]?.inner[1]?.after).toEqual(["d"]);
  });
});

describe("states of a run", () => {
  test.each([
    ["root.exit-handler-1", "running"],
    ["root.exit-handler-1.importer", "succeeded"],
    ["root.exit-handler-1.prepare", "cached"],
    ["root.exit-handler-1.for-loop-2", "running"],
    ["root.exit-handler-1.for-loop-2.0", "succeeded"],
    ["root.exit-handler-1.for-loop-2.2", "running"],
    ["root.exit-handler-1.for-loop-2.2.train", "running"],
    ["root.exit-handler-1.for-loop-2.2.score", "pending"],
    ["root.exit-handler-1.evaluate", "pending"],
    ["root.notify", "pending"],
  ])("while it runs, %s is %s", (id, state) => {
    expect(stateAt(RUNNING, id)).toBe(state);
  });

  test("after its end, what has no record was not triggered", () => {
    expect(stateAt(SUCCEEDED, "root.exit-handler-1.condition-branches-3.condition-5.ask-a-person")).toBe("skipped");
    expect(stateAt(SUCCEEDED, "root.exit-handler-1.condition-branches-3.condition-4.deploy")).toBe("succeeded");
  });

  test("a loop counts its iterations", () => {
    expect(findNode(graphOf(RUNNING), "root.exit-handler-1.for-loop-2")?.progress).toEqual({ done: 2, total: 3 });
    expect(findNode(graphOf(wideRun(1000)), "root.exit-handler-1.for-loop-2")?.children).toHaveLength(1000);
  });

  test("the first iteration is known although the API leaves its zero out", () => {
    const tasks = (RUNNING.tasks ?? []).map((task) => (task.task_id === "t-loop-0" ? { ...task, type_attributes: {} } : task));
    expect(stateAt({ ...RUNNING, tasks }, "root.exit-handler-1.for-loop-2.0.train")).toBe("succeeded");
  });

  test("a task that waits has no state, and has not started", () => {
    const tasks = [...(RUNNING.tasks ?? []), { task_id: "t-evaluate", name: "evaluate", parent_task_id: "t-exit", type: "RUNTIME", create_time: "2026-01-01T00:00:00Z", start_time: "1970-01-01T00:00:00Z" }];
    const evaluate = findNode(graphOf({ ...RUNNING, tasks }), "root.exit-handler-1.evaluate");
    expect([evaluate?.state, evaluate?.record?.started]).toEqual(["pending", undefined]);
  });

  test("the step whose pod does not start is where the reason is", () => {
    const message = "Unschedulable: no volume fits the claim data";
    const evaluate = { task_id: "t-evaluate", name: "evaluate", parent_task_id: "t-exit", type: "RUNTIME", state: "RUNNING" as const, status_metadata: { message } };
    const waiting = waitingNode(graphOf({ ...RUNNING, tasks: [...(RUNNING.tasks ?? []), evaluate] }));
    expect([waiting?.id, waiting?.record?.message]).toEqual(["root.exit-handler-1.evaluate", message]);
    expect(waitingNode(graphOf(RUNNING))).toBeUndefined();
    expect(waitingNode(graphOf(FAILED))).toBeUndefined();
  });

  test("the deepest failed step is where the reason is", () => {
    expect(failedNode(graphOf(FAILED))?.id).toBe("root.exit-handler-1.for-loop-2.1.train");
    expect(failedNode(graphOf(SUCCEEDED))).toBeUndefined();
  });

  test("outputs are at the step that made them", () => {
    const evaluate = findNode(graphOf(SUCCEEDED), "root.exit-handler-1.evaluate");
    expect(evaluate?.artifacts.map((mark) => [mark.name, mark.artifact?.artifact_id])).toEqual([
      ["metrics", "a-metrics"],
      ["curve", "a-curve"],
      ["report", "a-report"],
    ]);
    expect(evaluate?.reads).toEqual(["root.exit-handler-1.prepare/data"]);
  });

  test("a v1 run takes its states from its task details", () => {
    const states = graphOf(V1_RUN, WORKFLOW).map((node) => node.state);
    expect(states).toEqual(["succeeded", "running", "pending", "pending"]);
  });

  test("attempts of a v1 step that is retried are its pods", () => {
    const workflow = { kind: "Workflow", spec: { entrypoint: "main", templates: [{ name: "main", dag: { tasks: [{ name: "fit", template: "t" }] } }, { name: "t", container: {} }] } };
    const task = (name: string, pod: string) => ({ task_id: name, name, parent_task_id: "root", type: "RUNTIME", state: "SUCCEEDED" as const, pods: pod === "" ? [] : [{ name: pod }] });
    const run: Run = { run_id: "r", tasks: [{ task_id: "root", name: "main-1", type: "ROOT" }, task("fit", ""), task("fit(0)", "pod-0"), task("fit(1)", "pod-1")] };

    expect(graphOf(run, workflow)[0]?.record).toMatchObject({ pod: "pod-1", failedPods: ["pod-0"] });
  });

  test("iterations of a v1 loop are distinguished by their names", () => {
    const workflow = { kind: "Workflow", spec: { entrypoint: "main", templates: [{ name: "main", dag: { tasks: [{ name: "fit", template: "t", withItems: ["a", "b"] }] } }, { name: "t", container: {} }] } };
    const details = ["fit(0:a)", "fit(1:b)"].map((name, index) => ({ task_id: name, display_name: name, parent_task_id: "root", state: index === 0 ? ("SUCCEEDED" as const) : ("FAILED" as const) }));
    const run: Run = { run_id: "r", run_details: { task_details: [{ task_id: "root", display_name: "main-1", state: "RUNNING" }, ...details] } };
    const [fit] = graphOf(run, workflow);

    expect(fit?.children.map((child) => [child.label, child.state])).toEqual([["a", "succeeded"], ["b", "failed"]]);
    expect(fit?.state).toBe("failed");
  });
});

describe("folding", () => {
  test("groups are open as long as the picture stays readable, loops are folded", () => {
    const open = initiallyOpen(graphOf(RUNNING));
    expect([...open].sort()).toEqual([
      "root.exit-handler-1",
      "root.exit-handler-1.condition-branches-3",
      "root.exit-handler-1.condition-branches-3.condition-4",
      "root.exit-handler-1.condition-branches-3.condition-5",
    ]);
  });

  test("a large group is folded at first", () => {
    const many = { root: { dag: { tasks: { big: { componentRef: { name: "c" } } } } }, components: { c: { dag: { tasks: Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`t${index}`, {}])) } } } };
    expect(initiallyOpen(staticGraph(readSpec(many)?.steps ?? [])).size).toBe(0);
  });

  test("the groups around a step are known", () => {
    expect(ancestorsOf(graphOf(RUNNING), "root.exit-handler-1.for-loop-2.2.train")).toEqual(["root.exit-handler-1", "root.exit-handler-1.for-loop-2", "root.exit-handler-1.for-loop-2.2"]);
  });

  test("an edge that a longer way says already is left out, and circles end", () => {
    const node = (id: string, ...after: string[]) => ({ id, after });
    expect(reducedEdges([node("a"), node("b", "a"), node("c", "a", "b"), node("d", "x")])).toEqual([["a", "b"], ["b", "c"]]);
    expect(reducedEdges([node("a", "b"), node("b", "a")])).toHaveLength(2);
  });
});

test("the exit handler of a v1 run is recorded under the name of its Workflow", () => {
  const spec = { kind: "Workflow", spec: { entrypoint: "main", onExit: "bye", templates: [{ name: "main", dag: { tasks: [{ name: "a", template: "work" }] } }, { name: "work", container: {} }, { name: "bye", container: {} }] } };
  const task = (id: string, name: string, parent: string, type: string) => ({ task_id: id, name, display_name: name, type, state: "SUCCEEDED" as const, ...(parent === "" ? {} : { parent_task_id: parent }) });
  const run: Run = { run_id: "r", state: "SUCCEEDED", tasks: [task("1", "report-x7", "", "ROOT"), task("2", "a", "1", "RUNTIME"), task("3", "report-x7.onExit", "1", "RUNTIME")] };

  expect(graphOf(run, spec).map((node) => [node.label, node.state])).toEqual([["a", "succeeded"], ["bye", "succeeded"]]);
});
