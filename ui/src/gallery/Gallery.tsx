import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import type { Language } from "../words";
import { hashOf, idIn, titlesOf, type Story } from "./catalogue";
import styles from "./Gallery.module.css";
import { Providers } from "./Providers";

function subscribe(listener: () => void): () => void {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
}

/** The index of all stories, or the one that the address names, alone. */
export function Gallery({ catalogue }: { catalogue: Story[] }) {
  const id = useSyncExternalStore(subscribe, () => idIn(location.hash));
  const query = new URLSearchParams(location.search);
  const [language] = useState<Language>(query.get("language") === "zh" ? "zh" : "en");
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const story = catalogue.find((one) => one.id === id);
  return story === undefined ? <Index catalogue={catalogue} query={query} /> : <Shown key={id} story={story} language={language} />;
}

function Shown({ story, language }: { story: Story; language: Language }) {
  const page = useCallback(() => <StoryPage story={story} />, [story]);
  return <Providers language={language} story={page} />;
}

function StoryPage({ story }: { story: Story }) {
  const Story = story.render;
  return (
    <main className={styles.story} data-story={story.id} aria-label={story.id}>
      <Story />
    </main>
  );
}

function Index({ catalogue, query }: { catalogue: Story[]; query: URLSearchParams }) {
  const other = (name: string, value: string, usual: string) => {
    const next = new URLSearchParams(query);
    next.set(name, next.get(name) === value ? usual : value);
    return `?${next.toString()}#/`;
  };
  return (
    <main className={styles.index}>
      <h1>Components</h1>
      <p>
        <a href={other("scheme", "dark", "light")}>Light or dark</a> · <a href={other("language", "zh", "en")}>English or Chinese</a>
      </p>
      <div className={styles.titles}>
        {titlesOf(catalogue).map(([title, stories]) => (
          <section key={title} aria-label={title}>
            <h2>{title}</h2>
            <ul>
              {stories.map((story) => (
                <li key={story.id}>
                  <a href={hashOf(story.id)}>{story.name}</a>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </main>
  );
}
