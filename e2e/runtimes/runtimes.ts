/** The runtimes that the SDK is tested on, in the order of the table in the documentation. */
export const RUNTIMES = {
  node22: { title: "Node 22" },
  node24: { title: "Node 24" },
  bun: { title: "Bun" },
  deno: { title: "Deno `-A`" },
  "deno-net": { title: "Deno `--allow-net`" },
  workerd: { title: "Cloudflare Workers" },
} as const;

export type RuntimeId = keyof typeof RUNTIMES;
