/** What the cluster last complained of about an object, for messages of actions that fail. */
import { EVENTS, newestWarning, type CoreEvent } from "../kinds/events";
import { SignedOut, messageOf } from "./errors";
import { listObjects } from "./k8s";

/** The object that something is done to. */
export interface About {
  kind: string;
  /** Empty for kinds that are in none: their events are in `default`. */
  namespace: string;
  name: string;
}

/** A message does not wait longer for its detail. */
const PATIENCE_MS = 1_500;

export const eventSelector = (about: Pick<About, "kind" | "name">): string => `involvedObject.kind=${about.kind},involvedObject.name=${about.name}`;

/** The newest warning about the object; undefined where there is none, where the error says the same, or where it cannot be read. */
export async function warningAbout(error: unknown, about: About | undefined): Promise<string | undefined> {
  if (about === undefined || error instanceof SignedOut) return undefined;
  const query = new URLSearchParams({ fieldSelector: eventSelector(about) }).toString();
  const events = listObjects<CoreEvent>(EVENTS, about.namespace === "" ? "default" : about.namespace, query).catch(() => []);
  const late = new Promise<CoreEvent[]>((resolve) => setTimeout(() => resolve([]), PATIENCE_MS));
  const warning = newestWarning(await Promise.race([events, late]));
  return warning === undefined || messageOf(error).includes(warning) ? undefined : warning;
}
