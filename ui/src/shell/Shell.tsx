import { Outlet, useLocation } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useNamespaceInUrl } from "../api/namespace";
import { useWords } from "../words";
import { ExpiryNotice } from "./ExpiryNotice";
import { Palette } from "./Palette";
import { Rail } from "./Rail";
import { SignedOutDialog } from "./SignedOutDialog";
import { TopBar } from "./TopBar";
import styles from "./Shell.module.css";

/** What every page stands in: the rail, the top bar, and the content. */
export function Shell() {
  const words = useWords();
  useNamespaceInUrl();
  const [railOpen, setRailOpen] = useState(false);
  const [paletteOpen, setPaletteOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const path = useLocation({ select: (location) => location.pathname });
  useEffect(() => {
    main.current?.scrollTo(0, 0);
  }, [path]);
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setPaletteOpen(true);
    };
    document.addEventListener("keydown", open);
    return () => document.removeEventListener("keydown", open);
  }, []);
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#content">
        {words.shell.skip}
      </a>
      <Rail isOpen={railOpen} onChosen={() => setRailOpen(false)} />
      {railOpen && <button type="button" className={styles.backdrop} aria-label={words.shell.closeMenu} onClick={() => setRailOpen(false)} />}
      <TopBar onMenu={() => setRailOpen(true)} onSearch={() => setPaletteOpen(true)} />
      <Palette isOpen={paletteOpen} onClose={() => setPaletteOpen(false)} />
      <SignedOutDialog />
      <main id="content" ref={main} className={styles.main} tabIndex={-1}>
        <ExpiryNotice />
        <Outlet />
      </main>
    </div>
  );
}
