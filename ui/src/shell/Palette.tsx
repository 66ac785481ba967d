import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import {
  Autocomplete,
  Dialog,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  Modal,
  ModalOverlay,
  SearchField,
  useFilter,
} from "react-aria-components";
import { useView } from "../api/hooks";
import { useNamespace } from "../api/namespace";
import { useSession } from "../api/session";
import type { JobsView, NotebooksView, TensorboardsView, VolumesView } from "../kinds/generated";
import { Icon } from "../parts/Icon";
import overlay from "../parts/overlay/overlay.module.css";
import { useWords } from "../words";
import { actionEntries, objectEntries, pageEntries, type Entry } from "./paletteEntries";
import styles from "./Palette.module.css";

/** Ctrl-K: everything by its name. */
export function Palette({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <ModalOverlay className={overlay.backdrop ?? ""} isOpen={isOpen} onOpenChange={(open) => !open && onClose()} isDismissable>
      <Modal className={styles.modal ?? ""}>
        <PaletteContent onClose={onClose} />
      </Modal>
    </ModalOverlay>
  );
}

function useEntries(): [heading: string, entries: Entry[]][] {
  const words = useWords();
  const { data: session } = useSession();
  const { chosen, forLists } = useNamespace();
  const params = chosen === "" ? undefined : { namespace: forLists };
  const jobs = useView<JobsView>("jobs", params).data;
  const notebooks = useView<NotebooksView>("notebooks", params).data;
  const tensorboards = useView<TensorboardsView>("tensorboards", params).data;
  const volumes = useView<VolumesView>("volumes", params).data;
  const isAdmin = session?.isClusterAdmin ?? false;
  return useMemo(
    () => [
      [words.shell.searchGroups.actions, actionEntries(words)],
      [words.shell.searchGroups.pages, pageEntries(words, isAdmin)],
      [words.shell.searchGroups.objects, objectEntries({ jobs, notebooks, tensorboards, volumes })],
    ],
    [words, isAdmin, jobs, notebooks, tensorboards, volumes],
  );
}

function PaletteContent({ onClose }: { onClose: () => void }) {
  const words = useWords().shell;
  const navigate = useNavigate();
  const { contains } = useFilter({ sensitivity: "base" });
  const groups = useEntries().filter(([, entries]) => entries.length > 0);
  const choose = (id: string) => {
    const entry = groups.flatMap(([, entries]) => entries).find((one) => one.id === id);
    onClose();
    if (entry !== undefined) void navigate({ to: entry.to });
  };
  return (
    <Dialog className={styles.dialog ?? ""} aria-label={words.search}>
      <Autocomplete filter={contains}>
        <SearchField className={styles.field ?? ""} aria-label={words.searchHint} autoFocus>
          <Icon name="search" />
          <Input placeholder={words.searchHint} />
        </SearchField>
        <div className={styles.menu} tabIndex={0} role="group" aria-label={words.search}>
          <Menu
            aria-label={words.search}
            onAction={(id) => choose(String(id))}
            renderEmptyState={() => <div className={styles.empty}>{words.searchEmpty}</div>}
          >
            {groups.map(([heading, entries]) => (
              <MenuSection key={heading}>
                <Header className={styles.header ?? ""}>{heading}</Header>
                {entries.map((entry) => (
                  <MenuItem key={entry.id} id={entry.id} textValue={`${entry.label} ${entry.detail}`} className={overlay.item ?? ""}>
                    <Icon name={entry.icon} />
                    <span className={overlay.itemText}>{entry.label}</span>
                    <span className={overlay.itemWhy}>{entry.detail}</span>
                  </MenuItem>
                ))}
              </MenuSection>
            ))}
          </Menu>
        </div>
      </Autocomplete>
    </Dialog>
  );
}
