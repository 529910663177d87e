import { expect, it } from "vitest";
import { blockedPort } from "./listen-address.ts";

const LAST_TRIED = 11_000;

/** Whether fetch refuses the port; nothing is sent. */
async function isRefusedByFetch(port: number): Promise<boolean> {
  const dispatch = () => {
    throw new Error("fetch would have connected");
  };
  const options = { dispatcher: { dispatch } } as unknown as RequestInit;
  const failed = await fetch(`http://127.0.0.1:${port}`, options).then(
    () => undefined,
    (error: Error) => String((error.cause as Error | undefined)?.message),
  );
  return failed === "bad port";
}

it("refuses the ports that fetch refuses, and no other", async () => {
  const differing: number[] = [];
  for (let port = 1; port <= LAST_TRIED; port++) {
    const isBlocked = blockedPort(port) !== undefined;
    if (isBlocked !== (await isRefusedByFetch(port))) differing.push(port);
  }
  expect(differing).toEqual([]);
  expect(blockedPort(4190)).toBe(
    "fetch and browsers do not connect to port 4190: neither workflows nor the web page could reach the server. Choose another with --port.",
  );
  // Any free one.
  expect(blockedPort(0)).toBeUndefined();
});
