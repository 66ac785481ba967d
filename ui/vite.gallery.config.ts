import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** The gallery of components, for developers and tests; never part of the product. */
export default defineConfig({
  plugins: [react()],
  build: {
    outDir: "gallery-dist",
    target: "es2023",
    minify: false,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 10_000,
    rolldownOptions: { input: "gallery.html" },
  },
});
