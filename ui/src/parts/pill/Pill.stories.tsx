import type { ReactNode } from "react";
import { Pill, type State } from "./Pill";

const STATES: State[] = ["running", "succeeded", "waiting", "failed", "stopped", "unknown"];

export const title = "Pill";
export const stories: Record<string, () => ReactNode> = {
  "every state": () => STATES.map((state) => <span key={state}><Pill state={state} /> </span>),
  "exact words": () => (
    <>
      <Pill state="waiting" label="Pulling image" /> <Pill state="failed" label="OOMKilled" /> <Pill state="stopped" label="Suspended" />
    </>
  ),
};
