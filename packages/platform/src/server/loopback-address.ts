/**
 * Whether a server that listens on this address can be reached from this machine only. In a file of its own:
 * `agate --help` loads it, and must not load the routes of the server.
 */
export function isLoopbackAddress(address: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/i.test(address);
}
