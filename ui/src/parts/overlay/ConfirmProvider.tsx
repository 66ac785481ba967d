import { useCallback, useState, type ReactNode } from "react";
import { useWords } from "../../words";
import { Button } from "../button/Button";
import { CommandLines } from "../command/CommandHint";
import { ConfirmContext, type Question } from "./confirm";
import { DialogBox } from "./DialogBox";

interface Asked extends Question {
  answer: (goAhead: boolean) => void;
}

/** Shows the questions of `useConfirm`, one at a time; a list may redraw the row that asks meanwhile. */
export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [asked, setAsked] = useState<Asked>();
  const ask = useCallback((question: Question) => new Promise<boolean>((answer) => setAsked({ ...question, answer })), []);
  const settle = (goAhead: boolean) => {
    asked?.answer(goAhead);
    setAsked(undefined);
  };
  return (
    <ConfirmContext value={ask}>
      {children}
      {asked && <ConfirmDialog question={asked} onAnswer={settle} />}
    </ConfirmContext>
  );
}

function ConfirmDialog({ question, onAnswer }: { question: Question; onAnswer: (goAhead: boolean) => void }) {
  const words = useWords().common;
  return (
    <DialogBox
      title={question.title}
      isOpen
      onClose={() => onAnswer(false)}
      actions={
        <>
          <Button label={words.cancel} look="quiet" onPress={() => onAnswer(false)} />
          <Button label={question.action} look="danger" onPress={() => onAnswer(true)} />
        </>
      }
    >
      <p>{question.text}</p>
      {question.command !== undefined && <CommandLines lines={[question.command]} />}
    </DialogBox>
  );
}
