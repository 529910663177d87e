const FIRST_MS = 250;
const LONGEST_MS = 30_000;

/**
 * How long to wait before a build is started again. The first time not at all: most crashes happen
 * once. Then longer and longer, and never for all applications in the same moment.
 *
 * @param failures How often it has crashed or not started since it last ran well; 1 at least.
 * @param random From 0 up to 1.
 */
export function restartDelay(failures: number, random: number): number {
  if (failures <= 1) return 0;
  const longest = Math.min(FIRST_MS * 2 ** (failures - 2), LONGEST_MS);
  return Math.round(longest * (0.5 + random / 2));
}
