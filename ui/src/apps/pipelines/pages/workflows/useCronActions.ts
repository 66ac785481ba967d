import { useNavigate } from "@tanstack/react-router";
import { actOnCronWorkflow, submitCronWorkflow } from "../../api/argo";
import { deleteObject } from "../../../../api/k8s";
import { rightTo, useRights } from "../../../../api/rights";
import { KINDS, type CronWorkflow } from "../../../../kinds/generated";
import { cronState } from "../../kinds/workflows/cronWorkflows";
import { WORKFLOWS } from "../../kinds/pipelines";
import { WORKFLOW_PATHS } from "../../kinds/workflows/workflows";
import type { Action } from "../../../../parts/overlay/ActionMenu";
import { useToast } from "../../../../parts/overlay/toasts";
import { useAction, useUndoableDelete } from "../../../../parts/overlay/useAction";
import { useWords } from "../../../../words";

const CRONS = KINDS.CronWorkflow;

/** What one can do with a schedule; the first is what one does most. */
export function useCronActions(cron: CronWorkflow, onDelete?: () => void): Action[] {
  const { workflows, common } = useWords();
  const own = workflows.cron;
  const { name, namespace = "", uid } = cron.metadata;
  const key = { namespace, name };
  const about = { kind: CRONS.kind, ...key };
  const { run } = useAction(about);
  const toast = useToast();
  const remove = useUndoableDelete();
  const navigate = useNavigate();
  const missing = useRights(namespace);
  const state = cronState(cron);
  const verb = state === "suspended" ? "resume" : "suspend";
  const start = async () => {
    const made = await submitCronWorkflow(key);
    toast({ text: own.started(made.metadata.name) });
    await navigate({ to: WORKFLOW_PATHS.workflow({ namespace, name: made.metadata.name }) });
  };
  return [
    {
      id: verb,
      label: common[verb],
      icon: verb === "resume" ? "play" : "pause",
      missing: missing(rightTo("patch", CRONS, namespace, name)),
      disabledReason: state === "stopped" ? own.stoppedText : undefined,
      onAction: () => void run(() => actOnCronWorkflow(key, verb), own[verb](name)),
    },
    { id: "start", label: own.startNow, icon: "play", missing: missing(rightTo("create", WORKFLOWS, namespace)), onAction: () => void run(start) },
    {
      id: "delete",
      label: common.delete,
      icon: "trash",
      danger: true,
      missing: missing(rightTo("delete", CRONS, namespace, name)),
      onAction: () => {
        remove({ name, id: uid, remove: () => deleteObject(CRONS, key), consequence: own.consequence, about });
        onDelete?.();
      },
    },
  ];
}
