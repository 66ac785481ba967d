import type { ReactNode } from "react";
import { StepTimeline, type Step } from "./StepTimeline";

export const title = "Step timeline";

const ago = (seconds: number): string => new Date(Date.now() - seconds * 1000).toISOString();
const ahead = (name: Step["name"]): Step => ({ name, state: "ahead", at: null, seconds: null });

export const stories: Record<string, () => ReactNode> = {
  running: () => (
    <StepTimeline
      steps={[
        { name: "created", state: "done", at: ago(900), seconds: 1 },
        { name: "admitted", state: "done", at: ago(899), seconds: 240 },
        { name: "scheduled", state: "done", at: ago(659), seconds: 3 },
        { name: "running", state: "current", at: ago(656), seconds: 656 },
        ahead("ended"),
      ]}
    />
  ),
  waiting: () => (
    <StepTimeline steps={[{ name: "created", state: "current", at: ago(90), seconds: 90 }, ahead("admitted"), ahead("scheduled"), ahead("running"), ahead("ended")]} />
  ),
  ended: () => (
    <StepTimeline
      steps={[
        { name: "created", state: "done", at: ago(9000), seconds: 1 },
        { name: "admitted", state: "done", at: null, seconds: null },
        { name: "scheduled", state: "done", at: ago(8990), seconds: 3 },
        { name: "running", state: "done", at: ago(8987), seconds: 3600 },
        { name: "ended", state: "current", at: ago(5387), seconds: null },
      ]}
    />
  ),
};
