import { useNavigate } from "@tanstack/react-router";
import { useQueryClient } from "@tanstack/react-query";
import { restartJob, resumeJob, suspendJob } from "../api/jobs";
import { deleteObject } from "../../../api/k8s";
import { rightTo, useRights } from "../../../api/rights";
import type { JobRow } from "../../../kinds/generated";
import { hasEnded, resourceOf, restartCommand } from "../kinds/jobs";
import type { Action } from "../../../parts/overlay/ActionMenu";
import { useConfirm } from "../../../parts/overlay/confirm";
import { useAction, useUndoableDelete } from "../../../parts/overlay/useAction";
import { useWords } from "../../../words";

/** What one can do with a job, in a row and on its page; what is forbidden says so. */
export function useJobActions(row: JobRow, onDelete?: () => void): Action[] {
  const { jobs, common } = useWords();
  const { run } = useAction(row);
  const confirm = useConfirm();
  const remove = useUndoableDelete();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const missing = useRights(row.namespace);
  const resource = resourceOf(row);
  if (resource === undefined) return [];
  const may = (verb: string) => missing(rightTo(verb, resource, row.namespace, row.name));
  const isSuspended = row.state === "Suspended";
  const ended = hasEnded(row);
  const restart = () => restartJob(row, !ended).then(() => queries.invalidateQueries({ queryKey: ["curves", row.kind, row.namespace, row.name] }));
  const askedToRestart = async () => {
    const question = { title: jobs.restartTitle(row.name), text: jobs.restartText, action: common.restart, command: restartCommand(row) };
    if (ended || (await confirm(question))) await run(restart, jobs.restarted(row.name));
  };
  const toggle: Action = isSuspended
    ? { id: "resume", label: common.resume, icon: "play", missing: may("patch"), onAction: () => void run(() => resumeJob(row), jobs.resumed(row.name)) }
    : {
        id: "suspend",
        label: common.suspend,
        icon: "pause",
        missing: may("patch"),
        disabledReason: ended ? jobs.cannotSuspend : undefined,
        onAction: () => void run(() => suspendJob(row), jobs.suspended(row.name)),
      };
  return [
    toggle,
    { id: "restart", label: common.restart, icon: "restart", missing: may("delete") ?? may("create"), onAction: () => void askedToRestart() },
    {
      id: "clone",
      label: common.clone,
      icon: "clone",
      missing: may("create"),
      onAction: () => void navigate({ to: "/jobs/new", search: { from: `${row.kind}/${row.namespace}/${row.name}`, ns: row.namespace } }),
    },
    {
      id: "delete",
      label: common.delete,
      icon: "trash",
      danger: true,
      missing: may("delete"),
      onAction: () => {
        remove({ name: row.name, id: row.uid, remove: () => deleteObject(resource, row), about: row });
        onDelete?.();
      },
    },
  ];
}
