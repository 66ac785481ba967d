import type { ObjectKey, Resource } from "../../api/k8s";
import type { PhaseStatus, Why } from "../../kinds/generated";
import { WhyBox } from "../../parts/feedback/WhyBox";
import { WhyCard } from "../../parts/feedback/WhyCard";
import type { State } from "../../parts/pill/Pill";
import { useWords } from "../../words";
import { useNewestWarning } from "./useNewestWarning";

interface TroubleProps {
  resource: Resource;
  row: ObjectKey & { status: PhaseStatus; why: Why | null };
  state: State;
}

/** Why it does not run, what helps, and the newest warning; or what a start waits for. */
export function Trouble({ resource, row, state }: TroubleProps) {
  const words = useWords().reasons;
  const isWell = state !== "failed" && state !== "waiting";
  const sentence = row.why?.sentence ?? row.status.message;
  const note = useNewestWarning(isWell ? undefined : { ...row, kind: resource.kind }, sentence);
  if (isWell && row.why === null) return null;
  if (row.why !== null) return <WhyBox state={state} why={row.why} note={note} />;
  return sentence === "" ? null : <WhyCard state={state} sentence={words.phase(row.status)} detail={note} />;
}
