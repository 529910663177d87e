/** Arguments that many commands have: `.argument(...APP)`. */
export const APP = ["<app>", "name or id of the application"] as const;
export const VARIANT = ["<variant>", "name or id of the variant"] as const;
export const ENVIRONMENT = ["<environment>", "name or id of the environment"] as const;
export const PROJECT = ["<project>", "name or id of the project"] as const;
