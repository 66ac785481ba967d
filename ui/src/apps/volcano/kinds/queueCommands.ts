/** Changes and questions of queues as command lines that do the same. Pure. */
import { joinCommand } from "../../../kinds/commandWords";
import { mergeCommand } from "../../../kinds/commands";
import type { Change } from "../api/queues";

export const weightCommand = (queue: string, weight: number): string => mergeCommand("queue.scheduling.volcano.sh", { namespace: "", name: queue }, { spec: { weight } });

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
