import type { ReactNode } from "react";
import { CommandLines } from "../command/CommandHint";
import { Icon, type IconName } from "../Icon";
import styles from "./feedback.module.css";

interface EmptyStateProps {
  icon: IconName;
  sentence: string;
  action?: ReactNode;
  /** The command that does the same as the action. */
  command?: string;
}

/** One sentence, one thing to do, and the command that does the same. */
export function EmptyState({ icon, sentence, action, command }: EmptyStateProps) {
  return (
    <div className={styles.empty}>
      <Icon name={icon} size={32} />
      <p>{sentence}</p>
      {action}
      {command !== undefined && (
        <div className={styles.emptyCommand}>
          <CommandLines lines={[command]} />
        </div>
      )}
    </div>
  );
}
