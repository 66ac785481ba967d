import { describe, expect, test } from "vitest";
import { LINEAGE, linksOf } from "../samples/executions";
import { DATASET } from "../samples/pipelines";
import type { ArtifactLink, Execution } from "./pipelines";
import { MAX_EXECUTIONS, lineageGraph, type LineageKnown } from "./pipelinesLineage";

const knownOf = (...opened: string[]): LineageKnown => ({
  links: new Map(opened.map((id) => [id, linksOf(id)])),
  executions: new Map(LINEAGE.map((one) => [one.task_id, one])),
  artifacts: new Map([[DATASET.artifact_id, DATASET]]),
});
const labels = (graph: ReturnType<typeof lineageGraph>, kind: string) => graph.nodes.filter((node) => node.kind === kind).map((node) => node.id).sort();

describe("from an artifact", () => {
  const focus = { kind: "artifact", id: "a-data" } as const;

  test("are shown who made and read it, in all runs, and what these read and made", () => {
    const graph = lineageGraph(focus, new Map(), knownOf("a-data"));

    expect(labels(graph, "execution")).toEqual(["t-again", "t-evaluate", "t-fit", "t-prepare"]);
    expect(labels(graph, "artifact")).toEqual(["a-curve", "a-data", "a-metrics", "a-model", "a-raw", "a-report"]);
    expect(graph.edges).toContainEqual({ from: "execution/t-prepare", to: "artifact/a-data" });
    expect(graph.edges).toContainEqual({ from: "artifact/a-data", to: "execution/t-fit" });
    expect(graph.edges).toContainEqual({ from: "execution/t-fit", to: "artifact/a-model" });
    expect(graph.nodes.find((node) => node.id === "t-fit")).toMatchObject({ second: "retrain with more data", state: "succeeded" });
  });

  test("an artifact that is opened shows one hop more", () => {
    const graph = lineageGraph(focus, new Map([["artifact/a-model", true]]), knownOf("a-data", "a-model"));

    expect(labels(graph, "execution")).toContain("t-check");
    expect(graph.edges).toContainEqual({ from: "artifact/a-model", to: "execution/t-check" });
  });

  test("an execution that is folded takes along what only it leads to", () => {
    const graph = lineageGraph(focus, new Map([["execution/t-fit", false]]), knownOf("a-data"));

    expect(labels(graph, "artifact")).not.toContain("a-model");
    expect(graph.nodes.find((node) => node.id === "t-fit")).toMatchObject({ isOpen: false, hasMore: true });
  });

  test("one that is not read yet can be opened, and one that nothing is linked to cannot", () => {
    const of = (links: Map<string, ArtifactLink[]>) => lineageGraph(focus, new Map(), { links, executions: new Map(), artifacts: new Map() }).nodes;

    expect(of(new Map())).toMatchObject([{ label: "a-data", hasMore: true }]);
    expect(of(new Map([["a-data", []]]))).toMatchObject([{ label: "a-data", hasMore: false }]);
  });

  test("sub-pipelines are left out: the tasks in them say the same", () => {
    const group: Execution = { task_id: "t-group", child_tasks: [{ task_id: "t-prepare" }] };
    const links = [...linksOf("a-data"), { artifact_id: "a-data", task_id: "t-group", type: "OUTPUT" }];
    const known = knownOf();
    const graph = lineageGraph(focus, new Map(), { ...known, links: new Map([["a-data", links]]), executions: new Map([...known.executions, ["t-group", group]]) });

    expect(labels(graph, "execution")).not.toContain("t-group");
  });

  test("a thousand readers are not drawn", () => {
    const readers = Array.from({ length: 1000 }, (_, index): Execution => ({ task_id: `t-${index}` }));
    const links = readers.map((one): ArtifactLink => ({ artifact_id: "a-data", task_id: one.task_id, type: "TASK_OUTPUT_INPUT" }));
    const graph = lineageGraph(focus, new Map(), { links: new Map([["a-data", links]]), executions: new Map(readers.map((one) => [one.task_id, one])), artifacts: new Map() });

    expect(labels(graph, "execution")).toHaveLength(MAX_EXECUTIONS);
    expect(graph.left).toBe(1000 - MAX_EXECUTIONS);
  });
});

test("from an execution are shown what it read and made", () => {
  const graph = lineageGraph({ kind: "execution", id: "t-fit" }, new Map(), knownOf());

  expect(labels(graph, "artifact")).toEqual(["a-data", "a-model"]);
  expect(labels(graph, "execution")).toEqual(["t-fit"]);
  expect(graph.nodes.filter((node) => node.kind === "artifact").every((node) => node.hasMore && !node.isOpen)).toBe(true);
});
