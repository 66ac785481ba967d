import { Link, useLocation } from "@tanstack/react-router";
import { useForeignEntries, type ForeignEntry } from "../api/menu";
import { useNamespace } from "../api/namespace";
import { useSession } from "../api/session";
import { Icon, type IconName } from "../parts/Icon";
import { useWords } from "../words";
import { Mark } from "./Mark";
import { MENU, OUTSIDE, isCurrent } from "./menu";
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
      <div className={styles.group}>
        {foreign.map((entry) => (
          <Outside key={entry.href} {...entry} icon={entry.external ? "external" : "link"} />
        ))}
        {OUTSIDE.map((entry) => (
          <Outside key={entry.to} href={entry.to} text={entry.label(words.shell)} external icon={entry.icon} />
        ))}
      </div>
      {session && <div className={styles.version}>{words.shell.version(session.version)}</div>}
    </nav>
  );
}

/** An entry of others: in a frame of the dashboard, or in a new tab. */
function Outside({ href, text, external, icon }: ForeignEntry & { icon: IconName }) {
  return (
    <a href={href} className={styles.entry} title={text} {...(external ? { target: "_blank", rel: "noopener" } : {})}>
      <Icon name={icon} />
      <span className={styles.label}>{text}</span>
    </a>
  );
}
