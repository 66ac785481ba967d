import { useNavigate } from "@tanstack/react-router";
import { actOnWorkflow, resubmitWorkflow, type WorkflowVerb } from "../../api/argo";
import { deleteObject } from "../../../../api/k8s";
import { rightTo, useRights } from "../../../../api/rights";
import { WORKFLOWS } from "../../kinds/pipelines";
import { WORKFLOW_PATHS, hasFailed, isOver, workflowState, type WorkflowRow } from "../../kinds/workflows/workflows";
import type { Action } from "../../../../parts/overlay/ActionMenu";
import { useToast } from "../../../../parts/overlay/toasts";
import { useAction, useUndoableDelete } from "../../../../parts/overlay/useAction";
import { useWords } from "../../../../words";

/** What one can do with a Workflow, in a row and on its page; what is forbidden says so. */
export function useWorkflowActions(row: WorkflowRow, onDelete?: () => void): Action[] {
  const { workflows: words, common } = useWords();
  const { name, namespace, uid } = row;
  const key = { namespace, name };
  const about = { kind: WORKFLOWS.kind, ...key };
  const { run } = useAction(about);
  const toast = useToast();
  const remove = useUndoableDelete();
  const navigate = useNavigate();
  const missing = useRights(namespace);
  const mayChange = missing(rightTo("patch", WORKFLOWS, namespace, name));
  const state = workflowState(row);
  const ended = isOver(state) ? words.notActive : undefined;
  const act = (verb: WorkflowVerb) => () => void run(() => actOnWorkflow(key, verb), words.said[verb](name));
  const resubmit = async () => {
    const made = await resubmitWorkflow(key);
    toast({ text: words.said.resubmit(name, made.metadata.name) });
    await navigate({ to: WORKFLOW_PATHS.workflow({ namespace, name: made.metadata.name }) });
  };
  const verb = row.isSuspended ? "resume" : "suspend";
  return [
    { id: verb, label: common[verb], icon: verb === "resume" ? "play" : "pause", missing: mayChange, disabledReason: ended, onAction: act(verb) },
    { id: "stop", label: words.stop, icon: "stop", missing: mayChange, disabledReason: ended ?? (state === "stopping" ? words.isStopping : undefined), onAction: act("stop") },
    { id: "terminate", label: words.terminate, icon: "close", missing: mayChange, disabledReason: ended, onAction: act("terminate") },
    { id: "retry", label: words.retry, icon: "restart", missing: mayChange, disabledReason: hasFailed(state) ? undefined : words.notFailed, onAction: act("retry") },
    { id: "resubmit", label: words.resubmit, icon: "clone", missing: missing(rightTo("create", WORKFLOWS, namespace)), onAction: () => void run(resubmit) },
    {
      id: "delete",
      label: common.delete,
      icon: "trash",
      danger: true,
      missing: missing(rightTo("delete", WORKFLOWS, namespace, name)),
      onAction: () => {
        remove({ name, id: uid, remove: () => deleteObject(WORKFLOWS, key), consequence: words.consequence, about });
        onDelete?.();
      },
    },
  ];
}
