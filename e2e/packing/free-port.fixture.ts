import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * A port that is free now, and that the system gives to no other program: it takes those of clients, and of
 * servers that ask for any port, from 32768 on.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(12_000, 32_000);
    const server = createServer().listen(port);
    const isFree = await Promise.race([
      once(server, "listening").then(() => true),
      once(server, "error").then(() => false),
    ]).catch(() => false);
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}
