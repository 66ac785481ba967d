import { Header, MenuItem, MenuSection } from "react-aria-components";
import { Icon } from "../parts/Icon";
import type { Action } from "../parts/overlay/ActionMenu";
import overlay from "../parts/overlay/overlay.module.css";
import { useWords } from "../words";
import type { Actor } from "./paletteActors";
import styles from "./Palette.module.css";

interface ObjectActionsProps {
  actor: Actor;
  /** Before an action is carried out. */
  onChosen: () => void;
}

/** Actions on an object, with the rights and the questions of its page. */
export function ObjectActions({ actor: { id, label: name, detail, useActions }, onChosen }: ObjectActionsProps) {
  const actions = useActions();
  const words = useWords();
  const why = (action: Action) => (action.missing === undefined ? action.disabledReason : words.common.forbidden(action.missing));
  return (
    <MenuSection>
      <Header className={styles.header ?? ""}>{words.shell.actionsOn(name)}</Header>
      {actions.map((action) => (
        <MenuItem
          key={action.id}
          id={`${action.id} ${id}`}
          textValue={`${action.label} ${name} ${detail}`}
          isDisabled={why(action) !== undefined}
          className={[overlay.item, action.danger && overlay.danger].filter(Boolean).join(" ")}
          onAction={() => {
            onChosen();
            action.onAction();
          }}
        >
          <Icon name={action.icon} />
          <span className={overlay.itemText}>
            {action.label} {name}
          </span>
          <span className={overlay.itemWhy}>{why(action) ?? detail}</span>
        </MenuItem>
      ))}
    </MenuSection>
  );
}
