import { act, renderHook } from "@testing-library/react";
import { expect, test } from "vitest";
import { textOfObjects } from "../../kinds/manifest";
import { boardLens, boardObjects, initialBoard } from "../../apps/tensorboards/kinds/tensorboardManifest";
import { useManifest } from "./useManifest";
import { useManifestForm } from "./useManifestForm";

const LENS = boardLens(["tracking"]);
const START = textOfObjects(boardObjects(initialBoard));

function both() {
  return renderHook(() => {
    const manifest = useManifest(START, true);
    return { manifest, ...useManifestForm(manifest, LENS, initialBoard) };
  }).result;
}

test("an edit in the form is in the text, and one in the text is in the form", () => {
  const page = both();

  act(() => page.current.change({ name: "curves", claim: "data" }));
  expect(page.current.manifest.text).toContain("name: curves");
  expect(page.current.manifest.text).toContain("logspath: pvc://data");

  act(() => page.current.manifest.setText(page.current.manifest.text.replace("pvc://data", "s3://bucket/logs # ours")));
  expect(page.current.form).toMatchObject({ name: "curves", storage: "store", link: "s3://bucket/logs" });

  act(() => page.current.change({ link: "gs://other" }));
  expect(page.current.manifest.text).toContain("logspath: gs://other # ours");
});

test("what is half typed stays as it is typed", () => {
  const page = both();

  act(() => page.current.change({ claim: "data", path: "logs/" }));
  expect(page.current.form.path).toBe("logs/");
  expect(page.current.manifest.text).toContain("pvc://data/logs\n");
  act(() => page.current.change({ path: "logs/run1" }));
  expect(page.current.manifest.text).toContain("pvc://data/logs/run1");
});

test("a choice that was made before is remembered", () => {
  const page = both();

  act(() => page.current.change({ claim: "data" }));
  act(() => page.current.change({ storage: "store" }));
  expect(page.current.manifest.text).toContain('logspath: ""');
  act(() => page.current.change({ storage: "pvc" }));
  expect(page.current.manifest.text).toContain("logspath: pvc://data");
});

test("a text that cannot be read names its line and leaves the form as it was", () => {
  const page = both();
  act(() => page.current.change({ name: "curves" }));
  const before = page.current;

  act(() => page.current.manifest.setText(`${before.manifest.text}more: a: b\n`));
  expect(page.current.manifest.problem).toMatchObject({ code: "syntax", line: 7 });
  expect(page.current.form).toEqual(before.form);
  expect(page.current.manifest.objects).toEqual(before.manifest.objects);

  act(() => page.current.manifest.revert());
  expect(page.current.manifest.text).toBe(before.manifest.text);
  expect(page.current.manifest.problem).toBeUndefined();
});

test("a second object is refused where one is expected", () => {
  const page = both();
  act(() => page.current.manifest.setText(`${START}---\n${START}`));
  expect(page.current.manifest.problem).toMatchObject({ code: "several" });
});
