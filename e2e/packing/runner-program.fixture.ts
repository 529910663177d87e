import { type RunningBuild, startBuild } from "./running-build.fixture.ts";
import type { UserFolder } from "./user-project.fixture.ts";

/** The first lines of a program that the platform runs. */
export const RUN = 'import { endWithParent, run } from "@agate/sdk/runner"; endWithParent();';

/** Writes a module and a program that runs it, and starts that as the platform would. */
export async function startProgram(
  folder: UserFolder,
  name: string,
  source: string,
  environment: Record<string, string> = {},
): Promise<RunningBuild> {
  await folder.write({
    [`${name}.ts`]: source,
    [`run-${name}.ts`]: `${RUN}
      import * as module from "./${name}.ts";
      await run(module, { file: "${name}.ts" });`,
  });
  return startBuild(folder.path, `run-${name}.ts`, environment);
}

/** A workflow with an app of its own, called `own`. */
export function appOf(path: string): string {
  return `import * as ag from "@agate/sdk";
    class EchoConfig extends ag.BaseModel { prefix = ag.Field(ag.str, { default: ">" }); }
    const own = ag.createApp();
    own.route("${path}", EchoConfig)(async ({ text }: { text: string }, { config }) => config.prefix + text);
  `;
}
