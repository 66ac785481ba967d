import type { ReactNode } from "react";
import { Pressed } from "../../gallery/Pressed";
import { CommandHint, CommandLines } from "./CommandHint";

const LINES = [
  "kubectl -n ml delete notebook lab",
  "windlass notebook delete lab --namespace ml --keep-workspace-volume --wait --timeout 120s",
  'TrainingClient().delete_job("bert", namespace="ml", job_kind="PyTorchJob")',
];

export const title = "CommandHint";
export const stories: Record<string, () => ReactNode> = {
  closed: () => <CommandHint lines={LINES} />,
  open: () => (
    <Pressed>
      <CommandHint lines={LINES} />
    </Pressed>
  ),
  lines: () => <CommandLines lines={LINES} />,
};
