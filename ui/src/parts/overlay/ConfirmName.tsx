import { useState } from "react";
import { useWords } from "../../words";
import { Button } from "../button/Button";
import { TextInput } from "../field/TextInput";
import { DialogBox } from "./DialogBox";

interface ConfirmNameProps {
  title: string;
  name: string;
  consequence: string;
  isOpen: boolean;
  onClose: () => void;
  onConfirm: () => void;
}

/** For what holds data: the name has to be typed. */
export function ConfirmName({ title, name, consequence, isOpen, onClose, onConfirm }: ConfirmNameProps) {
  const words = useWords();
  const [typed, setTyped] = useState("");
  const close = () => {
    setTyped("");
    onClose();
  };
  return (
    <DialogBox
      title={title}
      isOpen={isOpen}
      onClose={close}
      actions={
        <>
          <Button label={words.common.cancel} look="quiet" onPress={close} />
          <Button
            label={words.common.delete}
            look="danger"
            disabledReason={typed === name ? undefined : words.common.typeToConfirm(name)}
            onPress={() => {
              onConfirm();
              close();
            }}
          />
        </>
      }
    >
      <p>{consequence}</p>
      <TextInput label={words.common.typeToConfirm(name)} value={typed} onChange={setTyped} autoFocus />
    </DialogBox>
  );
}
