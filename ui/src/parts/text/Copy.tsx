import { useEffect, useState } from "react";
import { Button as AriaButton } from "react-aria-components";
import { useWords } from "../../words";
import { Button } from "../button/Button";
import { Icon } from "../Icon";
import styles from "./Copy.module.css";
import { Name } from "./Name";

/** Copies a text; `copied` for a moment after. */
function useCopy(text: string): { copied: boolean; copy: () => void } {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1_500);
    return () => clearTimeout(timer);
  }, [copied]);
  return { copied, copy: () => void navigator.clipboard.writeText(text).then(() => setCopied(true)) };
}

/** A name that leads nowhere: a press copies it. */
export function CopiedName({ text }: { text: string }) {
  const { common } = useWords();
  const { copied, copy } = useCopy(text);
  return (
    <AriaButton className={styles.name ?? ""} aria-label={`${copied ? common.copied : common.copy}: ${text}`} onPress={copy}>
      <Name text={text} />
      {copied && <Icon name="check" size={12} />}
    </AriaButton>
  );
}

/** Copies a text; says so for a moment. */
export function CopyButton({ text, label }: { text: string; label?: string }) {
  const words = useWords();
  const { copied, copy } = useCopy(text);
  return (
    <Button
      iconOnly
      small
      look="quiet"
      icon={copied ? "check" : "copy"}
      label={copied ? words.common.copied : (label ?? words.common.copy)}
      onPress={copy}
    />
  );
}
