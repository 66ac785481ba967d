import { deleteTensorboard } from "../api/tensorboards";
import { rightTo, useRights } from "../../../api/rights";
import type { TensorboardRow } from "../../../kinds/generated";
import { TENSORBOARDS, boardState, boardWord } from "../kinds/tensorboards";
import { Button } from "../../../parts/button/Button";
import { ExternalButton } from "../../../parts/button/ButtonLink";
import { CommandHint } from "../../../parts/command/CommandHint";
import { useUndoableDelete } from "../../../parts/overlay/useAction";
import { Pill } from "../../../parts/pill/Pill";
import { useWords } from "../../../words";

export function BoardPill({ row }: { row: TensorboardRow }) {
  const words = useWords().tensorboards;
  return <Pill state={boardState(row)} label={words.words[boardWord(row)]} />;
}

interface BoardControlsProps {
  row: TensorboardRow;
  small?: boolean;
  onDeleted?: () => void;
}

/** Connect, and delete with an undo. */
export function BoardControls({ row, small = false, onDeleted }: BoardControlsProps) {
  const words = useWords();
  const undoableDelete = useUndoableDelete();
  const missing = useRights(row.namespace)(rightTo("delete", TENSORBOARDS, row.namespace, row.name));
  const remove = () => {
    undoableDelete({ name: row.name, id: row.uid, remove: () => deleteTensorboard(row), about: { ...row, kind: TENSORBOARDS.kind } });
    onDeleted?.();
  };
  return (
    <>
      {row.status.phase === "ready" ? (
        <ExternalButton href={row.link} label={words.common.connect} small={small} />
      ) : (
        <Button label={words.common.connect} icon="external" small={small} disabledReason={words.tensorboards.notReady} />
      )}
      {!small && <CommandHint lines={[`kubectl get tensorboard -n ${row.namespace} ${row.name} -o yaml`, `kubectl delete tensorboard -n ${row.namespace} ${row.name}`]} />}
      <Button iconOnly look="quiet" icon="trash" label={`${words.common.delete}: ${row.name}`} small={small} missing={missing} onPress={remove} />
    </>
  );
}
