import { actOnWorkflow } from "../../api/argo";
import { rightTo, useRights } from "../../../../api/rights";
import { WORKFLOWS } from "../../kinds/pipelines";
import type { WorkflowRow } from "../../kinds/workflows/workflows";
import { Button } from "../../../../parts/button/Button";
import { useAction } from "../../../../parts/overlay/useAction";
import { useWords } from "../../../../words";

/** Resumes a Workflow that was suspended, or that waits at a step for a person. */
export function ResumeButton({ row }: { row: WorkflowRow }) {
  const { workflows, common } = useWords();
  const { name, namespace } = row;
  const { run, busy } = useAction({ kind: WORKFLOWS.kind, namespace, name });
  const missing = useRights(namespace)(rightTo("patch", WORKFLOWS, namespace, name));
  return <Button icon="play" label={common.resume} busy={busy} missing={missing} onPress={() => void run(() => actOnWorkflow({ namespace, name }, "resume"), workflows.said.resume(name))} />;
}
