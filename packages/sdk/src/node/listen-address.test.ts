import { afterEach, describe, expect, it, vi } from "vitest";
import { listenAddress } from "./listen-address.ts";

afterEach(() => void vi.unstubAllEnvs());

describe("AGATE_LISTEN", () => {
  it.each([
    ["unix:/run/app.sock", { kind: "unix", path: "/run/app.sock" }],
    ["tcp:0.0.0.0:65535", { kind: "tcp", hostname: "0.0.0.0", port: 65_535, isGiven: true }],
    ["tcp:[::1]:0", { kind: "tcp", hostname: "::1", port: 0, isGiven: true }],
  ])("%s comes before options and other variables", (given, address) => {
    vi.stubEnv("AGATE_LISTEN", given);
    vi.stubEnv("PORT", "1");
    expect(listenAddress({ port: 2, hostname: "192.0.2.1" })).toEqual(address);
  });

  it.each(["4101", "tcp:4101", "tcp:127.0.0.1:65536", "tcp:::1:4101", "unix:"])(
    "%s is refused",
    (given) => {
      vi.stubEnv("AGATE_LISTEN", given);
      expect(() => listenAddress({})).toThrow("is no address: write tcp:127.0.0.1:4101");
    },
  );
});
