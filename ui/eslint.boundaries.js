/** What may import what under `src`: the platform knows no app by name, and an app knows of others only what is listed here. */
import { dirname, join, relative, resolve, sep } from "node:path";

/** Modules of `apps` that belong to no app: the type, the list, and the lists of parts that only some pages load. */
const LISTS = new Set(["apps", "apps/index", "apps/app", "apps/context", "apps/home", "apps/words/en", "apps/words/zh"]);

/** The apps that an app uses. */
const USES = {
  notebooks: ["volumes"],
  pipelines: ["tensorboards"],
  tensorboards: ["notebooks", "volumes"],
  training: ["tensorboards"],
  volcano: ["training"],
};

/** The folders of an app that others may use. */
const SHARED = new Set(["api", "kinds", "parts"]);

const isExample = (path) => /\.(test|stories)$/.test(path) || /\/samples(\/|$)/.test(path) || path.startsWith("testing/") || path.startsWith("gallery/");

const isInFirstChunk = (path) => path === "app" || path === "main" || path.startsWith("shell/");

/** `apps/training/kinds/jobs` as its app and folder; undefined for modules of the platform, and for the lists. */
function appOf(path) {
  const [root, app, folder = ""] = path.split("/");
  return root !== "apps" || LISTS.has(path) || app === undefined ? undefined : { app, folder };
}

function problemOf(from, to) {
  if (to === "apps" && !isInFirstChunk(from)) return "Use useApps of apps/context.ts: this module is loaded later, and would split the first chunk.";
  const target = appOf(to);
  if (target === undefined) return undefined;
  const source = appOf(from);
  if (source === undefined) return LISTS.has(from) ? undefined : `The platform knows no app by name. Let the app contribute to \`App\` in apps/app.ts instead of importing ${to}.`;
  if (source.app === target.app) return undefined;
  if (!(USES[source.app] ?? []).includes(target.app)) return `${source.app} does not use ${target.app}. List it in USES of eslint.boundaries.js, if it has to.`;
  return SHARED.has(target.folder) ? undefined : `Other apps use only ${[...SHARED].join(", ")} of ${target.app}.`;
}

export const boundaries = {
  meta: { type: "problem", schema: [] },
  create(context) {
    const src = join(context.cwd, "src");
    const pathOf = (file) => relative(src, file).split(sep).join("/").replace(/(\/index)?\.tsx?$/, "");
    const from = pathOf(context.filename);
    if (isExample(from)) return {};
    const check = ({ source }) => {
      if (source?.type !== "Literal" || typeof source.value !== "string" || !source.value.startsWith(".")) return;
      const problem = problemOf(from, pathOf(resolve(dirname(context.filename), source.value)));
      if (problem !== undefined) context.report({ node: source, message: problem });
    };
    return { ImportDeclaration: check, ImportExpression: check, ExportNamedDeclaration: check, ExportAllDeclaration: check };
  },
};
