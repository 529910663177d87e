import type { Revision } from "@agate/protocol";
import type { Platform, PlatformTests } from "../with-platform.ts";

/** Makes and reads variants of the quickstart over HTTP, as a colleague would. */
export function variantsOf(registry: PlatformTests<Platform>["registry"]) {
  const send = <T>(method: string, path: string, body?: unknown) =>
    registry<T>(method, `/applications/quickstart${path}`, body);
  const commit = (slug: string, base_revision: number, params: object, message: string) =>
    send<Revision>("POST", `/variants/${slug}/revisions`, { params, base_revision, message });
  return {
    send,
    commit,
    /** A variant of its own for each test: they run beside each other in one registry. */
    async makeVariant(slug: string, params: object): Promise<void> {
      await send("POST", "/variants", { slug });
      await commit(slug, 0, params, "First");
    },
    latest: (slug: string) => send<Revision>("GET", `/variants/${slug}/revisions/latest`),
  };
}
