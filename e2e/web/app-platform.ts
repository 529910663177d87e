import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type RunningAgate, startAgate } from "../dev/running-agate.ts";

/** The built platform in development, with an application that a test wrote. */
export interface AppPlatform extends AsyncDisposable {
  readonly url: string;
  readonly agate: RunningAgate;
  /** Replaces a part of `app.ts`, which must be there. */
  edit(part: string, by: string): Promise<void>;
}

/**
 * @param source Of its `app.ts`, which may use the SDK and zod.
 * @example
 * await using platform = await startApp("forms", `import * as ag from "@agate/sdk"; …`);
 */
export async function startApp(name: string, source: string): Promise<AppPlatform> {
  await using parts = new AsyncDisposableStack();
  // Inside of the package of tests, so that the app finds its packages without an installation.
  const folder = await mkdtemp(join(import.meta.dirname, `../.guide-${name}-`));
  parts.defer(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "app.ts");
  await writeFile(file, source);
  const manifest = {
    name,
    private: true,
    type: "module",
    dependencies: { "@agate/sdk": "*", zod: "*" },
  };
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  const args = ["dev", "app.ts", "--app", name, "--port", "0", "--data-dir", "data"];
  const agate = parts.use(await startAgate(args, { cwd: folder }));
  await agate.printed(/Ready in/);
  const started = parts.move();
  return {
    url: agate.url,
    agate,
    async edit(part, by) {
      const text = await readFile(file, "utf8");
      if (!text.includes(part)) throw new Error(`app.ts does not have ${part}`);
      await writeFile(file, text.replace(part, by));
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
