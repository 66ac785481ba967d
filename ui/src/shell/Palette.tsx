import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Autocomplete, Dialog, Header, Input, Menu, MenuItem, MenuSection, Modal, ModalOverlay, SearchField, useFilter } from "react-aria-components";
import { useNamespace } from "../api/namespace";
import { Icon } from "../parts/Icon";
import overlay from "../parts/overlay/overlay.module.css";
import { useWords } from "../words";
import { ObjectActions } from "./PaletteActions";
import { actorsOf, hasWords } from "./paletteActors";
import type { Entry } from "./paletteEntries";
import { usePaletteEntries } from "./usePaletteEntries";
import styles from "./Palette.module.css";

interface PaletteProps {
  isOpen: boolean;
  onClose: () => void;
  initialQuery?: string;
}

/** Ctrl-K: everything by its name. */
export function Palette({ isOpen, onClose, initialQuery = "" }: PaletteProps) {
  return (
    <ModalOverlay className={overlay.backdrop ?? ""} isOpen={isOpen} onOpenChange={(open) => !open && onClose()} isDismissable>
      <Modal className={styles.modal ?? ""}>
        <PaletteContent onClose={onClose} initialQuery={initialQuery} />
      </Modal>
    </ModalOverlay>
  );
}

/** Goes to what an entry stands for. */
function useOpen(): (entry: Entry) => void {
  const navigate = useNavigate();
  const { choose } = useNamespace();
  return ({ to, outside, namespace }) => {
    if (to !== undefined) void navigate({ to });
    else if (namespace !== undefined) choose(namespace);
    else if (outside?.external) window.open(outside.href, "_blank", "noopener");
    else if (outside !== undefined) window.location.assign(outside.href);
  };
}

function PaletteContent({ onClose, initialQuery }: { onClose: () => void; initialQuery: string }) {
  const { shell: words } = useWords();
  const open = useOpen();
  const { contains } = useFilter({ sensitivity: "base" });
  const [query, setQuery] = useState(initialQuery);
  const { objects, groups } = usePaletteEntries();
  const entries = groups.flatMap(([, all]) => all);
  const choose = (id: string) => {
    const entry = entries.find((one) => one.id === id);
    if (entry === undefined) return;
    onClose();
    open(entry);
  };
  return (
    <Dialog className={styles.dialog ?? ""} aria-label={words.search}>
      <Autocomplete filter={(text, typed) => hasWords(contains, text, typed)} inputValue={query} onInputChange={setQuery}>
        <SearchField className={styles.field ?? ""} aria-label={words.searchHint} autoFocus>
          <Icon name="search" />
          <Input placeholder={words.searchHint} />
        </SearchField>
        <div className={styles.menu} tabIndex={0} role="group" aria-label={words.search}>
          <Menu
            aria-label={words.search}
            disabledKeys={entries.filter((entry) => entry.missing !== undefined).map((entry) => entry.id)}
            onAction={(id) => choose(String(id))}
            renderEmptyState={() => <div className={styles.empty}>{words.searchEmpty}</div>}
          >
            {groups.map(([heading, of]) => (
              <EntrySection key={heading} heading={heading} entries={of} />
            ))}
            {actorsOf(objects, query).map((actor) => (
              <ObjectActions key={actor.id} actor={actor} onChosen={onClose} />
            ))}
          </Menu>
        </div>
      </Autocomplete>
    </Dialog>
  );
}

function EntrySection({ heading, entries }: { heading: string; entries: Entry[] }) {
  const { common } = useWords();
  return (
    <MenuSection>
      <Header className={styles.header ?? ""}>{heading}</Header>
      {entries.map((entry) => (
        <MenuItem key={entry.id} id={entry.id} textValue={`${entry.label} ${entry.detail}`} className={overlay.item ?? ""}>
          <Icon name={entry.icon} />
          <span className={overlay.itemText}>
            {entry.label}
            {entry.missing !== undefined && <span className={overlay.itemWhy}>{common.forbidden(entry.missing)}</span>}
          </span>
          <span className={overlay.itemWhy}>{entry.detail}</span>
        </MenuItem>
      ))}
    </MenuSection>
  );
}
