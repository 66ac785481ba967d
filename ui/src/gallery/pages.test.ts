import { expect, test } from "vitest";
import { catalogueOf, type StoryModule } from "./catalogue";

const STORIES = catalogueOf(import.meta.glob<StoryModule>(["../pages/**/*.stories.tsx", "../apps/**/*.stories.tsx"], { eager: true })).map((story) => story.id);
const STATES = { empty: /empty|no tokens|no namespace|nothing known/, loading: /loading/, failed: /failed/, forbidden: /forbidden/, many: /many|thousand/ };

/** What is asked for by the signed-in person is never forbidden; a list that the server always fills is never empty. */
const LISTS: Record<string, (keyof typeof STATES)[]> = {
  "Account page/": ["empty", "loading", "failed", "many"],
  "Activity page/": ["empty", "loading", "failed", "forbidden", "many"],
  "Cluster page/": ["empty", "loading", "failed", "forbidden", "many"],
  "Contributors page/": ["empty", "loading", "failed", "many"],
  "Executions/list": ["empty", "loading", "failed", "forbidden", "many"],
  "Home page/": ["empty", "loading", "failed", "forbidden", "many"],
  "Notebooks pages/list": ["empty", "loading", "failed", "forbidden", "many"],
  "Objects pages/list": ["empty", "loading", "failed", "forbidden", "many"],
  "Pipelines/artifacts": ["empty", "loading", "failed", "forbidden", "many"],
  "Pipelines/experiments": ["empty", "loading", "failed", "forbidden", "many"],
  "Pipelines/list": ["empty", "loading", "failed", "forbidden", "many"],
  "Pipelines/recurring": ["empty", "loading", "failed", "forbidden", "many"],
  "Queues page/": ["empty", "loading", "failed", "forbidden", "many"],
  "Pipeline runs/list": ["empty", "loading", "failed", "forbidden", "many"],
  "TensorBoards pages/list": ["empty", "loading", "failed", "forbidden", "many"],
  "Training jobs/list": ["empty", "loading", "failed", "forbidden", "many"],
  "Workflows/list": ["empty", "loading", "failed", "forbidden", "many"],
  "Workflows/schedules": ["empty", "loading", "failed", "forbidden", "many"],
  "Volumes pages/list": ["empty", "loading", "failed", "forbidden", "many"],
};

test.each(Object.entries(LISTS))("%s has a story for each of its states", (list, states) => {
  const ofList = STORIES.filter((id) => id.startsWith(list));

  expect(states.filter((state) => !ofList.some((id) => STATES[state].test(id)))).toEqual([]);
});

test("every folder of pages has stories", () => {
  const folders = (paths: string[]) => new Set(paths.map((path) => path.split("/")[2]));
  const pages = folders(Object.keys(import.meta.glob("../pages/*/*.tsx")));
  // The first shares its story with the page that is not found; the second has another program in a frame; the third has parts of others.
  const without = ["later", "frame", "details"];

  expect([...pages].filter((folder) => folder !== undefined && !without.includes(folder) && !folders(Object.keys(import.meta.glob("../pages/*/*.stories.tsx"))).has(folder))).toEqual([]);
});

test("every app has stories", () => {
  const apps = (paths: string[]) => new Set(paths.map((path) => path.split("/")[2]));
  const withStories = apps(Object.keys(import.meta.glob("../apps/*/pages/**/*.stories.tsx")));

  expect([...apps(Object.keys(import.meta.glob("../apps/*/pages/**/*.tsx")))].filter((app) => !withStories.has(app))).toEqual([]);
});
