import { sql } from "kysely";
import { codeOf } from "../postgres/postgres-errors.ts";
import type { RegistryDatabase } from "./registry-tables.ts";
import type { BuildArchives } from "./shared-builds.ts";

/** Small enough for a statement that never takes long, and for little memory at both ends. */
const PART_BYTES = 1024 * 1024;

/** PostgreSQL's code for a row that refers to none. */
const FOREIGN_KEY_VIOLATION = "23503";

interface BuildArchivesTable {
  build_id: string;
  /** 0, 1, 2 … */
  part: number;
  bytes: Uint8Array;
}

/** Archives as rows beside the records of builds, where every replica finds them. */
export function createPostgresBuildArchives(registry: RegistryDatabase): BuildArchives {
  const db = registry.withTables<{ build_archives: BuildArchivesTable }>();
  return {
    async keep(buildId, archive) {
      const count = Math.ceil(archive.byteLength / PART_BYTES);
      for (let part = 0; part < count; part++) {
        const at = part * PART_BYTES;
        // A Buffer: the client would write any other array as JSON.
        const bytes = Buffer.from(archive.subarray(at, at + PART_BYTES));
        const insert = db.insertInto("build_archives").values({ build_id: buildId, part, bytes });
        try {
          await insert.execute();
        } catch (error) {
          if (codeOf(error) === FOREIGN_KEY_VIOLATION) return;
          throw error;
        }
      }
    },

    async read(buildId) {
      const parts: Uint8Array[] = [];
      for (;;) {
        const row = await db
          .selectFrom("build_archives")
          .select("bytes")
          .where("build_id", "=", buildId)
          .where("part", "=", parts.length)
          .executeTakeFirst();
        if (row === undefined) break;
        parts.push(row.bytes);
      }
      return parts.length === 0 ? undefined : Buffer.concat(parts);
    },

    async keepOnly(applicationId, buildIds, token) {
      const builds = db
        .selectFrom("builds")
        .select("id")
        .where("application_id", "=", applicationId)
        .$if(buildIds.size > 0, (query) => query.where("id", "not in", [...buildIds]));
      const lease = sql`SELECT FROM agate.deploy_leases
        WHERE application_id = ${applicationId} AND token = ${token}`;
      await db
        .deleteFrom("build_archives")
        .where("build_id", "in", builds)
        .$if(token !== null, (query) => query.where(sql<boolean>`EXISTS (${lease})`))
        .execute();
    },
  };
}
