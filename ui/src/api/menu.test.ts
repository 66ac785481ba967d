import { describe, expect, it } from "vitest";
import { foreignEntries } from "./menu";

describe("foreignEntries", () => {
  it("leaves out the dashboard's own pages and puts the namespace into the others", () => {
    const links = {
      menuLinks: [
        { type: "item", link: "/jupyter/", text: "Notebooks" },
        { type: "item", link: "/grafana/?ns={ns}", text: "Grafana" },
        { type: "section", text: "Pipelines", items: [{ link: "/pipeline/#/runs", text: "Runs" }] },
      ],
    };
    expect(foreignEntries(links, [], "ml")).toEqual([{ text: "Grafana", href: "/_/grafana/?ns=ml", external: false }]);
  });

  it("opens external links beside the dashboard unless they ask for a frame", () => {
    const links = {
      externalLinks: [
        { link: "https://example.com", text: "Wiki" },
        { link: "/wiki/", text: "Inside", iframe: true },
      ],
    };
    expect(foreignEntries(links, [], "").map((one) => [one.href, one.external])).toEqual([
      ["https://example.com", true],
      ["/_/wiki/", false],
    ]);
  });

  it("shows plug-ins in a frame", () => {
    expect(foreignEntries({}, [{ text: "Costs", link: "/plugins/costs/index.html" }], "ml")[0]?.href).toBe("/_/plugins/costs/index.html");
  });
});
