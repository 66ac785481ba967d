import { Link, useLocation } from "@tanstack/react-router";
import { useForeignEntries } from "../api/menu";
import { useNamespace } from "../api/namespace";
import { seesCluster, useSession } from "../api/session";
import { Icon } from "../parts/Icon";
import { useWords } from "../words";
import { ForeignMenu, OutsideLink } from "./ForeignMenu";
import { Mark } from "./Mark";
import { MENU, OUTSIDE, isCurrent } from "./menu";
import styles from "./Shell.module.css";

/** The list of pages; icons alone on middling windows, a drawer on narrow ones. */
export function Rail({ isOpen, onChosen }: { isOpen: boolean; onChosen: () => void }) {
  const words = useWords();
  const { data: session } = useSession();
  const foreign = useForeignEntries(useNamespace());
  const path = useLocation({ select: (location) => location.pathname });
  return (
    <nav className={[styles.rail, isOpen && styles.open].filter(Boolean).join(" ")} aria-label={words.common.menu}>
      <Link to="/" className={styles.brand} onClick={onChosen}>
        <Mark />
        <span className={styles.label}>Windlass</span>
      </Link>
      {MENU.map((group, index) => (
        <div key={index} className={styles.group}>
          {group
            .filter((entry) => !entry.admin || seesCluster(session))
            .map((entry) => (
              <Link
                key={entry.to}
                to={entry.to}
                className={styles.entry}
                title={entry.label(words)}
                aria-current={isCurrent(entry.to, path) ? "page" : undefined}
                onClick={onChosen}
              >
                <Icon name={entry.icon} />
                <span className={styles.label}>{entry.label(words)}</span>
              </Link>
            ))}
        </div>
      ))}
      <div className={styles.group}>
        <ForeignMenu entries={foreign} />
        {OUTSIDE.map((entry) => (
          <OutsideLink key={entry.to} href={entry.to} text={entry.label(words)} external icon={entry.icon} />
        ))}
      </div>
      {session && <div className={styles.version}>{words.shell.version(session.version)}</div>}
    </nav>
  );
}
