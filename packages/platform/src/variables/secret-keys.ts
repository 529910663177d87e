import { createCipheriv, createDecipheriv, hash, randomBytes } from "node:crypto";

/** 32 bytes that seal secrets, and a name that reveals nothing about them. */
export interface SecretKey {
  /** The first 16 hex digits of the SHA-256 of the bytes: sealed texts name their key by it. */
  readonly id: string;
  readonly bytes: Buffer;
}

/** What a sealed text belongs to. It opens only for exactly these: rows that were swapped do not. */
export interface SecretOwner {
  readonly environmentId: string;
  readonly name: string;
  readonly version: number;
}

export type OpenedSecret =
  | { readonly kind: "opened"; readonly value: string }
  /** This server lacks its key, or the text is not what was sealed for this owner. */
  | { readonly kind: "unreadable"; readonly cause: "key-missing" | "damaged" };

/** Where keys come from. Read again when a text names an unknown key: keys can be added without a restart. */
export interface SecretKeySource {
  /** The first one seals. May be empty. @throws SecretKeyError */
  read(): readonly SecretKey[];
  /** Makes and stores a key where there is none; null where the operator has to provide one. */
  readonly create: (() => SecretKey) | null;
}

const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const FORMAT = "v1";
const ID_LENGTH = 16;
/** Characters at the start of a sealed text that name format and key: the same for all texts of a key. */
export const SEAL_PREFIX_LENGTH = `${FORMAT}.`.length + ID_LENGTH;

/** Seals secrets with the first key of its source (AES-256-GCM), and opens them with any. */
export class SecretKeys {
  readonly #source: SecretKeySource;
  #keys: readonly SecretKey[];

  /** @throws SecretKeyError */
  constructor(source: SecretKeySource) {
    this.#source = source;
    this.#keys = source.read();
  }

  /** Whether {@link seal} has a key, or can make one. */
  get canSeal(): boolean {
    return this.#keys.length > 0 || this.#source.create !== null;
  }

  /** Reads the keys again, for another first one. @throws SecretKeyError */
  reload(): void {
    this.#keys = this.#source.read();
  }

  /** @throws Error unless {@link canSeal}. */
  seal(value: string, owner: SecretOwner): string {
    const { id, bytes } = this.#first();
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv("aes-256-gcm", bytes, iv).setAAD(authenticated(owner));
    const sealed = Buffer.concat([cipher.update(value, "utf8"), cipher.final()]);
    const content = Buffer.concat([iv, cipher.getAuthTag(), sealed]);
    return `${FORMAT}.${id}.${content.toString("base64")}`;
  }

  open(text: string, owner: SecretOwner): OpenedSecret {
    const [format, id = "", base64 = ""] = text.split(".");
    const content = Buffer.from(base64, "base64");
    if (format !== FORMAT || content.length < IV_BYTES + TAG_BYTES) {
      return { kind: "unreadable", cause: "damaged" };
    }
    const key = this.#find(id);
    if (key === undefined) return { kind: "unreadable", cause: "key-missing" };
    const iv = content.subarray(0, IV_BYTES);
    const tag = content.subarray(IV_BYTES, IV_BYTES + TAG_BYTES);
    try {
      const decipher = createDecipheriv("aes-256-gcm", key.bytes, iv, { authTagLength: TAG_BYTES })
        .setAAD(authenticated(owner))
        .setAuthTag(tag);
      const opened = [decipher.update(content.subarray(IV_BYTES + TAG_BYTES)), decipher.final()];
      return { kind: "opened", value: Buffer.concat(opened).toString("utf8") };
    } catch {
      // The tag does not fit: OpenSSL gives no other reason.
      return { kind: "unreadable", cause: "damaged" };
    }
  }

  /** Whether a text, or its first {@link SEAL_PREFIX_LENGTH} characters, was sealed with a key that is here. */
  hasKeyOf(text: string): boolean {
    return this.#find(text.split(".")[1] ?? "") !== undefined;
  }

  /** Whether a text was sealed with the key that seals now. */
  isCurrent(text: string): boolean {
    return text.split(".")[1] === this.#keys[0]?.id;
  }

  #first(): SecretKey {
    const [first] = this.#keys;
    if (first !== undefined) return first;
    const made = this.#source.create?.();
    if (made === undefined) throw new Error("There is no key to seal a secret with.");
    this.#keys = [made];
    return made;
  }

  #find(id: string): SecretKey | undefined {
    const known = this.#keys.find((key) => key.id === id);
    if (known !== undefined) return known;
    try {
      this.reload();
    } catch (error) {
      // A key file that was damaged since the start: the keys that are known stay in use.
      if (!(error instanceof SecretKeyError)) throw error;
    }
    return this.#keys.find((key) => key.id === id);
  }
}

/** Without keys: plain variables work, secrets are refused. */
export function noSecretKeys(): SecretKeys {
  return new SecretKeys({ read: () => [], create: null });
}

function authenticated({ environmentId, name, version }: SecretOwner): Buffer {
  // JSON, so that no two owners give the same bytes.
  return Buffer.from(JSON.stringify([environmentId, name, version]));
}

export function newSecretKey(): SecretKey {
  return secretKey(randomBytes(KEY_BYTES));
}

function secretKey(bytes: Buffer): SecretKey {
  return { id: hash("sha256", bytes).slice(0, ID_LENGTH), bytes };
}

/** A key as a file or a variable has it. */
export function secretKeyText({ bytes }: SecretKey): string {
  return bytes.toString("base64");
}

/** The keys could not be read. The message says where and what to do, and nothing of the keys. */
export class SecretKeyError extends Error {
  override readonly name = "SecretKeyError";
}

/**
 * Reads keys, separated by commas or white space.
 *
 * @param where For the message: "AGATE_SECRET_KEY".
 * @throws SecretKeyError
 */
export function parseSecretKeys(text: string, where: string): readonly SecretKey[] {
  const words = text.split(/[\s,]+/).filter((word) => word !== "");
  return words.map((word, index) => {
    const bytes = Buffer.from(word, "base64");
    // Node skips what is no base64, and takes the alphabet of URLs too.
    const isBase64 = /^[A-Za-z0-9+/_-]+={0,2}$/.test(word);
    if (isBase64 && bytes.length === KEY_BYTES) return secretKey(bytes);
    const which = words.length === 1 ? "The key" : `Key ${index + 1}`;
    throw new SecretKeyError(
      `${which} in ${where} must be 32 bytes in base64 (got ${word.length} characters). \`openssl rand -base64 32\` makes one.`,
    );
  });
}
