import { expect, test } from "vitest";
import { browserOf } from "./browsers";

test.each([
  ["Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0 Safari/537.36", "Chrome, Linux"],
  ["Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/131.0 Safari/537.36 Edg/131.0", "Edge, Windows"],
  ["Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1 Version/18.0 Mobile Safari/604.1", "Safari, iOS"],
  ["python-requests/2.32", "python-requests"],
  ["", "–"],
])("%s is %s", (userAgent, browser) => expect(browserOf(userAgent)).toBe(browser));
