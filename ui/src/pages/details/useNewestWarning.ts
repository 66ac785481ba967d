import { useObjects } from "../../api/hooks";
import { eventSelector, type About } from "../../api/warnings";
import { EVENTS, newestWarning, type CoreEvent } from "../../kinds/events";
import { useWords } from "../../words";

/** The newest warning about an object, as a note; undefined where there is none, or where `said` has it already. */
export function useNewestWarning(about: About | undefined, said: string): string | undefined {
  const words = useWords().common;
  const events = useObjects<CoreEvent>(about && EVENTS, about && { namespace: about.namespace, fieldSelector: eventSelector(about) });
  const warning = newestWarning(events.data ?? []);
  return warning === undefined || said.includes(warning) ? undefined : `${words.lastWarning}: ${warning}`;
}
