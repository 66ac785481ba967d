import { Link, useLocation } from "@tanstack/react-router";
import { useForeignEntries } from "../api/menu";
import { useNamespace } from "../api/namespace";
import { useSession } from "../api/session";
import { Icon } from "../parts/Icon";
import { useWords } from "../words";
import { Mark } from "./Mark";
import { MENU, isCurrent } from "./menu";
import styles from "./Shell.module.css";

/** The list of pages; icons alone on middling windows, a drawer on narrow ones. */
export function Rail({ isOpen, onChosen }: { isOpen: boolean; onChosen: () => void }) {
  const words = useWords();
  const { data: session } = useSession();
  const { forNew } = useNamespace();
  const foreign = useForeignEntries(forNew);
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
            .filter((entry) => !entry.admin || session?.isClusterAdmin)
            .map((entry) => (
              <Link
                key={entry.to}
                to={entry.to}
                className={styles.entry}
                title={entry.label(words.shell)}
                aria-current={isCurrent(entry.to, path) ? "page" : undefined}
                onClick={onChosen}
              >
                <Icon name={entry.icon} />
                <span className={styles.label}>{entry.label(words.shell)}</span>
              </Link>
            ))}
        </div>
      ))}
      {foreign.length > 0 && (
        <div className={styles.group}>
          {foreign.map((entry) => (
            <a
              key={entry.href}
              href={entry.href}
              className={styles.entry}
              title={entry.text}
              {...(entry.external ? { target: "_blank", rel: "noopener" } : {})}
            >
              <Icon name={entry.external ? "external" : "link"} />
              <span className={styles.label}>{entry.text}</span>
            </a>
          ))}
        </div>
      )}
      {session && <div className={styles.version}>{words.shell.version(session.version)}</div>}
    </nav>
  );
}
