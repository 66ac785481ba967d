import { useState, type DragEvent } from "react";
import { FileTrigger } from "react-aria-components";
import { Button } from "../../../../parts/button/Button";
import { useWords } from "../../../../words";
import styles from "../Pipelines.module.css";

/** A file that is chosen, or dropped here. */
export function FileDrop({ file, onFile }: { file: File | undefined; onFile: (file: File) => void }) {
  const words = useWords().pipelines.uploading;
  const [isOver, setOver] = useState(false);
  const over = (event: DragEvent, isInside: boolean) => {
    event.preventDefault();
    setOver(isInside);
  };
  return (
    <div
      className={styles.drop}
      data-over={isOver}
      onDragOver={(event) => over(event, true)}
      onDragLeave={(event) => over(event, false)}
      onDrop={(event) => {
        over(event, false);
        const dropped = event.dataTransfer.files[0];
        if (dropped !== undefined) onFile(dropped);
      }}
    >
      <FileTrigger acceptedFileTypes={[".yaml", ".yml", ".json", ".zip", ".gz", ".tgz"]} onSelect={(files) => files?.[0] && onFile(files[0])}>
        <Button icon="file" label={file?.name ?? words.choose} />
      </FileTrigger>
      <span>{words.drop}</span>
    </div>
  );
}
