import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { useLogs, type LogSource } from "../../../api/logs";
import type { JobView, ReplicaRow } from "../../../kinds/generated";
import { EmptyState } from "../../../parts/feedback/EmptyState";
import { LogView } from "../../../parts/logs/LogView";
import { parseAnchor } from "../../../parts/logs/lines";
import { useWords } from "../../../words";
import styles from "./Jobs.module.css";

/** So many replicas are shown before one has chosen any. */
const SHOWN_FIRST = 4;
const CHIPS = 64;

/** Logs of the chosen replicas; the choice is in the URL. */
export function JobLogs({ view, anchor }: { view: JobView; anchor: string }) {
  const words = useWords().jobs;
  const search: { replicas?: string; previous?: string } = useSearch({ strict: false });
  const navigate = useNavigate();
  const withPods = view.replicas.filter((replica) => replica.pod !== "");
  const linked = parseAnchor(anchor)?.source;
  const chosen = useMemo(() => chosenReplicas(withPods.map((replica) => replica.name), search.replicas, linked), [withPods, search.replicas, linked]);
  const previous = search.previous === "true";
  const streams = useLogs(withPods.filter((replica) => chosen.includes(replica.name)).map((replica) => sourceOf(replica, view.row.namespace)), previous);
  const set = (change: Record<string, string | undefined>) =>
    void navigate({ to: ".", search: (before: Record<string, unknown>) => ({ ...before, ...change }), replace: true });
  const toggle = (name: string) => {
    const next = chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name];
    if (next.length > 0) set({ replicas: next.join(",") });
  };
  if (withPods.length === 0) return <EmptyState icon="terminal" sentence={words.noPods} />;
  return (
    <div className={styles.logs}>
      {withPods.length > 1 && (
        <div className={styles.chips} role="group" aria-label={words.chooseReplicas}>
          {withPods.slice(0, CHIPS).map((replica) => (
            <button key={replica.name} type="button" aria-pressed={chosen.includes(replica.name)} onClick={() => toggle(replica.name)}>
              {replica.name}
            </button>
          ))}
        </div>
      )}
      <LogView
        key={chosen.length > 1 ? "several" : "one"}
        streams={streams}
        anchor={anchor}
        fileName={view.row.name}
        {...(withPods.some((replica) => replica.restarts > 0) ? { earlier: { isShown: previous, onChange: (shown) => set({ previous: shown ? "true" : undefined }) } } : {})}
      />
    </div>
  );
}

/** Those in the URL, with the one that a link to a line names; else the first few. */
export function chosenReplicas(names: string[], inUrl: string | undefined, linked: string | undefined): string[] {
  const wanted = [...(inUrl ?? "").split(","), linked ?? ""].filter((name) => names.includes(name));
  return wanted.length > 0 ? [...new Set(wanted)] : names.slice(0, SHOWN_FIRST);
}

const sourceOf = (replica: ReplicaRow, namespace: string): LogSource => ({
  id: replica.name,
  namespace,
  pod: replica.pod,
  container: replica.container,
  uid: `${replica.uid}/${replica.restarts}`,
});
