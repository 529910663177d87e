import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** What the platform answers itself; everything else is the page. */
const PLATFORM_PATHS = [
  "/observability",
  "/registry",
  "/services",
  "/session",
  "/v1",
  "/health",
  "/openapi.json",
  "/docs",
];

/** The platform that `npm run web` shows. */
const platform = process.env.AGATE_BASE_URL ?? "http://127.0.0.1:4100";

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss()],
  build: {
    target: "es2022",
    // Browsers that know light-dark(): what is made of it for older ones does not follow a chosen theme.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    // Data URLs would need a looser policy, and save a request on one's own machine.
    assetsInlineLimit: 0,
    sourcemap: false,
  },
  server: {
    proxy: Object.fromEntries(PLATFORM_PATHS.map((path) => [path, platform])),
  },
});
