import { existsSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder, type ProgramIo, readPackageJson } from '@botwright/framework/start'
import { BotwrightError } from '@botwright/protocol/facts'
import { listBotFiles } from '../../files/bot-files.ts'
import { declaredPlugins, type DeclaredPlugin } from '../../plugins/plugin-package.ts'
import { removeIfEmpty } from '../../files/remove-if-empty.ts'
import { loadFolder, type LoadedFolder } from '../../load/loaded-folder.ts'
import { copyFile, planCopies } from './copy-files.ts'
import { packageManagerOf } from './package-manager.ts'
import { type Plan, planOf } from './plan.ts'
import { showDone, showPlan } from './show-result.ts'
import { type RecordStep, withUndo } from './undo.ts'

/**
 * `framework add plugin`: installs a plugin, mounts it in the configuration and copies the files that it offers. Rejects before the first
 * change if the package is not a plugin for this bot. Undoes everything if a later step fails, or if the bot no longer loads.
 */
export async function runAddPlugin(given: {
  io: ProgramIo
  /** The package, and the plugin in a package with several. */
  words: readonly string[]
  /** Its options, instead of the example that it declares. */
  options: Readonly<Record<string, unknown>> | undefined
  /** Prints the steps without running them. */
  dry: boolean
}): Promise<number> {
  const { io, words, options, dry } = given
  const plan = await planOf(io, words, options)
  if (dry) showPlan(plan, io)
  else showDone(plan, io, await withUndo(io.signals, (record) => carryOut(plan, io, record)))
  return 0
}

/** Returns the loaded bot; undefined if its configuration does not mount the plugin yet. */
async function carryOut(plan: Plan, io: ProgramIo, record: RecordStep): Promise<LoadedFolder | undefined> {
  const { root, found, config, mount } = plan
  if (found.installed === undefined) await install(plan, io, record)
  const folder = packageFolder(root, found.name)
  if (folder === undefined)
    throw new BotwrightError('ERR_CONFIG', `${found.name} is not in node_modules after its installation`)
  copyFiles(plan, realpathSync(folder), record)
  if ('reason' in config) return undefined
  const file = join(root, config.file)
  const { before } = config
  writeFileSync(file, config.text, { flag: before === undefined ? 'wx' : 'w' })
  record(`${config.file} mounts ${mount.specifier}`, () =>
    before === undefined ? rmSync(file) : writeFileSync(file, before),
  )
  try {
    return await loadFolder(root, new Set(await listBotFiles(root)), io)
  } catch (error) {
    const { code, message } = error as BotwrightError
    throw new BotwrightError(
      code === 'ERR_CONFLICT' ? code : 'ERR_CONFIG',
      `the bot does not load with ${mount.specifier}:\n${message}`,
      { cause: error },
    )
  }
}

/** Copies the files that the plugin offers. Records each new file and folder. */
function copyFiles(plan: Plan, folder: string, record: RecordStep): void {
  const { root } = plan
  const { copy } = installedPlugin(folder, plan)
  for (const to of planCopies(root, copy).fresh)
    copyFile({ root, to }, { folder, from: copy.get(to)! }, (path) =>
      record(path, () => (statSync(path).isDirectory() ? removeIfEmpty(path) : rmSync(path))),
    )
}

/** The installed package decides, not the facts of the registry. */
function installedPlugin(folder: string, { found, entry }: Plan): DeclaredPlugin {
  const declared = declaredPlugins(readPackageJson(folder)?.botwright, join(folder, 'package.json'))
  const plugin = declared.find((one) => one.entry === entry)
  if (!plugin) throw new BotwrightError('ERR_CONFIG', `the installed ${found.name} does not declare this plugin`)
  return plugin
}

async function install({ root, manager, found }: Plan, io: ProgramIo, record: RecordStep): Promise<void> {
  const listed = [join(root, 'package.json'), ...(manager.lockFile === undefined ? [] : [manager.lockFile])]
  const before = listed.map((file) => [file, readFileSync(file)] as const)
  const { dependencies, devDependencies } = readPackageJson(root) ?? {}
  const isUpdate = found.name in { ...dependencies, ...devDependencies }
  record(`${found.name} in node_modules: run ${manager.name} ${manager.remove(found.name).join(' ')}`, async () => {
    const isChanged = before.some(([file, bytes]) => !readFileSync(file).equals(bytes))
    // An installation that failed at once changes nothing, and another one would fail too.
    if (!isChanged && packageFolder(root, found.name) === undefined) return
    const restore = () => before.forEach(([file, bytes]) => writeFileSync(file, bytes))
    // pnpm and Yarn 1 leave packages in node_modules that package.json no longer lists: only their own command removes one.
    if (isUpdate) restore()
    const { ok, reason } = await manager.run(isUpdate ? manager.sync : manager.remove(found.name))
    // They may have written these files in another layout.
    restore()
    const { lockFile } = await packageManagerOf(root, io)
    if (manager.lockFile === undefined && lockFile !== undefined && existsSync(lockFile)) rmSync(lockFile)
    if (!ok) throw new Error(reason)
  })
  const { ok, reason } = await manager.run(manager.add(found))
  if (!ok) throw new BotwrightError('ERR_CONFIG', `${manager.name} cannot install ${found.name}: ${reason}`)
}
