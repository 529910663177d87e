// What `agate eval` runs builds of a platform with, on its own machine.
export { prepareFetchedBuild } from "../deployments/hosting/prepare-fetched-build.ts";
