import { useState, type ReactNode } from "react";
import { Pressed } from "../../gallery/Pressed";
import { Button } from "../button/Button";
import { TextInput } from "../field/TextInput";
import { ActionMenu, type Action } from "./ActionMenu";
import { ConfirmName } from "./ConfirmName";
import { useConfirm } from "./confirm";
import { ConfirmProvider } from "./ConfirmProvider";
import { DialogBox } from "./DialogBox";
import { useToast, type Toast } from "./toasts";

const nothing = () => undefined;

const ACTIONS: Action[] = [
  { id: "clone", label: "Clone", icon: "clone", onAction: nothing },
  { id: "suspend", label: "Suspend", icon: "pause", onAction: nothing, disabledReason: "The job has ended." },
  { id: "delete", label: "Delete", icon: "trash", onAction: nothing, danger: true },
  { id: "share", label: "Share", icon: "people", onAction: nothing, missing: "create rolebindings.rbac.authorization.k8s.io" },
];

function Dialog({ wide }: { wide?: boolean }) {
  const [open, setOpen] = useState(true);
  return (
    <DialogBox
      title="New weight of research"
      isOpen={open}
      onClose={() => setOpen(false)}
      wide={wide ?? false}
      actions={
        <>
          <Button look="quiet" label="Cancel" onPress={() => setOpen(false)} />
          <Button look="primary" label="Save" />
        </>
      }
    >
      <p>A queue with twice the weight gets twice the share when both want more than there is.</p>
      <TextInput label="Weight" value="2" onChange={nothing} />
    </DialogBox>
  );
}

function ToastStory({ toast }: { toast: Toast }) {
  const showToast = useToast();
  return (
    <Pressed>
      <Button label="Show" onPress={() => showToast(toast)} />
    </Pressed>
  );
}

function Asked() {
  const ask = useConfirm();
  const question = { title: "Restart bert?", text: "The job has not ended. Its pods are killed at once, and it starts again from the beginning.", action: "Restart", command: "windlass job restart pytorchjob/bert -n ml --force" };
  return (
    <Pressed>
      <Button label="Restart" icon="restart" onPress={() => void ask(question)} />
    </Pressed>
  );
}

export const title = "Overlays";
export const stories: Record<string, () => ReactNode> = {
  "menu, closed": () => <ActionMenu actions={ACTIONS} />,
  "menu, open": () => (
    <Pressed>
      <ActionMenu actions={ACTIONS} />
    </Pressed>
  ),
  dialog: () => <Dialog />,
  "dialog, wide": () => <Dialog wide />,
  "confirm by name": () => (
    <ConfirmName
      title="Delete the volume datasets"
      name="datasets"
      consequence="Everything in the volume is lost. 2 notebooks use it."
      isOpen
      onClose={nothing}
      onConfirm={nothing}
    />
  ),
  question: () => (
    <ConfirmProvider>
      <Asked />
    </ConfirmProvider>
  ),
  "toast: undo": () => <ToastStory toast={{ text: "Deleting lab …", undo: nothing, durationMs: 60_000 }} />,
  "toast: failed": () => (
    <ToastStory toast={{ text: "admission webhook denied the request: the quota cpu of ml is used up", detail: "requested 4, used 8 of 8", failed: true, durationMs: 60_000 }} />
  ),
};
