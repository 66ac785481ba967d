/** The tree of a run's steps with their states: what the graph, the timeline and the grid draw. Pure. */
import type { Artifact } from "../pipelines";
import { NO_SIBLINGS, iterationsOf, looseIn, ownerOf, recordIn } from "./pipelinesSiblings";
import type { Step, StepKind, VolumeMount } from "./pipelinesSpec";
import { isFinal, type NodeState, type TaskRecord } from "./pipelinesTasks";

export type NodeKind = StepKind | "iteration";

export interface ArtifactMark {
  id: string;
  name: string;
  type: string;
  /** Known once the task has made it. */
  artifact: Artifact | undefined;
}

export interface GraphNode {
  /** The keys on the way to it: `root.for-loop-2.3.double`. */
  id: string;
  key: string;
  label: string;
  kind: NodeKind;
  state: NodeState;
  record: TaskRecord | undefined;
  /** Ids of siblings. */
  after: string[];
  condition: string | undefined;
  image: string | undefined;
  children: GraphNode[];
  artifacts: ArtifactMark[];
  /** Ids of artifact marks of siblings. */
  reads: string[];
  /** Iterations of a loop that have ended, of all. */
  progress: { done: number; total: number } | undefined;
  /** Of a resource template. */
  manifest?: string;
  mounts?: VolumeMount[];
}

interface Known {
  /** False for a pipeline without a run: nothing has a state. */
  isRun: boolean;
  hasEnded: boolean;
  byParent: Map<string, TaskRecord[]>;
  /** Whether tasks that are no step of the definition are drawn too: hooks of Workflows, and what a lost template ran. */
  hasLoose: boolean;
}

/** The definition alone. */
export const staticGraph = (steps: Step[]): GraphNode[] => nodesOf(steps, "root", undefined, { isRun: false, hasEnded: false, byParent: new Map(), hasLoose: false });

/** The definition with what has become of it in a run. */
export function runGraph(steps: Step[], records: TaskRecord[], hasEnded: boolean, hasLoose = false): GraphNode[] {
  const byParent = new Map<string, TaskRecord[]>();
  const ids = new Set(records.map((record) => record.id));
  for (const record of records) {
    const parent = ids.has(record.parent) ? record.parent : "";
    const siblings = byParent.get(parent);
    if (siblings === undefined) byParent.set(parent, [record]);
    else siblings.push(record);
  }
  return nodesOf(steps, "root", rootOf(records, byParent), { isRun: true, hasEnded, byParent, hasLoose });
}

/** The record of the whole run; undefined where tasks are listed without one. */
function rootOf(records: TaskRecord[], byParent: Map<string, TaskRecord[]>): TaskRecord | undefined {
  const root = records.find((record) => record.type === "ROOT");
  if (root !== undefined) return root;
  const tops = byParent.get("") ?? [];
  const only = tops.length === 1 ? tops[0] : undefined;
  return only !== undefined && byParent.has(only.id) ? only : undefined;
}

function nodesOf(steps: Step[], path: string, parent: TaskRecord | undefined, known: Known): GraphNode[] {
  const nodes = steps.map((step) => nodeOf(step, path, parent, known));
  return known.hasLoose ? [...nodes, ...looseNodes(steps, path, parent, known)] : nodes;
}

function nodeOf(step: Step, path: string, parent: TaskRecord | undefined, known: Known): GraphNode {
  const id = `${path}.${step.key}`;
  const siblings = known.byParent.get(parent?.id ?? "") ?? NO_SIBLINGS;
  const { record, inside } = recordIn(siblings, step, parent, known.byParent);
  const inner = step.expand !== undefined && inside !== undefined && known.byParent.has(inside.id) ? step.expand() : step.inner;
  const children = step.kind === "loop" ? loopChildren(step, id, record, siblings, known) : nodesOf(inner, id, inside, known);
  const iterations = children.filter((child) => child.kind === "iteration");
  return {
    id,
    key: step.key,
    label: isExit(step) ? step.label : record?.label || step.label,
    kind: step.kind,
    state: stateOf(record, children, known),
    record,
    after: step.after.map((key) => `${path}.${key}`),
    condition: step.condition,
    image: step.image,
    children,
    artifacts: marksOf(step, id, record),
    reads: step.reads.map((read) => `${path}.${read.step}/${read.output}`),
    progress:
      step.kind === "loop" && (iterations.length > 0 || record?.iterationCount !== undefined)
        ? { done: iterations.filter((child) => isFinal(child.state)).length, total: Math.max(record?.iterationCount ?? 0, iterations.length) }
        : undefined,
    ...(step.manifest === undefined ? {} : { manifest: step.manifest }),
    ...(step.mounts === undefined ? {} : { mounts: step.mounts }),
  };
}

function stateOf(record: TaskRecord | undefined, children: GraphNode[], known: Known): NodeState {
  if (record !== undefined) return record.state;
  if (!known.isRun) return "none";
  const inside = children.map((child) => child.state);
  for (const state of ["failed", "running"] as const) if (inside.includes(state)) return state;
  if (inside.length > 0 && inside.every((state) => state === "succeeded" || state === "cached")) return "succeeded";
  return known.hasEnded ? "skipped" : "pending";
}

/** The record of a Workflow's exit handler has the name of the Workflow, not of what it runs. */
const isExit = (step: Step): boolean => step.key === "onExit";

/** The iterations of a loop that has begun; before, its inside as it is defined. */
function loopChildren(step: Step, id: string, record: TaskRecord | undefined, siblings: TaskRecord[], known: Known): GraphNode[] {
  const groups = iterationsOf(step, record, siblings, known.byParent);
  if (groups.size === 0) return nodesOf(step.inner, id, record, { ...known, byParent: new Map() });
  return [...groups].sort(([a], [b]) => a - b).map(([index, { wrapper, inside, label }]) => {
    const own = `${id}.${index}`;
    const children = nodesOf(step.inner, own, inside, known);
    return {
      id: own,
      key: String(index),
      label,
      kind: "iteration",
      state: stateOf(wrapper, children, known),
      record: wrapper,
      after: [],
      condition: undefined,
      image: step.image,
      children,
      artifacts: [],
      reads: [],
      progress: undefined,
    };
  });
}

/** Tasks of the parent that are no step of its definition, each after the step whose hook it is. */
function looseNodes(steps: Step[], path: string, parent: TaskRecord | undefined, known: Known): GraphNode[] {
  return looseIn(known.byParent.get(parent?.id ?? "") ?? NO_SIBLINGS, steps, parent).map((record) => {
    const id = `${path}.${record.name}`;
    const owner = ownerOf(record, steps);
    const children = nodesOf([], id, record, known);
    return {
      id,
      key: record.name,
      label: record.label,
      kind: children.length > 0 ? "dag" : "task",
      state: record.state,
      record,
      after: owner === undefined ? [] : [`${path}.${owner}`],
      condition: undefined,
      image: undefined,
      children,
      artifacts: [],
      reads: [],
      progress: undefined,
    };
  });
}

function marksOf(step: Step, id: string, record: TaskRecord | undefined): ArtifactMark[] {
  const made = new Map((record?.outputs.artifacts ?? []).map((output) => [output.artifact_key ?? "", output.artifacts?.[0]]));
  return step.outputs.map(({ name, type }) => ({ id: `${id}/${name}`, name, type: made.get(name)?.type ?? type, artifact: made.get(name) }));
}

/** Every node, parents before their children. */
export const allNodes = (nodes: GraphNode[]): GraphNode[] => nodes.flatMap((node) => [node, ...allNodes(node.children)]);

export const findNode = (nodes: GraphNode[], id: string): GraphNode | undefined => {
  for (const node of nodes) {
    if (node.id === id) return node;
    const inside = id.startsWith(`${node.id}.`) ? findNode(node.children, id) : undefined;
    if (inside !== undefined) return inside;
  }
  return undefined;
};

/** The deepest failed step: where the reason is. */
export function failedNode(nodes: GraphNode[]): GraphNode | undefined {
  for (const node of nodes) {
    if (node.state !== "failed") continue;
    return failedNode(node.children) ?? node;
  }
  return undefined;
}

/** Whether a step has a reason for not running yet: its pod waits, or its next attempt. */
export function isWaiting(node: GraphNode): boolean {
  return (node.state === "pending" || node.state === "running") && node.children.length === 0 && (node.record?.message ?? "") !== "";
}

/** The first step that waits for a reason that is known. */
export function waitingNode(nodes: GraphNode[]): GraphNode | undefined {
  return allNodes(nodes).find(isWaiting);
}

/** The ids of the groups around a node, outermost first. */
export function ancestorsOf(nodes: GraphNode[], id: string): string[] {
  for (const node of nodes) {
    if (node.id === id) return [];
    if (id.startsWith(`${node.id}.`) && findNode(node.children, id) !== undefined) return [node.id, ...ancestorsOf(node.children, id)];
  }
  return [];
}

const OPEN_UP_TO = 40;

/** The groups that are unfolded at first: outer ones before inner ones, as long as the picture stays readable. */
export function initiallyOpen(nodes: GraphNode[]): Set<string> {
  const open = new Set<string>();
  let shown = nodes.length;
  let level = nodes;
  while (level.length > 0) {
    const next: GraphNode[] = [];
    for (const node of level) {
      const isIterated = node.children.some((child) => child.kind === "iteration");
      if (node.children.length === 0 || isIterated || node.kind === "iteration" || shown + node.children.length > OPEN_UP_TO) continue;
      open.add(node.id);
      shown += node.children.length;
      next.push(...node.children);
    }
    level = next;
  }
  return open;
}

const REDUCED_UP_TO = 400;

/** Edges between siblings without those that a longer way between the same two says already. */
export function reducedEdges(nodes: Pick<GraphNode, "id" | "after">[]): [from: string, to: string][] {
  const ids = new Set(nodes.map((node) => node.id));
  const before = new Map(nodes.map((node) => [node.id, node.after.filter((id) => ids.has(id))]));
  const edges = [...before].flatMap(([to, from]) => from.map((one): [string, string] => [one, to]));
  if (nodes.length > REDUCED_UP_TO) return edges;
  const reach = new Map<string, Set<string>>();
  const above = (id: string, path: Set<string>): Set<string> => {
    const known = reach.get(id);
    if (known !== undefined) return known;
    const all = new Set<string>();
    if (path.has(id)) return all;
    path.add(id);
    for (const one of before.get(id) ?? []) {
      all.add(one);
      for (const further of above(one, path)) all.add(further);
    }
    path.delete(id);
    reach.set(id, all);
    return all;
  };
  return edges.filter(([from, to]) => !(before.get(to) ?? []).some((other) => other !== from && above(other, new Set()).has(from)));
}
