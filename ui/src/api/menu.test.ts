import { describe, expect, it } from "vitest";
import { foreignEntries, homeLinks } from "./menu";

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

describe("homeLinks", () => {
  it("leads to own pages, into frames, or out of the dashboard", () => {
    const links = [
      { text: "New notebook", desc: "Notebook Servers", link: "/jupyter/new?namespace={ns}" },
      { text: "Runs", link: "/pipeline/#/runs" },
      { text: "Grafana", link: "/grafana/" },
      { text: "Handbook", link: "https://example.com/{ns}" },
    ];
    expect(homeLinks(links, "ml")).toEqual([
      { text: "New notebook", detail: "Notebook Servers", href: "/jupyter/new?namespace=ml", external: false },
      { text: "Runs", detail: "", href: "/pipeline/#/runs", external: false },
      { text: "Grafana", detail: "", href: "/_/grafana/", external: false },
      { text: "Handbook", detail: "", href: "https://example.com/ml", external: true },
    ]);
  });

  it("leaves out what is no address", () => {
    const links = ["javascript:alert(1)", "//evil.example", "data:text/html,x", undefined].map((link) => ({ text: "x", ...(link === undefined ? {} : { link }) }));
    expect(homeLinks(links, "ml")).toEqual([]);
    expect(foreignEntries({ externalLinks: links, menuLinks: links }, [], "ml")).toEqual([]);
  });
});
