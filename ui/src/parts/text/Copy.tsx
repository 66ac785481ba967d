import { useEffect, useState } from "react";
import { useWords } from "../../words";
import { Button } from "../button/Button";

/** Copies a text; says so for a moment. */
export function CopyButton({ text, label }: { text: string; label?: string }) {
  const words = useWords();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1_500);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <Button
      iconOnly
      small
      look="quiet"
      icon={copied ? "check" : "copy"}
      label={copied ? words.common.copied : (label ?? words.common.copy)}
      onPress={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
    />
  );
}
