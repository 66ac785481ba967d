import { Button, Disclosure, DisclosurePanel } from "react-aria-components";
import { bySection, type ForeignEntry, type ForeignSection } from "../api/menu";
import { Icon, type IconName } from "../parts/Icon";
import styles from "./Shell.module.css";

/** The pages of others: sections of the ConfigMap under their titles, which fold, after what belongs to none. */
export function ForeignMenu({ entries }: { entries: ForeignEntry[] }) {
  const { alone, sections } = bySection(entries);
  return (
    <>
      {alone.map((entry) => (
        <OutsideLink key={`${entry.href} ${entry.text}`} {...entry} />
      ))}
      {sections.map(([section, inIt]) => (
        <Section key={section.text} section={section} entries={inIt} />
      ))}
    </>
  );
}

function Section({ section, entries }: { section: ForeignSection; entries: ForeignEntry[] }) {
  return (
    <Disclosure defaultExpanded className={styles.section ?? ""}>
      <Button slot="trigger" className={`${styles.entry ?? ""} ${styles.fold ?? ""}`}>
        <Icon name={section.icon ?? "folder"} />
        <span className={styles.label}>{section.text}</span>
        <span className={styles.arrow}>
          <Icon name="right" size={12} />
        </span>
      </Button>
      <DisclosurePanel className={styles.inSection ?? ""}>
        {entries.map((entry) => (
          <OutsideLink key={`${entry.href} ${entry.text}`} {...entry} />
        ))}
      </DisclosurePanel>
    </Disclosure>
  );
}

interface OutsideLinkProps extends Pick<ForeignEntry, "href" | "text" | "external"> {
  icon?: IconName;
}

/** An entry of others: in a frame of the dashboard, or in a new tab. */
export function OutsideLink({ href, text, external, icon }: OutsideLinkProps) {
  return (
    <a href={href} className={styles.entry} title={text} {...(external ? { target: "_blank", rel: "noopener" } : {})}>
      <Icon name={icon ?? (external ? "external" : "link")} />
      <span className={styles.label}>{text}</span>
    </a>
  );
}
