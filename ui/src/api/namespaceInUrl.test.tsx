import { useLocation, useRouter, type RouterHistory } from "@tanstack/react-router";
import { act, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { renderPage } from "../testing/render";
import { useNamespace, useNamespaceInUrl } from "./namespace";
import { SESSION_KEY, type Membership, type Session } from "./session";

const OWN: Membership = { namespace: "ml", role: "owner" };
const SHARED: Membership = { namespace: "vision", role: "contributor" };
const STORED = "/centraldashboard/selectedNamespace/.ada@example.com";

const session = (memberships: Membership[]): Session => ({
  user: "ada@example.com",
  version: "",
  logoutUrl: "",
  isClusterAdmin: false, hasMachineView: false,
  memberships,
  hasWorkgroup: true,
  registrationAllowed: false,
});

let go: (href: string) => void;

/** A page of a tab: its address, what it shows, and the places that one can go back to. */
function Tab() {
  useNamespaceInUrl();
  const { chosen } = useNamespace();
  const history = useRouter().history as RouterHistory;
  const { href } = useLocation();
  go = (to) => history.push(to);
  return <output>{[href, chosen, history.length].join(" ")}</output>;
}

const shown = () => screen.getByRole("status").textContent;
const open = (memberships: Membership[]) => renderPage(<Tab />, { answers: [[SESSION_KEY, session(memberships)]] });

beforeEach(() => localStorage.setItem(STORED, "vision"));
afterEach(() => localStorage.clear());

test("an address without a namespace gets the last choice, and is no place to go back to", async () => {
  await open([OWN, SHARED]);

  await vi.waitFor(() => expect(shown()).toBe("/?ns=vision vision 1"));
});

test("what another tab has chosen does not change this one", async () => {
  await open([OWN, SHARED]);
  await vi.waitFor(() => expect(shown()).toContain("?ns=vision"));

  localStorage.setItem(STORED, "ml");
  act(() => go("/?ns=vision&q=gpu#line-3"));

  await vi.waitFor(() => expect(shown()).toBe("/?ns=vision&q=gpu#line-3 vision 2"));
});

test("the rest of an address stays", async () => {
  await open([OWN]);
  await vi.waitFor(() => expect(shown()).toContain("?ns=ml"));

  act(() => go("/?q=gpu#line-3"));

  await vi.waitFor(() => expect(shown()).toBe("/?q=gpu&ns=ml#line-3 ml 2"));
});

test("a person without a namespace gets none", async () => {
  await open([]);

  expect(shown()).toBe("/  1");
});
