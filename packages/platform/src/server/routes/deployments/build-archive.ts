import { mayIn } from "../../../access/caller.ts";
import { limitProblem } from "../../admit.ts";
import { problemAnswer, problemsAnswer } from "../../answer.ts";
import { content, type Route } from "../../route.ts";
import { registryRoute } from "../registry/registry-route.ts";
import { BUILDS, type DeploymentRouteDependencies } from "./builds.ts";

const ARCHIVE_TYPE = "application/gzip";

/**
 * `GET …/builds/{build}/archive`: the code of a build, for `agate eval`, which runs it on another
 * machine. Not for `read`: code is more than configurations and traces.
 */
export function buildArchiveRoute(dependencies: DeploymentRouteDependencies): Route {
  const { deployer, applications, builds, maxBodyBytes } = dependencies;
  return registryRoute(maxBodyBytes, {
    method: "GET",
    path: `${BUILDS}/{build}/archive`,
    tag: "deployments",
    access: ["evaluate", "deploy"],
    limitedKeys: "checked",
    id: "getBuildArchive",
    summary: "Download a build",
    description:
      "Its files as a gzipped tar, without installed packages. It is packed anew, so its bytes can differ from those that were uploaded: compare `agate-build.json` in it with the build's `manifest_sha256`, and the other files with that. A key that is limited to environments gets the builds that are live there.",
    success: content(ARCHIVE_TYPE, "The archive."),
    answer: async ({ ref, params, caller }) => {
      const application = await applications.get(ref);
      if (application.kind === "refused") return problemsAnswer(application.problems);
      const found = await builds.get(ref, params.build);
      if (found.kind === "refused") return problemsAnswer(found.problems);
      const { id, number, environments } = found.value;
      const isWithin = environments.some((slug) =>
        mayIn(caller, { application: application.value, slug }),
      );
      const beyond = isWithin
        ? undefined
        : limitProblem(caller, `build ${number} is not live there`);
      if (beyond !== undefined) return problemAnswer(beyond);
      const open = await deployer.archive(id);
      if (open !== undefined) {
        return { kind: "stream", status: 200, contentType: ARCHIVE_TYPE, open };
      }
      const msg = `The platform has no files of build ${number}: it runs elsewhere, was refused, or they are no longer kept.`;
      return problemAnswer({ type: "build_not_found", loc: ["path", "build"], msg });
    },
  });
}
