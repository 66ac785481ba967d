import { useObjects } from "../../api/hooks";
import type { ObjectKey, Resource } from "../../api/k8s";
import { EVENTS, newestWarning, type CoreEvent } from "../../kinds/events";
import type { PhaseStatus, Why } from "../../kinds/generated";
import { WhyBox } from "../../parts/feedback/WhyBox";
import { WhyCard } from "../../parts/feedback/WhyCard";
import type { State } from "../../parts/pill/Pill";
import { useWords } from "../../words";

interface TroubleProps {
  resource: Resource;
  row: ObjectKey & { status: PhaseStatus; why: Why | null };
  state: State;
}

/** Why it does not run, what helps, and the newest warning; or what a start waits for. */
export function Trouble({ resource, row, state }: TroubleProps) {
  const words = useWords().common;
  const isWell = state !== "failed" && state !== "waiting";
  const events = useObjects<CoreEvent>(isWell ? undefined : EVENTS, {
    namespace: row.namespace,
    fieldSelector: `involvedObject.kind=${resource.kind},involvedObject.name=${row.name}`,
  });
  if (isWell && row.why === null) return null;
  const sentence = row.why?.sentence ?? row.status.message;
  const warning = newestWarning(events.data ?? []);
  const note = warning === undefined || sentence.includes(warning) ? undefined : `${words.lastWarning}: ${warning}`;
  if (row.why !== null) return <WhyBox state={state} why={row.why} note={note} />;
  return sentence === "" ? null : <WhyCard state={state} sentence={sentence} detail={note} />;
}
