import { Dialog, DialogTrigger, Heading, Popover } from "react-aria-components";
import { useWords } from "../../words";
import { Button } from "../button/Button";
import { CopyButton } from "../text/Copy";
import styles from "./CommandHint.module.css";

/** The same thing as a line of kubectl, `windlass` or Python, to copy. */
export function CommandHint({ lines }: { lines: string[] }) {
  const words = useWords();
  return (
    <DialogTrigger>
      <Button icon="terminal" iconOnly look="quiet" label={words.common.showCommand} />
      <Popover className={styles.popover ?? ""} placement="bottom end">
        <Dialog>
          <Heading slot="title" level={2}>
            {words.common.sameByCommand}
          </Heading>
          <CommandLines lines={lines} />
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}

export function CommandLines({ lines }: { lines: string[] }) {
  return lines.map((line) => (
    <div key={line} className={styles.line}>
      <pre tabIndex={0}>{line}</pre>
      <CopyButton text={line} />
    </div>
  ));
}
