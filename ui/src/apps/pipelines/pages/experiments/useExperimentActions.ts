import { useQueryClient } from "@tanstack/react-query";
import { KEYS, actOnExperiment, deleteExperiment } from "../../api/pipelines";
import { rightTo, useRights } from "../../../../api/rights";
import { RIGHTS, nameOf, type Experiment } from "../../kinds/pipelines";
import type { Action } from "../../../../parts/overlay/ActionMenu";
import { useAction, useUndoableDelete } from "../../../../parts/overlay/useAction";
import { useWords } from "../../../../words";

/** What one can do with an experiment, in a row and on its page. */
export function useExperimentActions(experiment: Experiment, onDelete?: () => void): Action[] {
  const { pipelines, common } = useWords();
  const { run } = useAction();
  const remove = useUndoableDelete();
  const queries = useQueryClient();
  const namespace = experiment.namespace ?? "";
  const missing = useRights(namespace);
  const name = nameOf(experiment);
  const again = () => Promise.all([queries.invalidateQueries({ queryKey: KEYS.experiments }), queries.invalidateQueries({ queryKey: KEYS.runs })]);
  const isArchived = experiment.storage_state === "ARCHIVED";
  const verb = isArchived ? "unarchive" : "archive";
  return [
    {
      id: verb,
      label: isArchived ? pipelines.runs.unarchive : pipelines.runs.archive,
      icon: "archive",
      missing: missing(rightTo(verb, RIGHTS.experiments, namespace)),
      onAction: () => void run(() => actOnExperiment(experiment.experiment_id, verb).then(again), isArchived ? pipelines.runs.restored(name) : pipelines.runs.archivedNow(name)),
    },
    {
      id: "delete",
      label: common.delete,
      icon: "trash",
      danger: true,
      missing: missing(rightTo("delete", RIGHTS.experiments, namespace)),
      onAction: () => {
        remove({ name, id: experiment.experiment_id, remove: () => deleteExperiment(experiment.experiment_id).then(again) });
        onDelete?.();
      },
    },
  ];
}
