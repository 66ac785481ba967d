/**
 * The few fields of a training job that everybody fills in, read from a manifest and written to it, whichever the kind.
 *
 * The text is what counts: a field is written into the parsed document, so that comments and everything else in it stay.
 */
import { isMap, isSeq, type Document } from "yaml";
import { joinCommand, splitCommand } from "../../../kinds/commandWords";
import { setField, textAt, type Path } from "../../../kinds/manifest";

export interface RoleFields {
  name: string;
  replicas: number;
  cpu: string;
  memory: string;
  gpu: number;
}

export interface JobFields {
  name: string;
  image: string;
  command: string;
  roles: RoleFields[];
  /** Undefined where the kind has no such field. */
  queue: string | undefined;
  minAvailable: number | undefined;
}

/** Where a role is in the manifest. */
export interface RolePlace {
  name: string;
  replicas: Path;
  container: Path;
  resources: Path;
}

const GPU = "nvidia.com/gpu";
const REPLICA_SPECS = /ReplicaSpecs$/;

/** The roles of a manifest: the keys of `…ReplicaSpecs`, the tasks of a Volcano Job, or the trainer of a TrainJob. */
export function rolesOf(document: Document): RolePlace[] {
  const spec = document.get("spec");
  if (!isMap(spec)) return [];
  if (document.get("kind") === "TrainJob") {
    const trainer: Path = ["spec", "trainer"];
    return [{ name: "node", replicas: [...trainer, "numNodes"], container: trainer, resources: [...trainer, "resourcesPerNode"] }];
  }
  const tasks = spec.get("tasks");
  if (isSeq(tasks)) {
    return tasks.items.map((_, index) => placeAt(textAt(document, ["spec", "tasks", index, "name"]) || `task-${index}`, ["spec", "tasks", index]));
  }
  const field = spec.items.map((pair) => String(pair.key)).find((key) => REPLICA_SPECS.test(key));
  const replicas = field === undefined ? undefined : spec.get(field);
  if (field === undefined || !isMap(replicas)) return [];
  return replicas.items.map((pair) => placeAt(String(pair.key), ["spec", field, String(pair.key)]));
}

function placeAt(name: string, path: Path): RolePlace {
  const container: Path = [...path, "template", "spec", "containers", 0];
  return { name, replicas: [...path, "replicas"], container, resources: [...container, "resources"] };
}

/** Where the queue and the size of the gang are written. */
export function schedulingOf(document: Document): { queue: Path; minAvailable: Path } | undefined {
  const kind = document.get("kind");
  if (kind === "TrainJob") return undefined;
  if (kind === "Job") return { queue: ["spec", "queue"], minAvailable: ["spec", "minAvailable"] };
  const policy: Path = ["spec", "runPolicy", "schedulingPolicy"];
  return { queue: [...policy, "queue"], minAvailable: [...policy, "minAvailable"] };
}

export const GANG_SCHEDULER = "volcano";
const MIN_MEMBER = "scheduling.volcano.sh/group-min-member";

/**
 * Says beside the job how many of its pods must start together, where they name a scheduler of gangs: all of them, or as
 * many as `minAvailable` says. It holds whether or not the training operator makes gangs by itself.
 */
export function keepGang(document: Document): void {
  const roles = rolesOf(document).filter((role) => document.hasIn([...templateOf(role), "spec", "schedulerName"]));
  if (roles.length === 0 || document.get("kind") === "Job") return;
  const names = roles.map((role) => textAt(document, [...templateOf(role), "spec", "schedulerName"]));
  const path: Path = ["metadata", "annotations", MIN_MEMBER];
  const { minAvailable } = fieldsOf(document);
  const all = rolesOf(document).reduce((sum, role) => sum + Number(textAt(document, role.replicas) || "1"), 0);
  setField(document, path, names.every((name) => name === GANG_SCHEDULER) ? String(minAvailable || all) : undefined);
}

/** The pod template of a role: its container is the first in there. */
const templateOf = (role: RolePlace): Path => role.container.slice(0, -3);

const amountAt = (document: Document, resources: Path, resource: string): string =>
  textAt(document, [...resources, "limits", resource]) || textAt(document, [...resources, "requests", resource]);

export function fieldsOf(document: Document): JobFields {
  const roles = rolesOf(document);
  const first = roles[0];
  const scheduling = schedulingOf(document);
  return {
    name: textAt(document, ["metadata", "name"]),
    image: first === undefined ? "" : textAt(document, [...first.container, "image"]),
    command: first === undefined ? "" : joinCommand(wordsAt(document, [...first.container, "command"])),
    roles: roles.map((role) => ({
      name: role.name,
      replicas: Number(textAt(document, role.replicas) || "1"),
      cpu: amountAt(document, role.resources, "cpu"),
      memory: amountAt(document, role.resources, "memory"),
      gpu: Number(amountAt(document, role.resources, GPU) || "0"),
    })),
    queue: scheduling && textAt(document, scheduling.queue),
    minAvailable: scheduling && Number(textAt(document, scheduling.minAvailable) || "0"),
  };
}

function wordsAt(document: Document, path: Path): string[] {
  const value = document.getIn(path);
  return isSeq(value) ? value.toJSON().map(String) : [];
}

/** The image and the command go to all roles that had the same as the first: an MPI launcher runs something else than its workers. */
export function setForRoles(document: Document, field: "image" | "command", value: string): void {
  const roles = rolesOf(document);
  const read = (role: RolePlace) => JSON.stringify(document.getIn([...role.container, field], false) ?? null);
  const before = roles[0] === undefined ? "" : read(roles[0]);
  for (const role of roles.filter((one) => read(one) === before)) {
    setField(document, [...role.container, field], field === "image" ? value : value === "" ? undefined : splitCommand(value));
  }
}

/** As a limit, which is the request too where none is given; a request that is there follows. */
export function setResource(document: Document, role: RolePlace, resource: "cpu" | "memory" | "gpu", value: string): void {
  const name = resource === "gpu" ? GPU : resource;
  const amount = resource === "gpu" ? (value === "0" || value === "" ? undefined : Number(value)) : value;
  setField(document, [...role.resources, "limits", name], amount);
  if (document.hasIn([...role.resources, "requests", name])) setField(document, [...role.resources, "requests", name], amount);
}
