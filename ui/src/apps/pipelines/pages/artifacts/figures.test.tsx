import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderPage } from "../../../../testing/render";
import { HtmlFrame } from "./figures";

test("HTML of a pipeline runs in no origin, without scripts, forms or pop-ups", async () => {
  await renderPage(<HtmlFrame title="report" source="<script>parent.document.title='taken'</script><p>scores</p>" />, { answers: [] });

  const frame = screen.getByTitle("report");
  expect(frame.tagName).toBe("IFRAME");
  expect(frame.getAttribute("sandbox")).toBe("");
  expect(frame.getAttribute("src")).toBeNull();
  expect(frame.getAttribute("srcdoc")).toContain("<p>scores</p>");
  expect(document.querySelector("script")).toBeNull();
});
