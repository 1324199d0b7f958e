/** The part of Vite's resolved configuration that decides what tests load. */
interface ResolvedConfig {
  ssr: { resolve?: { conditions?: string[] } }
}

/**
 * A plugin for `vitest.config.ts`: tests load packages with the conditions of Node, as the bot does. Vitest adds `development`, which
 * production does not have.
 */
export function botwright(): { name: string; configResolved: (config: ResolvedConfig) => void } {
  return {
    name: 'botwright',
    configResolved({ ssr: { resolve } }) {
      if (resolve?.conditions)
        resolve.conditions = resolve.conditions.filter((one) => !/^(?:development|production)\b/.test(one))
    },
  }
}
