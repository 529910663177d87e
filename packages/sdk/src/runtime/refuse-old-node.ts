/** The oldest Node that works, as `engines` of package.json has it. */
const OLDEST = { major: 22, minor: 15 };

interface ProcessLike {
  readonly versions?: Readonly<Record<string, string | undefined>>;
  readonly stderr?: { write(text: string): unknown };
  exit?(code: number): never;
}

/**
 * Ends a process whose Node is too old with one sentence. npm only warns about `engines`, and the SDK would
 * load and fail later, at the first stream, with an error that does not name the reason.
 */
export function refuseOldNode(): void {
  const { process } = globalThis as { process?: ProcessLike };
  const { node, bun, deno } = process?.versions ?? {};
  // Others say which Node they are compatible with, too.
  if (node === undefined || bun !== undefined || deno !== undefined) return;
  const [major = 0, minor = 0] = node.split(".").map(Number);
  if (major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor)) return;
  process?.stderr?.write(
    `@agate/sdk needs Node ${OLDEST.major}.${OLDEST.minor} or later, and this is Node ${node}. Install a newer Node: https://nodejs.org/en/download\n`,
  );
  process?.exit?.(1);
}
