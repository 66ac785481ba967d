/** What a session was opened with, in words that its owner recognises. Pure. */

const BROWSERS: [name: string, sign: RegExp][] = [
  ["Edge", /Edg\//],
  ["Opera", /OPR\//],
  ["Firefox", /Firefox\//],
  ["Chrome", /Chrom(?:e|ium)\//],
  ["Safari", /Safari\//],
];
const SYSTEMS: [name: string, sign: RegExp][] = [
  ["Windows", /Windows/],
  ["Android", /Android/],
  ["iOS", /iPhone|iPad/],
  ["macOS", /Mac OS X/],
  ["Linux", /Linux/],
];

/** `Firefox, Linux`; the first word of what says something else. */
export function browserOf(userAgent = ""): string {
  const named = (known: [string, RegExp][]) => known.find(([, sign]) => sign.test(userAgent))?.[0];
  return [named(BROWSERS), named(SYSTEMS)].filter(Boolean).join(", ") || (userAgent.split(/[\s/]/)[0] ?? "") || "–";
}
