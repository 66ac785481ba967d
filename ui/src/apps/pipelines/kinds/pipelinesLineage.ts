/** Artifacts, the executions that made them and those that read them, hop by hop and across runs. Pure. */
import type { Artifact, ArtifactLink, Execution } from "./pipelines";
import { recordOf, type NodeState } from "./graph/pipelinesTasks";

export interface LineagePlace {
  kind: "artifact" | "execution";
  id: string;
}

export interface LineageNode extends LineagePlace {
  /** Unique in the graph: an artifact and an execution may have the same id. */
  key: string;
  label: string;
  /** The run of an execution, the type of an artifact. */
  second: string;
  state: NodeState;
  /** Whether its neighbours are shown. */
  isOpen: boolean;
  /** Whether there may be neighbours beyond those that are shown. */
  hasMore: boolean;
}

export interface LineageGraph {
  nodes: LineageNode[];
  edges: { from: string; to: string }[];
  /** Neighbours that were left out, as there are too many. */
  left: number;
}

export interface LineageKnown {
  /** Of the artifacts that are open. */
  links: ReadonlyMap<string, ArtifactLink[]>;
  executions: ReadonlyMap<string, Execution>;
  /** Artifacts that are known by other ways than executions. */
  artifacts: ReadonlyMap<string, Artifact>;
}

/** A graph with more is not read any more, and asks the server for each. */
export const MAX_EXECUTIONS = 60;
/** What the first look shows: an artifact, what made and read it, and what these read and made; or an execution with its artifacts. */
const isOpenAtFirst = ({ kind }: LineagePlace, depth: number): boolean => depth === 0 || (depth === 1 && kind === "execution");

export const keyOf = ({ kind, id }: LineagePlace): string => `${kind}/${id}`;

/** Links of outputs are `OUTPUT`, `ONE_OF_OUTPUT`, `ITERATOR_OUTPUT` and the like; `TASK_OUTPUT_INPUT` is an input. */
export const isProducer = (link: ArtifactLink): boolean => /OUTPUT$/.test(link.type ?? "");

/** The executions of some links, each once. */
export const executionIds = (links: Iterable<ArtifactLink[]>): string[] => [...new Set([...links].flat().flatMap((link) => (link.task_id === undefined ? [] : [link.task_id])))];

/** Sub-pipelines and loops pass on what the tasks in them have made. */
const isGroup = (execution: Execution): boolean => (execution.child_tasks ?? []).length > 0;

interface Neighbour {
  place: LineagePlace;
  /** Whether it comes before. */
  isBefore: boolean;
}

/** What is reached from `focus` by open nodes. `changed` has those that someone opened or folded. */
export function lineageGraph(focus: LineagePlace, changed: ReadonlyMap<string, boolean>, known: LineageKnown): LineageGraph {
  const artifacts = new Map([...artifactsIn(known.executions), ...known.artifacts]);
  const nodes = new Map<string, LineageNode>();
  const edges = new Map<string, { from: string; to: string }>();
  const queue = [{ place: focus, depth: 0 }];
  let executions = 0;
  let left = 0;
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { place, depth } = next;
    const key = keyOf(place);
    if (nodes.has(key)) continue;
    const isOpen = changed.get(key) ?? isOpenAtFirst(place, depth);
    const neighbours = neighboursOf(place, known);
    nodes.set(key, nodeOf(place, isOpen, neighbours, known, artifacts));
    executions += place.kind === "execution" ? 1 : 0;
    for (const neighbour of isOpen ? (neighbours ?? []) : []) {
      const other = keyOf(neighbour.place);
      const isNew = !nodes.has(other) && !queue.some((one) => keyOf(one.place) === other);
      if (isNew && neighbour.place.kind === "execution" && executions + queue.filter((one) => one.place.kind === "execution").length >= MAX_EXECUTIONS) {
        left += 1;
        continue;
      }
      const edge = neighbour.isBefore ? { from: other, to: key } : { from: key, to: other };
      edges.set(`${edge.from}>${edge.to}`, edge);
      if (isNew) queue.push({ place: neighbour.place, depth: depth + 1 });
    }
  }
  return { nodes: [...nodes.values()].map((node) => ({ ...node, hasMore: node.hasMore && isBeyond(node, nodes, known) })), edges: [...edges.values()], left };
}

/** Undefined where they are not known yet. */
function neighboursOf({ kind, id }: LineagePlace, { links, executions }: LineageKnown): Neighbour[] | undefined {
  if (kind === "artifact") {
    return links.get(id)?.flatMap((link) => {
      const execution = executions.get(link.task_id ?? "");
      return execution === undefined || isGroup(execution) ? [] : [{ place: { kind: "execution" as const, id: execution.task_id }, isBefore: isProducer(link) }];
    });
  }
  const execution = executions.get(id);
  if (execution === undefined) return undefined;
  const of = (side: "inputs" | "outputs", isBefore: boolean): Neighbour[] =>
    (execution[side]?.artifacts ?? []).flatMap((one) => one.artifacts ?? []).map((artifact) => ({ place: { kind: "artifact", id: artifact.artifact_id }, isBefore }));
  return [...of("inputs", true), ...of("outputs", false)];
}

function nodeOf(place: LineagePlace, isOpen: boolean, neighbours: Neighbour[] | undefined, known: LineageKnown, artifacts: ReadonlyMap<string, Artifact>): LineageNode {
  const common = { ...place, key: keyOf(place), isOpen, hasMore: neighbours === undefined || neighbours.length > 0 };
  if (place.kind === "artifact") {
    const artifact = artifacts.get(place.id);
    return { ...common, label: artifact?.name || place.id, second: (artifact?.type ?? "").replace(/^system\./, ""), state: "none" };
  }
  const execution = known.executions.get(place.id);
  const record = execution && recordOf(execution);
  return { ...common, label: record?.label || place.id, second: execution?.run_name ?? "", state: record?.state ?? "none" };
}

/** A node of which all neighbours are shown by others has nothing to open, nor to fold. */
function isBeyond(node: LineageNode, nodes: ReadonlyMap<string, LineageNode>, known: LineageKnown): boolean {
  if (node.isOpen) return true;
  const neighbours = neighboursOf(node, known);
  return neighbours === undefined || neighbours.some((one) => !nodes.has(keyOf(one.place)));
}

function artifactsIn(executions: ReadonlyMap<string, Execution>): Map<string, Artifact> {
  const all = [...executions.values()].flatMap((execution) => [...(execution.inputs?.artifacts ?? []), ...(execution.outputs?.artifacts ?? [])]);
  return new Map(all.flatMap((one) => one.artifacts ?? []).map((artifact) => [artifact.artifact_id, artifact]));
}
