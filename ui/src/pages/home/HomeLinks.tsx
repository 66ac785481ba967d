import { useRouter, type RouterHistory } from "@tanstack/react-router";
import type { MouseEvent } from "react";
import { useHomeLinks, type HomeLink } from "../../api/menu";
import { useNamespace } from "../../api/namespace";
import { Card } from "../../parts/card/Card";
import { Icon } from "../../parts/Icon";
import { useWords } from "../../words";
import styles from "./Home.module.css";

/** Shortcuts and documentation of the ConfigMap `centraldashboard-config`. */
export function HomeLinks() {
  const { quick, documentation } = useHomeLinks(useNamespace());
  const words = useWords();
  return (
    <>
      <LinkCard title={words.home.shortcuts} links={quick} />
      <LinkCard title={words.shell.documentation} links={documentation} />
    </>
  );
}

export function LinkCard({ title, links }: { title: string; links: HomeLink[] }) {
  const open = useOpen();
  const texts = useWords().home.linkTexts;
  if (links.length === 0) return null;
  return (
    <Card title={title} flush>
      <div className={styles.list}>
        {links.map((link) => (
          <a key={`${link.href} ${link.text}`} href={link.href} className={styles.item} {...(link.external ? { target: "_blank", rel: "noopener" } : { onClick: open(link.href) })}>
            <Icon name={link.external ? "external" : "right"} />
            <div className={styles.main}>
              {texts[link.text] ?? link.text}
              {link.detail !== "" && <div className={styles.quiet}>{texts[link.detail] ?? link.detail}</div>}
            </div>
          </a>
        ))}
      </div>
    </Card>
  );
}

/** Goes to an address of the dashboard without loading it again; a new tab, by key or wheel, is left to the browser. */
function useOpen(): (href: string) => (event: MouseEvent) => void {
  const history = useRouter().history as RouterHistory;
  return (href) => (event) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    history.push(href);
  };
}
