import { join, relative } from 'node:path'
import { mountPlugins } from '@botwright/framework'
import { type BotFolder, loadedFiles } from '../files/bot-folder.ts'
import { pathBelow, slashed } from '../files/path-below.ts'
import type { PlacedPlugin } from './find-plugins.ts'

/** Adds plugins to the contents of the bot's own files. Throws `ERR_CONFLICT` and `ERR_DEFINITION`, naming both files. */
export function withPlugins(
  own: BotFolder,
  files: Iterable<string>,
  plugins: readonly PlacedPlugin[],
  root: string,
): BotFolder {
  if (plugins.length === 0) return own
  const manifest = mountPlugins(own.manifest, [...files], plugins)
  const places = new Map<string, string>()
  const installed = new Map<string, string>()
  const byPrefix = [...plugins].sort((a, b) => b.package.length - a.package.length)
  const place = (file: string, owner: string | undefined) => {
    const plugin = owner ? byPrefix.find((one) => one.name === owner) : undefined
    if (!plugin) return
    const path = join(plugin.folder, file.slice(plugin.package.length + 1))
    // Node requires an import attribute for JSON, so it is always compiled.
    if (plugin.isSource || path.endsWith('.json')) places.set(file, slashed(relative(root, path)))
    else installed.set(file, path)
  }
  for (const entry of manifest.entries) place(entry.file, entry.plugin)
  for (const { name, context, data = [] } of manifest.plugins ?? []) {
    if (context !== undefined) place(context, name)
    for (const one of data) place(one.file, one.owner)
  }
  return { ...own, manifest, places, installed }
}

/** The module of each file that is loaded by name: as it was compiled, or as it is installed. */
export function modulesOf(folder: BotFolder, compiled: Readonly<Record<string, string>>): Record<string, string> {
  if (!folder.places) return { ...compiled }
  return Object.fromEntries(
    [...loadedFiles(folder), ...(folder.configFile === undefined ? [] : [folder.configFile])].map((file) => [
      file,
      folder.installed?.get(file) ?? compiled[folder.places?.get(file) ?? file]!,
    ]),
  )
}

/** The path `npm:<package>/<file>`, which identifies a file of an installed package in a build. */
export function installedName(path: string, plugins: readonly PlacedPlugin[]): string {
  for (const plugin of plugins) {
    const file = pathBelow(plugin.packageFolder, path)
    if (file !== undefined) return `npm:${plugin.packageName}/${file}`
  }
  return path
}
