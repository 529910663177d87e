/**
 * A size for people, in the units of the command line.
 *
 * @example formatBytes(194_519) // "190 KB"
 */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const kilobytes = bytes / 1024;
  if (kilobytes < 1023.5)
    return `${kilobytes < 9.95 ? kilobytes.toFixed(1) : kilobytes.toFixed(0)} KB`;
  const megabytes = kilobytes / 1024;
  return `${megabytes < 9.95 ? megabytes.toFixed(1) : megabytes.toFixed(0)} MB`;
}
