/** Every story of the dashboard: a component in one state. Found by name, so that nobody has to register one. */
import type { ReactNode } from "react";

export type Render = () => ReactNode;

export interface StoryModule {
  title: string;
  stories: Record<string, Render>;
}

export interface Story {
  /** `Title/story`, as in the address. */
  id: string;
  title: string;
  name: string;
  render: Render;
}

/** The stories of all modules by title; a title that two modules use is an error. Pure. */
export function catalogueOf(modules: Record<string, StoryModule>): Story[] {
  const stories = new Map<string, Story>();
  for (const [path, { title, stories: ofModule }] of Object.entries(modules)) {
    for (const [name, render] of Object.entries(ofModule)) {
      const id = `${title}/${name}`;
      if (stories.has(id)) throw new Error(`${path}: there is another story ${id}`);
      stories.set(id, { id, title, name, render });
    }
  }
  return [...stories.values()].sort((a, b) => a.title.localeCompare(b.title));
}

/** `#/Title/story` of a story. Pure. */
export const hashOf = (id: string): string => `#/${id.split("/").map(encodeURIComponent).join("/")}`;

/** The id that a hash names; "" for the index. Pure. */
export const idIn = (hash: string): string => hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent).join("/");

export function titlesOf(stories: Story[]): [title: string, stories: Story[]][] {
  const titles = new Map<string, Story[]>();
  for (const story of stories) titles.set(story.title, [...(titles.get(story.title) ?? []), story]);
  return [...titles];
}
