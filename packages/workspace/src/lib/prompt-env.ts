/** The environment of a shell outside a test run. */
export const promptEnv = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:VITEST|NODE_|TEST$)/.test(name)))
