import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const AGATE = fileURLToPath(new URL("../../packages/cli/dist/agate.js", import.meta.url));
/** What an older Node has in common with this one is all that the check may use. */
const OLDER = `data:text/javascript,Object.defineProperty(process, "versions", { value: { node: "22.1.0" } })`;

it("says which Node it needs where it is run by an older one", async () => {
  const run = promisify(execFile)(process.execPath, ["--import", OLDER, AGATE, "--version"]);
  await expect(run).rejects.toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(
      /^agate: Agate needs Node 24 or later, and this is Node 22\.1\.0\./,
    ),
  });
});
