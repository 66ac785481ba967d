import { describe, expect, it } from "vitest";
import { APPS } from "../apps";
import { bySection, foreignEntries, homeLinks, ownAddresses } from "./menu";

const own = ownAddresses(APPS);
const ML = { chosen: "ml", forNew: "ml", own };
const NONE = { chosen: "", forNew: "", own };

describe("foreignEntries", () => {
  it("leaves out the dashboard's own pages and puts the namespace into the others", () => {
    const links = {
      menuLinks: [
        { type: "item", link: "/jupyter/", text: "Notebooks" },
        { type: "item", link: "/grafana/?ns={ns}", text: "Grafana" },
        { type: "section", text: "Pipelines", items: [{ link: "/pipeline/#/runs", text: "Runs" }] },
      ],
    };
    expect(foreignEntries(links, [], ML)).toEqual([{ text: "Grafana", href: "/_/grafana/?ns=ml", external: false }]);
  });

  it("opens external links beside the dashboard unless they ask for a frame", () => {
    const links = {
      externalLinks: [
        { link: "https://example.com", text: "Wiki" },
        { link: "/wiki/", text: "Inside", iframe: true },
      ],
    };
    expect(foreignEntries(links, [], NONE).map((one) => [one.href, one.external])).toEqual([
      ["https://example.com", true],
      ["/_/wiki/", false],
    ]);
  });

  it("keeps all namespaces where an entry names none", () => {
    const links = { menuLinks: ["/grafana/?ns={ns}", "/wiki/#/start"].map((link) => ({ link, text: link })), externalLinks: [{ link: "/metrics/", text: "Metrics" }] };
    expect(foreignEntries(links, [], { ...ML, chosen: "*" }).map((one) => one.href)).toEqual(["/_/grafana/?ns=ml", "/_/wiki/?ns=*#/start", "/metrics/"]);
  });

  it("keeps icons that the set has, and sections with their titles", () => {
    const items = [
      { link: "/feast/", text: "Features", icon: "device:storage" },
      { link: "/jupyter/", text: "Notebooks", icon: "book" },
    ];
    const links = {
      menuLinks: [
        { type: "section", text: "Data", icon: "kubeflow:nothing-alike", items },
        { type: "item", link: "/grafana/", text: "Grafana", icon: "assessment" },
        { type: "section", text: "Own pages alone", items: [{ link: "/jobs/", text: "Jobs" }] },
      ],
      externalLinks: [{ link: "https://example.com", text: "Wiki", icon: "toString" }],
    };
    const { alone, sections } = bySection(foreignEntries(links, [], NONE));

    expect(alone.map((one) => [one.text, one.icon])).toEqual([
      ["Grafana", "board"],
      ["Wiki", undefined],
    ]);
    expect(sections.map(([section, entries]) => [section, entries.map((one) => [one.text, one.icon])])).toEqual([[{ text: "Data" }, [["Features", "volume"]]]]);
  });

  it("shows plug-ins in a frame", () => {
    expect(foreignEntries({}, [{ text: "Costs", link: "/plugins/costs/index.html" }], ML)[0]?.href).toBe("/_/plugins/costs/index.html?ns=ml");
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
    expect(homeLinks(links, ML)).toEqual([
      { text: "New notebook", detail: "Notebook Servers", href: "/jupyter/new?namespace=ml&ns=ml", external: false },
      { text: "Runs", detail: "", href: "/pipeline/?ns=ml#/runs", external: false },
      { text: "Grafana", detail: "", href: "/_/grafana/?ns=ml", external: false },
      { text: "Handbook", detail: "", href: "https://example.com/ml", external: true },
    ]);
  });

  it("leaves out what is no address", () => {
    const links = ["javascript:alert(1)", "//evil.example", "data:text/html,x", undefined].map((link) => ({ text: "x", ...(link === undefined ? {} : { link }) }));
    expect(homeLinks(links, ML)).toEqual([]);
    expect(foreignEntries({ externalLinks: links, menuLinks: links }, [], ML)).toEqual([]);
  });
});
