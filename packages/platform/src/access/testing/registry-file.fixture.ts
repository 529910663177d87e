import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteRegistry } from "../../stores/registry/open-sqlite-registry.ts";
import { LocalSignals } from "../../stores/registry/registry-signals.ts";
import type { RegistryDatabase } from "../../stores/registry/registry-tables.ts";
import type { OpenAccess } from "../open-access.ts";
import { openAccess } from "../open-access.ts";

/** A registry in a folder of its own, with the projects `default`, `red` and `blue`. */
export interface RegistryFile extends AsyncDisposable {
  readonly directory: string;
  readonly db: RegistryDatabase;
  readonly signals: LocalSignals;
  /** Access as a process that starts now would have it. Times come from {@link clock}. */
  open(options?: {
    readonly policy?: "loopback" | "keys";
    readonly rateLimit?: number;
    /** Instead of {@link db}: the same through another door. */
    readonly through?: RegistryDatabase;
  }): Promise<OpenAccess>;
  /** Milliseconds since 1970. */
  readonly clock: { now: number };
  /** What was reported about keys that open nothing: how many, each time. */
  readonly attempts: number[];
}

export const RED = "prj_redredredredredredre";
export const BLUE = "prj_blueblueblueblueblue";

export async function registryFile(): Promise<RegistryFile> {
  const directory = mkdtempSync(join(tmpdir(), "agate-access-"));
  const db = await openSqliteRegistry(directory);
  const created_at = "2026-11-15T10:00:00.000Z";
  await db
    .insertInto("projects")
    .values([
      { id: "default", slug: "default", created_at },
      { id: RED, slug: "red", created_at },
      { id: BLUE, slug: "blue", created_at },
    ])
    .execute();
  const signals = new LocalSignals();
  const clock = { now: Date.parse("2026-11-15T10:00:30.000Z") };
  const attempts: number[] = [];
  const opened: OpenAccess[] = [];
  return {
    directory,
    db,
    signals,
    clock,
    attempts,
    async open({ policy = "keys", rateLimit = 0, through = db } = {}) {
      const access = await openAccess({
        db: through,
        signals,
        policy,
        rateLimit,
        onInvalidKeys: (count) => attempts.push(count),
        onSaveFailed: (error) => {
          throw error;
        },
        onReloadFailed: (error) => {
          throw error;
        },
        now: () => clock.now,
      });
      opened.push(access);
      return access;
    },
    async [Symbol.asyncDispose]() {
      // Each writes what it has noted, now and not half a minute later.
      for (const access of opened) await access.close();
      await db.destroy();
      await rm(directory, { recursive: true });
    },
  };
}
