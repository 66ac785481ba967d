import { Button } from "../parts/button/Button";
import { Icon } from "../parts/Icon";
import { useWords } from "../words";
import { NamespacePicker } from "./NamespacePicker";
import { PersonMenu } from "./PersonMenu";
import styles from "./Shell.module.css";

/** The namespace, the search and the person; on narrow windows also the way to the rail. */
export function TopBar({ onMenu, onSearch }: { onMenu: () => void; onSearch: () => void }) {
  const words = useWords().shell;
  return (
    <header className={styles.topbar}>
      <span className={styles.menuButton}>
        <Button icon="menu" iconOnly look="quiet" label={words.openMenu} onPress={onMenu} />
      </span>
      <NamespacePicker />
      <span className={styles.push} />
      <button type="button" className={styles.searchButton} aria-label={words.search} aria-keyshortcuts="Control+K" onClick={onSearch}>
        <Icon name="search" />
        <span>{words.search}</span>
        <kbd data-keys="Ctrl K" />
      </button>
      <PersonMenu />
    </header>
  );
}
