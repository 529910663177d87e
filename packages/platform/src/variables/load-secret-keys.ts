import { closeSync, fsyncSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SecretKeySource } from "./secret-keys.ts";
import {
  newSecretKey,
  parseSecretKeys,
  SecretKeyError,
  SecretKeys,
  secretKeyText,
} from "./secret-keys.ts";

export interface SecretKeyOptions {
  /** The variables of the server's process. */
  readonly environment: NodeJS.ProcessEnv;
  readonly dataDirectory: string;
  /** Whether the registry is in the data directory. A shared one is used by servers that must have the same key. */
  readonly isEmbedded: boolean;
}

/** The file in the data directory with the key that Agate made. Backups never hold it. */
export const SECRET_KEY_FILE = "secret.key";

/**
 * The keys that secrets are sealed with: those of `AGATE_SECRET_KEY_FILE` or `AGATE_SECRET_KEY`. Without
 * either, beside an embedded registry, one in the data directory, made with the first secret.
 *
 * @throws SecretKeyError
 */
export function loadSecretKeys(options: SecretKeyOptions): SecretKeys {
  return new SecretKeys(keySource(options));
}

function keySource(options: SecretKeyOptions): SecretKeySource {
  const { environment, dataDirectory, isEmbedded } = options;
  const { AGATE_SECRET_KEY: text = "", AGATE_SECRET_KEY_FILE: file = "" } = environment;
  if (text !== "" && file !== "") {
    throw new SecretKeyError("Set AGATE_SECRET_KEY or AGATE_SECRET_KEY_FILE, not both.");
  }
  if (file !== "") return { read: () => readKeyFile(file), create: null };
  if (text !== "") return { read: () => parseSecretKeys(text, "AGATE_SECRET_KEY"), create: null };
  if (!isEmbedded) return { read: () => [], create: null };
  const own = join(dataDirectory, SECRET_KEY_FILE);
  return {
    read: () => readKeyFile(own, "optional"),
    create: () => {
      const key = newSecretKey();
      writeDurably(own, `${secretKeyText(key)}\n`);
      return key;
    },
  };
}

function readKeyFile(file: string, presence: "required" | "optional" = "required") {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (presence === "optional" && code === "ENOENT") return [];
    throw new SecretKeyError(`The key file ${file} cannot be read (${code}).`, { cause: error });
  }
  const keys = parseSecretKeys(text, file);
  if (keys.length === 0) {
    throw new SecretKeyError(
      `The key file ${file} is empty. \`openssl rand -base64 32\` makes a key.`,
    );
  }
  return keys;
}

/** On the disk when it returns: what is sealed with a key that a power failure takes is lost. */
function writeDurably(file: string, text: string): void {
  writeFileSync(file, text, { flag: "wx", mode: 0o600, flush: true });
  const folder = openSync(dirname(file), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
