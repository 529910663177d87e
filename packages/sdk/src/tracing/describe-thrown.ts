/** A thrown value by what can be read of it. */
export interface ThrownDescription {
  readonly message: string;
  readonly name?: string;
  readonly code?: string | number;
  readonly stack?: string;
}

/**
 * Describes any thrown value. Never throws: proxies, getters and objects without a prototype
 * are described by what they allow to be read.
 */
export function describeThrown(thrown: unknown): ThrownDescription {
  const message = messageOf(thrown);
  if (!isError(thrown)) return { message };
  const name = readable(() => thrown.name);
  const code = readable(() => (thrown as { readonly code?: unknown }).code);
  const stack = readable(() => thrown.stack);
  return {
    message,
    ...(typeof name === "string" && { name }),
    ...((typeof code === "string" || typeof code === "number") && { code }),
    ...(typeof stack === "string" && { stack }),
  };
}

function isError(thrown: unknown): thrown is Error {
  // Asks a proxy for its prototype, which a revoked one refuses.
  return readable(() => thrown instanceof Error) === true;
}

function readable(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** The message of a thrown value of any kind. Never throws, and always a string. */
export function messageOf(thrown: unknown): string {
  try {
    if (!(thrown instanceof Error)) return String(thrown);
    const message: unknown = thrown.message || thrown.name;
    return typeof message === "string" ? message : String(message);
  } catch {
    return "The thrown value has no readable message.";
  }
}
