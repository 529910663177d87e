import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { chown, mkdir, mkdtemp, readdir, rm, utimes } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { sweepProcessFolders } from "./process-folders.ts";

it("removes folders of killed processes, and no other", async () => {
  const parent = await mkdtemp(join(tmpdir(), "agate-sweep-"));
  const folder = async (name: string) => {
    await mkdir(join(parent, name));
    return join(parent, name);
  };
  const listening = join(await folder("agate-LivE01"), "socket");
  const live = createServer().listen(listening);
  await once(live, "listening");
  // A killed process leaves its socket behind. It refuses connections like one that is not listened at yet.
  const refusing = async (name: string) => {
    const path = join(await folder(name), "socket");
    const program = `require("net").createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, "SIGKILL"))`;
    expect(() => execFileSync(process.execPath, ["-e", program], { stdio: "ignore" })).toThrow();
    return dirname(path);
  };
  const dead = await refusing("agate-DeaD01");
  await refusing("agate-BounD1");
  await folder("agate-NeW001");
  const old = await folder("agate-OlD001");
  const others = await folder("agate-e2e-OlD001");
  const anHourAgo = new Date(Date.now() - 3_600_000);
  for (const path of [dirname(listening), dead, old, others])
    await utimes(path, anHourAgo, anHourAgo);

  await sweepProcessFolders(null, parent);
  expect((await readdir(parent)).sort()).toEqual([
    "agate-BounD1",
    "agate-LivE01",
    "agate-NeW001",
    "agate-e2e-OlD001",
  ]);
  live.close();
  await rm(parent, { recursive: true });
});

it.runIf(process.getuid?.() === 0)(
  "removes those of build users, and of no other user",
  async () => {
    const parent = await mkdtemp(join(tmpdir(), "agate-sweep-"));
    const anHourAgo = new Date(Date.now() - 3_600_000);
    const users = { first: 60_600, last: 60_602 };
    for (const user of [60_599, 60_600, 60_602, 60_603]) {
      const folder = join(parent, `agate-u${user}`);
      await mkdir(join(folder, "home"), { recursive: true });
      for (const path of [join(folder, "home"), folder]) {
        await chown(path, user, user);
        await utimes(path, anHourAgo, anHourAgo);
      }
    }
    await sweepProcessFolders(null, parent);
    expect(await readdir(parent)).toHaveLength(4);
    await sweepProcessFolders(users, parent);
    expect((await readdir(parent)).sort()).toEqual(["agate-u60599", "agate-u60603"]);
    await rm(parent, { recursive: true });
  },
);
