import type { RegistryDatabase } from "../stores/registry/registry-tables.ts";
import { SerialQueue } from "../stores/registry/serial-queue.ts";
import { hashApiKey, isSessionToken, newSessionToken } from "./api-key-text.ts";
import type { Caller } from "./caller.ts";
import type { HeldKey, KeyRing } from "./key-ring.ts";
import { Revocation } from "./revocation.ts";

/** How long a browser stays signed in. */
export const SESSION_MS = 30 * 24 * 60 * 60 * 1000;
/** Of one key: further sign-ins end its oldest sessions, so that they do not accumulate. */
const MOST_PER_KEY = 100;

export interface SessionsOptions {
  readonly db: RegistryDatabase;
  readonly ring: KeyRing;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly mostPerKey?: number;
}

/** The session of a signed-in browser. */
export interface HeldSession {
  /** Its permissions and rate limit are those of the key. */
  readonly key: HeldKey;
  /** The key's caller, whose streams also end with the session. */
  readonly caller: Caller;
  readonly expiresAt: number;
  /** What ends with the session. It is a use of the key itself. */
  readonly revocation: Revocation;
}

/**
 * The sessions of the page: in the registry by their hashes, so that every server knows them, and in
 * memory. Each belongs to an API key and ends with it.
 */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #byHash = new Map<string, HeldSession>();
  /** Keeps a reload from dropping a session that is just being created. */
  readonly #queue = new SerialQueue();

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /**
   * Begins a session with a key.
   *
   * @returns The token for the cookie; undefined for an invalid key.
   */
  create(keyText: string): Promise<string | undefined> {
    return this.#queue.run(async () => {
      const { ring, now } = this.#options;
      const key = ring.find(`Bearer ${keyText}`);
      if (key === undefined) return undefined;
      const token = newSessionToken();
      const hash = hashApiKey(token);
      const time = now();
      // A key that the platform issued itself is in no table: its sessions stay in memory, like the key.
      if (key.id !== null && !(await this.#store(key.id, hash, time))) return undefined;
      this.#hold(hash, key, time + SESSION_MS);
      return token;
    });
  }

  /** The session of a cookie; undefined when it has ended. */
  find(token: string): HeldSession | undefined {
    const session = this.#byHash.get(hashApiKey(token));
    if (session === undefined) return undefined;
    const { ring, now } = this.#options;
    return now() < session.expiresAt && ring.holds(session.key) ? session : undefined;
  }

  /** Ends a session, on every server, if it exists. */
  async end(token: string): Promise<void> {
    if (!isSessionToken(token)) return;
    const hash = hashApiKey(token);
    await this.#queue.run(async () => {
      await this.#options.db.deleteFrom("sessions").where("hash", "=", hash).execute();
      this.#drop(hash);
    });
  }

  /** Loads changes of other servers. To be called after the keys were reloaded. */
  reload(db: RegistryDatabase): Promise<void> {
    return this.#queue.run(async () => {
      const { ring, now } = this.#options;
      const rows = await db
        .selectFrom("sessions")
        .select(["hash", "key_id", "expires_at"])
        .where("expires_at", ">", new Date(now()).toISOString())
        .execute();
      const stored = new Set(rows.map(({ hash }) => hash));
      for (const [hash, { key }] of this.#byHash) {
        if (!ring.holds(key) || (key.id !== null && !stored.has(hash))) this.#drop(hash);
      }
      const keys = new Map([...ring.keys()].map((key) => [key.id, key]));
      for (const { hash, key_id, expires_at } of rows) {
        const key = keys.get(key_id);
        if (key !== undefined && !this.#byHash.has(hash)) {
          this.#hold(hash, key, Date.parse(expires_at));
        }
      }
    });
  }

  /** @returns false where the key was revoked meanwhile. */
  async #store(keyId: string, hash: string, time: number): Promise<boolean> {
    const { db, mostPerKey = MOST_PER_KEY } = this.#options;
    const created_at = new Date(time).toISOString();
    const expires_at = new Date(time + SESSION_MS).toISOString();
    const ended = await db.transaction().execute(async (tx) => {
      const key = tx.selectFrom("api_keys").select("id").where("id", "=", keyId);
      if ((await key.executeTakeFirst()) === undefined) return undefined;
      await tx.deleteFrom("sessions").where("expires_at", "<=", created_at).execute();
      await tx
        .insertInto("sessions")
        .values({ hash, key_id: keyId, created_at, expires_at })
        .execute();
      const oldest = await tx
        .selectFrom("sessions")
        .select("hash")
        .where("key_id", "=", keyId)
        .orderBy("created_at", "desc")
        .orderBy("hash")
        .execute();
      const surplus = oldest.filter((row) => row.hash !== hash).slice(mostPerKey - 1);
      const hashes = surplus.map((row) => row.hash);
      if (hashes.length > 0) await tx.deleteFrom("sessions").where("hash", "in", hashes).execute();
      return hashes;
    });
    for (const each of ended ?? []) this.#drop(each);
    return ended !== undefined;
  }

  #hold(hash: string, key: HeldKey, expiresAt: number): void {
    const revocation = new Revocation();
    key.revocation.add(revocation);
    const caller = { ...key.caller, revocation };
    this.#byHash.set(hash, { key, caller, expiresAt, revocation });
  }

  #drop(hash: string): void {
    const session = this.#byHash.get(hash);
    if (session === undefined) return;
    this.#byHash.delete(hash);
    session.key.revocation.remove(session.revocation);
    session.revocation.revoke();
  }
}
