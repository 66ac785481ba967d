import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

/** Where `make ui` finds a running Windlass. */
const gateway = process.env["WINDLASS_URL"] ?? "http://127.0.0.1:8080";

/** What the gateway answers itself; everything else is a page of this program. */
const answered = "^/(api|oauth2|dex|kfam|notebook|tensorboard|pvcviewers|pipeline/(apis|artifacts)|(jupyter|tensorboards|volumes)/api)(/|$)";

const compressible = /\.(js|css|svg|html)$/;

/** Writes `.br` and `.gz` beside each file, so that the gateway never compresses anything itself. */
function precompress(): Plugin {
  let folder = "dist";
  return {
    name: "precompress",
    apply: "build",
    configResolved(config) {
      folder = join(config.root, config.build.outDir);
    },
    closeBundle() {
      for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
        const path = join(folder, file);
        if (!compressible.test(file) || !statSync(path).isFile()) continue;
        const body = readFileSync(path);
        writeFileSync(`${path}.gz`, gzipSync(body, { level: 9 }));
        writeFileSync(`${path}.br`, brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }));
      }
    },
  };
}

export default defineConfig({
  plugins: [react(), precompress()],
  build: { outDir: "dist", target: "es2023", assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  server: {
    proxy: { [answered]: { target: gateway, ws: true, changeOrigin: true, headers: { origin: gateway } } },
  },
  // Files share a page, which takes far longer to make than most of them take to run.
  test: { environment: "jsdom", isolate: false, testTimeout: 20_000, maxWorkers: 2, include: ["src/**/*.test.{ts,tsx}"], setupFiles: ["src/testing/setup.ts"] },
});
