import type { PackedBuild } from "../pack-app.ts";

/** The folder of the image that the program runs in, and the one of the context that it comes from. */
const APP_FOLDER = "app";

export interface DockerOptions {
  readonly port: number;
}

/** A folder that `docker build` makes an image of: the build, and how it is run. */
export function dockerFiles(
  build: PackedBuild,
  options: DockerOptions,
): ReadonlyMap<string, string | Uint8Array> {
  const files = [...build.files].map(([path, bytes]) => [`${APP_FOLDER}/${path}`, bytes] as const);
  return new Map<string, string | Uint8Array>([
    [".dockerignore", `*\n!${APP_FOLDER}\n${APP_FOLDER}/node_modules\n`],
    ["Dockerfile", dockerfile(build, options)],
    ...files,
  ]);
}

/** The program that asks a container's workflow whether it is well. */
export function healthCheck(port: number): string {
  return `fetch("http://127.0.0.1:${port}/health").then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))`;
}

function dockerfile({ manifest }: PackedBuild, { port }: DockerOptions): string {
  const { application, entry, install } = manifest;
  return `# syntax=docker/dockerfile:1
# Made by agate build. Make it again instead of editing it.
ARG NODE_IMAGE=node:24-slim
FROM \${NODE_IMAGE}
ENV NODE_ENV=production
ENV AGATE_APPLICATION=${application}
ENV AGATE_LISTEN=tcp:0.0.0.0:${port}
WORKDIR /${APP_FOLDER}
${install === null ? "" : INSTALL}COPY ${APP_FOLDER}/ ./
USER node
EXPOSE ${port}
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --start-interval=1s --retries=3 \\
  CMD ${JSON.stringify(["node", "-e", healthCheck(port)])}
CMD ${JSON.stringify(["node", "--enable-source-maps", entry])}
`;
}

/** Before the sources, so that a change to them installs nothing anew. */
const INSTALL = `COPY ${APP_FOLDER}/package.json ${APP_FOLDER}/package-lock.json ./
RUN --mount=type=cache,target=/root/.npm \\
  npm ci --omit=dev --no-audit --no-fund
`;
