import { expect, test } from "vitest";
import { catalogueOf, hashOf, idIn, titlesOf } from "./catalogue";

const nothing = () => null;

test("stories are found by title and name", () => {
  const stories = catalogueOf({
    "b.stories.tsx": { title: "Pill", stories: { "every state": nothing } },
    "a.stories.tsx": { title: "Button", stories: { primary: nothing, busy: nothing } },
  });

  expect(stories.map((story) => story.id)).toEqual(["Button/primary", "Button/busy", "Pill/every state"]);
  expect(titlesOf(stories).map(([title, ofTitle]) => [title, ofTitle.length])).toEqual([
    ["Button", 2],
    ["Pill", 1],
  ]);
});

test("two stories of one name are refused", () => {
  const module = { title: "Pill", stories: { one: nothing } };

  expect(() => catalogueOf({ "a.tsx": module, "b.tsx": module })).toThrow("b.tsx: there is another story Pill/one");
});

test.each(["Pill/every state", "Log view/100 % full", "Button/über"])("the address of %s leads back to it", (id) => {
  expect(idIn(hashOf(id))).toBe(id);
});

test("no hash is the index", () => {
  expect([idIn(""), idIn("#"), idIn("#/")]).toEqual(["", "", ""]);
});
