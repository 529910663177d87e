import { expect, it } from "vitest";
import { BOTH, call } from "./call.ts";
import { makeProject } from "./dev-project.ts";
import { startAgate } from "./running-agate.ts";

// The compiler runs at low priority: on a busy machine, each of its checks waits for all other programs.
it("agate dev reports type errors in the background, serves all the same, and tells when they are gone", async () => {
  await using project = await makeProject();
  await using dev = await startAgate(["dev", "--port", "0"], { cwd: project.folder });
  await dev.printed(/Ready in/);
  const wrong = 'export const wrong: number = "text";\n';
  await project.edit("app.ts", "export const app =", `${wrong}export const app =`);
  await dev.printed(
    /app\.ts:\d+:14: TS2322: Type 'string' is not assignable to type 'number'\.\n +\d+ \| export const wrong/,
  );
  await dev.printed(/1 type error\. The workflow is still served\.\n/);
  expect((await call(`${dev.url}/run`)).data).toBe(BOTH);
  // A change of types alone leaves the program as it is: nothing is reloaded for it.
  await project.edit("app.ts", "wrong: number", "wrong: string");
  await dev.printed(/No type errors left\.\n/);
});
