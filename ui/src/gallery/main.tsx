import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "../parts/base.css";
import "../parts/tokens.css";
import { catalogueOf, hashOf, type StoryModule } from "./catalogue";
import { Gallery } from "./Gallery";
import { painted, settled } from "./settled";

declare global {
  interface Window {
    /** For the test that looks at every story. */
    gallery: { ids: string[]; show: (id: string) => Promise<void>; paint: (scheme: string) => Promise<void> };
  }
}

const catalogue = catalogueOf(import.meta.glob<StoryModule>("../**/*.stories.tsx", { eager: true }));

function setScheme(scheme: string): void {
  document.documentElement.dataset["scheme"] = scheme;
}

window.gallery = {
  ids: catalogue.map((story) => story.id),
  show: async (id) => {
    location.hash = hashOf(id);
    await settled();
  },
  paint: async (scheme) => {
    setScheme(scheme);
    await painted();
  },
};

setScheme(new URLSearchParams(location.search).get("scheme") === "dark" ? "dark" : "light");
const element = document.getElementById("root");
if (element === null) throw new Error("the page has no element with the id root");
createRoot(element).render(
  <StrictMode>
    <Gallery catalogue={catalogue} />
  </StrictMode>,
);
