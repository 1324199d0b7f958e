import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Plugin } from 'esbuild'

/**
 * The `plugin.ts` of a plugin that is a package of the workspace: its package.json names it as `botwright`. The bot then runs the
 * plugin's sources with its own, and reloads when they are saved. Undefined for every other import.
 */
export function pluginSource(specifier: string, resolveDir: string): string | undefined {
  if (!/^(?:@[^/]+\/)?[^./@][^/:]*$/.test(specifier)) return undefined
  const folder = linkedPackage(specifier, resolveDir)
  if (folder === undefined) return undefined
  const { botwright } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { botwright?: unknown }
  if (typeof botwright !== 'string') return undefined
  const source = join(folder, botwright)
  return existsSync(source) ? source : undefined
}

/** The folder of a package that is linked from elsewhere, as in workspaces. */
function linkedPackage(name: string, from: string): string | undefined {
  for (let at = from; ; at = dirname(at)) {
    const folder = join(at, 'node_modules', name)
    if (existsSync(join(folder, 'package.json'))) {
      const real = realpathSync(folder)
      return /[\\/]node_modules[\\/]/.test(real) ? undefined : real
    }
    if (dirname(at) === at) return undefined
  }
}

/** For `framework build`: plugins of the workspace become part of the build. */
export const bundlePlugins: Plugin = {
  name: 'botwright-plugins',
  setup(build) {
    build.onResolve({ filter: /^[^./]/ }, ({ path, resolveDir, kind }) => {
      const source = kind === 'entry-point' ? undefined : pluginSource(path, resolveDir)
      return source === undefined ? undefined : { path: source }
    })
  },
}
