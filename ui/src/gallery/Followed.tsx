import type { ReactNode } from "react";
import { LiveContext } from "../api/hooks";
import { LOADING, LiveConnection, type Snapshot } from "../api/live";
import { live } from "./live";

/** A connection that has received everything already, and receives nothing more. */
class Recorded extends LiveConnection {
  private readonly snapshots: Record<string, Snapshot<unknown>>;

  constructor(values: Record<string, unknown>) {
    super(
      () => "",
      () => undefined,
    );
    this.snapshots = Object.fromEntries(Object.entries(values).map(([topic, value]) => [topic, live(value)]));
  }

  override subscribe(): () => void {
    return () => undefined;
  }

  override snapshot(topic: string): Snapshot<unknown> {
    return this.snapshots[topic] ?? LOADING;
  }
}

/** A story whose views, by topic, have been received already. */
export function Followed({ values, children }: { values: Record<string, unknown>; children: ReactNode }) {
  return <LiveContext value={new Recorded(values)}>{children}</LiveContext>;
}
