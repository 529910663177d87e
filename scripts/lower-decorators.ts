import { transform } from "esbuild";
import type { Plugin } from "vitest/config";

/** Vitest's own transformer leaves standard decorators as they are, which no Node can run yet. */
export function lowerDecorators(): Plugin {
  return {
    name: "lower-decorators",
    enforce: "pre",
    async transform(code, id) {
      if (!/\.ts(?:$|\?)/.test(id) || !/^\s*@\w/m.test(code)) return null;
      const lowered = await transform(code, {
        loader: "ts",
        target: "es2022",
        sourcefile: id,
        sourcemap: true,
      });
      return { code: lowered.code, map: lowered.map };
    },
  };
}
