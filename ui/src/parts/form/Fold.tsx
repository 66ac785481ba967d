import type { ReactNode } from "react";
import { Button, Disclosure, DisclosurePanel } from "react-aria-components";
import { Icon } from "../Icon";
import styles from "./Form.module.css";

/** What most people need not see, behind a line that opens it. */
export function Fold({ label, open, children }: { label: string; open?: boolean; children: ReactNode }) {
  return (
    <Disclosure defaultExpanded={open ?? false}>
      <Button slot="trigger" className={styles.trigger ?? ""}>
        <Icon name="right" size={14} />
        {label}
      </Button>
      <DisclosurePanel className={styles.panel ?? ""}>
        <div>{children}</div>
      </DisclosurePanel>
    </Disclosure>
  );
}
