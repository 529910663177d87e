import type { ApiKey, CreatedApiKey, Scope } from "@agate/protocol";
import type { RegistryDatabase } from "../stores/registry/registry-tables.ts";
import { SerialQueue } from "../stores/registry/serial-queue.ts";
import { hashApiKey, isApiKeyId, newApiKeyId, newApiKeyText } from "./api-key-text.ts";
import type { HeldKey, KeyRing, RateLimit } from "./key-ring.ts";
import { heldKey, TokenBucket } from "./key-ring.ts";
import type { LastUses } from "./last-uses.ts";

export interface ApiKeysOptions {
  readonly db: RegistryDatabase;
  readonly ring: KeyRing;
  readonly lastUses: LastUses;
  /** Of each key; null: none. */
  readonly rateLimit: RateLimit | null;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The project was deleted meanwhile, perhaps by another replica. */
export class ProjectGoneError extends Error {
  override readonly name = "ProjectGoneError";
}

/** What a new key may do. */
export interface NewApiKey {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** The environments that it is limited to; null, or absent: no limit. */
  readonly environments?: readonly string[] | null | undefined;
}

/** The keys that users created: their hashes are in the registry and in the key ring. */
export class ApiKeys {
  readonly #options: ApiKeysOptions;
  /** Keeps a reload from dropping a key that is just being created. */
  readonly #queue = new SerialQueue();

  constructor(options: ApiKeysOptions) {
    this.#options = options;
  }

  /**
   * @param project Its id.
   * @throws ProjectGoneError
   */
  create(project: string, key: NewApiKey): Promise<CreatedApiKey> {
    const { name, scopes, environments = null } = key;
    return this.#queue.run(async () => {
      const { db, now } = this.#options;
      const { key: text, prefix } = newApiKeyText();
      const id = newApiKeyId();
      const created_at = new Date(now()).toISOString();
      const row = { id, project_id: project, name, prefix, hash: hashApiKey(text), created_at };
      const values = {
        ...row,
        scopes: JSON.stringify(scopes),
        environments: environments && JSON.stringify(environments),
        last_used_at: null,
      };
      await db.transaction().execute(async (tx) => {
        const found = tx.selectFrom("projects").select("id").where("id", "=", project);
        await found.executeTakeFirstOrThrow(() => new ProjectGoneError(`${project} is gone`));
        await tx.insertInto("api_keys").values(values).execute();
      });
      this.#hold({ ...row, scopes, environments });
      return { id, prefix, name, scopes, environments, created_at, last_used_at: null, key: text };
    });
  }

  /** Oldest first. */
  async list(project: string): Promise<readonly ApiKey[]> {
    const { db, lastUses } = this.#options;
    const rows = await db
      .selectFrom("api_keys")
      .select(["id", "prefix", "name", "scopes", "environments", "created_at", "last_used_at"])
      .where("project_id", "=", project)
      .orderBy("created_at")
      .orderBy("id")
      .execute();
    return rows.map((row) => ({
      ...row,
      ...permissionsOf(row),
      last_used_at: later(lastUses.of(row.id), row.last_used_at),
    }));
  }

  /** Revokes a key, and ends the streams that were opened with it. */
  async revoke(project: string, id: string): Promise<"revoked" | "missing"> {
    // The id may be any text, and PostgreSQL rejects NUL.
    if (!isApiKeyId(id)) return "missing";
    return this.#queue.run(async () => {
      const { db } = this.#options;
      const { numDeletedRows } = await db
        .deleteFrom("api_keys")
        .where("id", "=", id)
        .where("project_id", "=", project)
        .executeTakeFirst();
      if (numDeletedRows === 0n) return "missing";
      this.#drop((key) => key.id === id);
      return "revoked";
    });
  }

  /** Whether a key exists that can create further keys of every kind. */
  async hasAdmin(): Promise<boolean> {
    const unlimited = this.#options.db.selectFrom("api_keys").where("environments", "is", null);
    const rows = await unlimited.select("scopes").execute();
    return rows.some((row) => readScopes(row.scopes).includes("admin"));
  }

  /** Loads changes of other replicas, and the keys that went with a deleted project. */
  reload(db: RegistryDatabase = this.#options.db): Promise<void> {
    return this.#queue.run(async () => {
      const { ring } = this.#options;
      const rows = await db
        .selectFrom("api_keys")
        .select(["id", "project_id", "name", "hash", "scopes", "environments"])
        .execute();
      const hashes = new Set(rows.map(({ hash }) => hash));
      this.#drop((key) => key.id !== null && !hashes.has(key.hash));
      for (const row of rows) {
        if (!ring.has(row.hash)) this.#hold({ ...row, ...permissionsOf(row) });
      }
    });
  }

  /** Loads a key that another replica has created, by its hash, if it exists. */
  lookUp(hash: string, db: RegistryDatabase = this.#options.db): Promise<void> {
    return this.#queue.run(async () => {
      const { ring } = this.#options;
      if (ring.has(hash)) return;
      const row = await db
        .selectFrom("api_keys")
        .select(["id", "project_id", "name", "hash", "scopes", "environments"])
        .where("hash", "=", hash)
        .executeTakeFirst();
      if (row !== undefined) this.#hold({ ...row, ...permissionsOf(row) });
    });
  }

  #hold(key: {
    readonly id: string;
    readonly project_id: string;
    readonly name: string;
    readonly hash: string;
    readonly scopes: readonly Scope[];
    readonly environments: readonly string[] | null;
  }): void {
    const { ring, rateLimit, now } = this.#options;
    const { hash, id, name, project_id: project } = key;
    const scopes = new Set(key.scopes);
    const limit = rateOf(key.scopes, rateLimit);
    const bucket = limit && new TokenBucket(limit, now());
    const environments = key.environments && new Set(key.environments);
    ring.add(heldKey({ hash, id, bucket }, { project, name, scopes, environments }));
  }

  #drop(isGone: (key: HeldKey) => boolean): void {
    const { ring, lastUses } = this.#options;
    for (const key of [...ring.keys()].filter(isGone)) {
      ring.remove(key);
      if (key.id !== null) lastUses.forget(key.id);
    }
  }
}

/** Of a key that may only score: anyone who visits a page has it. */
const VISITOR_RATE: RateLimit = { perSecond: 50, burst: 100 };

function rateOf(scopes: readonly Scope[], rate: RateLimit | null): RateLimit | null {
  const isVisitor = scopes.every((scope) => scope === "score");
  if (!isVisitor || (rate !== null && rate.perSecond <= VISITOR_RATE.perSecond)) return rate;
  return VISITOR_RATE;
}

/** Other replicas record uses as well. */
function later(a: string | null, b: string | null): string | null {
  return a === null || (b !== null && b > a) ? b : a;
}

/** As the registry has them. */
function permissionsOf(row: { readonly scopes: string; readonly environments: string | null }) {
  const environments = row.environments && (JSON.parse(row.environments) as string[]);
  return { scopes: readScopes(row.scopes), environments: environments || null };
}

function readScopes(json: string): Scope[] {
  return JSON.parse(json) as Scope[];
}
