import type { Scope } from "@agate/protocol";
import { hashApiKey, newApiKeyText } from "./api-key-text.ts";
import type { KeyRing } from "./key-ring.ts";
import { heldKey } from "./key-ring.ts";

/** Keys that the platform makes for programs that it runs itself. */
export interface InternalKeys {
  /**
   * A key that is kept in memory only and gone with the process. No rate limit holds for it.
   *
   * @example
   * const access = internalKeys.issue({ project, name: "build 3 of support", scopes: ["ingest", "read"] });
   * start({ AGATE_API_KEY: access.key });
   * access.revoke();
   */
  issue(key: InternalKeyRequest): InternalKey;
}

export interface InternalKeyRequest {
  /** The project's id. */
  readonly project: string;
  readonly scopes: readonly Scope[];
  readonly name: string;
}

export interface InternalKey {
  readonly key: string;
  revoke(): void;
}

export function createInternalKeys(ring: KeyRing): InternalKeys {
  return {
    issue({ project, scopes, name }) {
      const { key } = newApiKeyText();
      const held = heldKey(
        { hash: hashApiKey(key), id: null, bucket: null },
        { project, name, scopes: new Set(scopes) },
      );
      ring.add(held);
      return { key, revoke: () => ring.remove(held) };
    },
  };
}
