import * as ag from "@agate/sdk";

/**
 * Serves the routes and prints the address. Told to end (SIGTERM), it prints what became of the
 * spans; the process ends then, if nothing keeps it alive.
 *
 * @param closeOthers Called when every call is answered and every span is sent.
 */
export async function serveUntilTold(
  closeOthers: () => PromiseLike<unknown> = async () => {},
): Promise<void> {
  const serving = await ag.serve({ signals: false });
  process.once("SIGTERM", async () => {
    await serving.close();
    await closeOthers();
    console.log(JSON.stringify({ statistics: ag.exportStatistics() }));
  });
  console.log(serving.url);
}
