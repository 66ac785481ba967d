import { useObject } from "../../../api/hooks";
import type { ObjectKey } from "../../../api/k8s";
import type { Notebook } from "../../../kinds/generated";
import { NOTEBOOKS, keptClaims, notebookCommands, serverSpecOf } from "../kinds/notebooks";
import { Button } from "../../../parts/button/Button";
import { CommandLines } from "../../../parts/command/CommandHint";
import { DialogBox } from "../../../parts/overlay/DialogBox";
import { useWords } from "../../../words";

interface StopDialogProps {
  notebook: ObjectKey;
  isOpen: boolean;
  onClose: () => void;
  onStop: () => void;
}

/** Asks before a server is stopped, and says what stays. */
export function StopDialog({ notebook, isOpen, onClose, onStop }: StopDialogProps) {
  const words = useWords();
  const found = useObject<Notebook>(isOpen ? NOTEBOOKS : undefined, notebook.namespace, notebook.name).data;
  const claims = found ? keptClaims(serverSpecOf(found)) : undefined;
  return (
    <DialogBox
      title={words.notebooks.stopTitle(notebook.name)}
      isOpen={isOpen}
      onClose={onClose}
      actions={
        <>
          <Button label={words.common.cancel} look="quiet" onPress={onClose} />
          <Button
            label={words.common.stop}
            look={claims?.length === 0 ? "danger" : "primary"}
            icon="stop"
            onPress={() => {
              onStop();
              onClose();
            }}
          />
        </>
      }
    >
      {claims !== undefined && <p>{claims.length > 0 ? words.notebooks.stopKeeps(claims.join(", ")) : words.notebooks.stopLoses}</p>}
      <CommandLines lines={[notebookCommands(notebook).stop]} />
    </DialogBox>
  );
}
