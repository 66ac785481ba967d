import type { ReactNode } from "react";
import type { Live } from "../../api/hooks";
import { useSpeech, useWords } from "../../words";
import { Button } from "../button/Button";
import { Icon } from "../Icon";
import { Skeleton } from "./Skeleton";
import { WhyCard } from "./WhyCard";
import styles from "./feedback.module.css";

interface LoadedProps<T> {
  live: Live<T>;
  children: (data: T) => ReactNode;
  skeleton?: ReactNode;
}

/** What follows the server: a skeleton before the first answer; after a failure what the server said, with the old content dimmed. */
export function Loaded<T>({ live, children, skeleton }: LoadedProps<T>) {
  if (live.data === undefined) {
    return live.phase === "error" ? <Problem live={live} /> : (skeleton ?? <Skeleton />);
  }
  return (
    <>
      {live.phase === "error" && <Problem live={live} />}
      {live.phase === "stale" && live.since !== undefined && <StaleNote since={live.since} />}
      <div className={live.phase === "live" ? undefined : styles.dimmed}>{children(live.data)}</div>
    </>
  );
}

/** A missing right is no failure of the server: it is said as such, quietly. */
function Problem<T>({ live }: { live: Live<T> }) {
  const words = useWords();
  const message = live.problem?.message ?? "";
  if (live.problem?.status !== 403) return <Failure message={message} onRetry={live.retry} />;
  return <WhyCard state="stopped" sentence={words.common.forbiddenTitle} detail={message} action={<Button label={words.common.retry} icon="restart" onPress={live.retry} />} />;
}

/** What the server said, and a way to ask again. */
export function Failure({ message, onRetry }: { message: string; onRetry?: () => void }) {
  const words = useWords();
  return (
    <WhyCard
      state="failed"
      sentence={words.common.failedTitle}
      detail={message}
      action={onRetry && <Button label={words.common.retry} icon="restart" onPress={onRetry} />}
    />
  );
}

function StaleNote({ since }: { since: number }) {
  const { words, language } = useSpeech();
  return (
    <p className={styles.stale} role="status">
      <Icon name="clock" size={14} />
      {words.common.staleSince(new Date(since).toLocaleTimeString(language))}
    </p>
  );
}
