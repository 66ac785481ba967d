import { Menu, MenuItem, MenuTrigger, Popover } from "react-aria-components";
import { useWords } from "../../words";
import { Button } from "../button/Button";
import { Icon, type IconName } from "../Icon";
import styles from "./overlay.module.css";

/** Something that one can do with an object. */
export interface Action {
  id: string;
  label: string;
  icon: IconName;
  onAction: () => void;
  /** The right that is missing: the action is shown, disabled, with the reason. */
  missing?: string | undefined;
  disabledReason?: string | undefined;
  danger?: boolean;
}

/** The actions of a row or page behind one button. */
export function ActionMenu({ actions, label, small }: { actions: Action[]; label?: string; small?: boolean }) {
  const words = useWords();
  const why = (action: Action) => (action.missing === undefined ? action.disabledReason : words.common.forbidden(action.missing));
  return (
    <MenuTrigger>
      <Button icon="more" iconOnly look="quiet" label={label ?? words.common.more} small={small ?? false} />
      <Popover className={styles.popover ?? ""} placement="bottom end">
        <Menu
          className={styles.menu ?? ""}
          disabledKeys={actions.filter((action) => why(action) !== undefined).map((action) => action.id)}
          onAction={(id) => actions.find((action) => action.id === id)?.onAction()}
        >
          {actions.map((action) => (
            <MenuItem
              key={action.id}
              id={action.id}
              textValue={action.label}
              className={[styles.item, action.danger && styles.danger].filter(Boolean).join(" ")}
            >
              <Icon name={action.icon} />
              <span className={styles.itemText}>
                {action.label}
                {why(action) !== undefined && <span className={styles.itemWhy}> {why(action)}</span>}
              </span>
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
