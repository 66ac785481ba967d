import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useRef, type ReactNode } from "react";
import { Tab, TabList, TabPanel, Tabs } from "react-aria-components";
import { moveIntoSight } from "./inSight";
import styles from "./Page.module.css";

export interface TabSpec {
  id: string;
  label: string;
  content: () => ReactNode;
}

/** Tabs whose choice is in the URL (`?tab=`, or another parameter for tabs inside of a tab); only the chosen one is rendered. */
export function PageTabs({ tabs, label, parameter = "tab" }: { tabs: TabSpec[]; label: string; parameter?: string }) {
  const search: Record<string, string | undefined> = useSearch({ strict: false });
  const navigate = useNavigate();
  const chosen = tabs.find((tab) => tab.id === search[parameter]) ?? tabs[0];
  const choose = (id: string) =>
    void navigate({
      to: ".",
      search: (before: Record<string, unknown>) => ({ ...before, [parameter]: id === tabs[0]?.id ? undefined : id }),
      replace: true,
    });
  const place = useRef<HTMLDivElement>(null);
  // Of more tabs than fit, the chosen one is moved into sight: also when the row gets narrower, such as beside a graph that comes later.
  useEffect(() => {
    const row = place.current;
    if (row === null) return;
    const observer = new ResizeObserver(() => {
      const tab = row.querySelector<HTMLElement>("[aria-selected=true]");
      if (tab !== null) moveIntoSight(row, tab);
    });
    observer.observe(row);
    return () => observer.disconnect();
  }, [chosen?.id]);
  return (
    <Tabs selectedKey={chosen?.id ?? ""} onSelectionChange={(id) => choose(String(id))}>
      <TabList ref={place} className={styles.tabs ?? ""} aria-label={label}>
        {tabs.map((tab) => (
          <Tab key={tab.id} id={tab.id} className={styles.tab ?? ""}>
            {tab.label}
          </Tab>
        ))}
      </TabList>
      {tabs.map((tab) => (
        <TabPanel key={tab.id} id={tab.id} className={styles.panel ?? ""}>
          {tab.content()}
        </TabPanel>
      ))}
    </Tabs>
  );
}
