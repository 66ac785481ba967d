import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { KEYS, actOnRun, deleteRun } from "../../api/pipelines";
import { rightTo, useRights } from "../../../../api/rights";
import { PATHS, RIGHTS, isActive, nameOf, stateOf, type Run } from "../../kinds/pipelines";
import type { Action } from "../../../../parts/overlay/ActionMenu";
import { useConfirm } from "../../../../parts/overlay/confirm";
import { useAction, useUndoableDelete } from "../../../../parts/overlay/useAction";
import { useWords } from "../../../../words";

/** What one can do with a run, in a row and on its page; what is forbidden says so. */
export function useRunActions(run: Run, namespace: string, onDelete?: () => void): Action[] {
  const words = useWords();
  const own = words.pipelines.runs;
  const { run: act } = useAction();
  const confirm = useConfirm();
  const remove = useUndoableDelete();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const missing = useRights(namespace);
  const may = (verb: string) => missing(rightTo(verb, RIGHTS.runs, namespace));
  const name = nameOf(run);
  const again = () => queries.invalidateQueries({ queryKey: KEYS.runs });
  const verb = (one: "terminate" | "retry" | "archive" | "unarchive", done: string) => () => void act(() => actOnRun(run.run_id, one).then(again), done);
  const deleteLater = () => {
    remove({ name, id: run.run_id, remove: () => deleteRun(run.run_id).then(again) });
    onDelete?.();
  };
  // Files do not come back: this asks first, instead of offering to undo.
  const deleteAll = async () => {
    const goAhead = await confirm({ title: own.deleteArtifactsTitle(name), text: own.deleteArtifactsText, action: own.deleteWithArtifacts, command: deleteCommand(run) });
    if (goAhead && (await act(() => deleteRun(run.run_id, true).then(again), own.deletedWithArtifacts(name)))) onDelete?.();
  };
  const isArchived = run.storage_state === "ARCHIVED";
  return [
    {
      id: "terminate",
      label: own.terminate,
      icon: "stop",
      missing: may("terminate"),
      disabledReason: isActive(run) ? undefined : own.notActive,
      onAction: verb("terminate", own.terminated(name)),
    },
    {
      id: "retry",
      label: own.retry,
      icon: "restart",
      missing: may("retry"),
      disabledReason: stateOf(run) === "FAILED" ? undefined : own.notFailed,
      onAction: verb("retry", own.retried(name)),
    },
    {
      id: "clone",
      label: own.clone,
      icon: "clone",
      missing: may("create"),
      onAction: () => void navigate({ to: PATHS.newRun, search: { from: run.run_id } }),
    },
    isArchived
      ? { id: "unarchive", label: own.unarchive, icon: "archive", missing: may("unarchive"), onAction: verb("unarchive", own.restored(name)) }
      : { id: "archive", label: own.archive, icon: "archive", missing: may("archive"), onAction: verb("archive", own.archivedNow(name)) },
    {
      id: "delete",
      label: words.common.delete,
      icon: "trash",
      danger: true,
      missing: may("delete"),
      onAction: deleteLater,
    },
    {
      id: "delete-with-artifacts",
      label: own.deleteWithArtifacts,
      icon: "trash",
      danger: true,
      missing: may("delete"),
      onAction: () => void deleteAll(),
    },
  ];
}

const deleteCommand = (run: Run): string => `curl -X DELETE -H "Authorization: Bearer $TOKEN" "${location.origin}/pipeline/apis/v2beta1/runs/${run.run_id}?delete_artifacts=true"`;
