import { rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { BotSource } from '@botwright/framework'
import { printableLine } from '@botwright/protocol/facts'
import { listBotFiles } from '../files/bot-files.ts'
import { statOf } from '../files/look.ts'
import { readBotFolder, rootsOf } from '../files/bot-folder.ts'
import { openBotFolder } from '../files/open-folder.ts'
import { Compiler } from '../compile/compile.ts'
import { conditionWarnings } from '../compile/package-import.ts'
import { modulesOf } from '../plugins/mounted-folder.ts'
import { slashed } from '../files/path-below.ts'
import { removeIfEmpty } from '../files/remove-if-empty.ts'
import { removeDeadSessions } from '../files/session-folder.ts'
import { MountedBot } from './mount-bot.ts'

/** A bot's code in a folder of its own: no other program loads these modules. */
export interface BotCopy {
  source: BotSource
  /** The same for all copies of the same files. */
  code: object
  /** The absolute path of the compiled `bot.config`, if the bot has one. */
  configPath: string | undefined
  /** Removes it. */
  remove(): Promise<void>
}

interface Compiled {
  /** The state of the bot's own files when they were compiled, and of those outside its folder. */
  signature: string
  outside: { folders: readonly string[]; files: readonly string[]; signature: string }
  /** Another copy of the modules. */
  copy(): { modules: BotSource['modules']; provide: (file: string) => void; remove: () => void }
  manifest: BotSource['manifest']
  codeId: string
  configFile: string | undefined
}

const compiled = new Map<string, Promise<Compiled>>()
/** Each thread of a process has its own module of this kind. */
const session = `${process.pid}-${crypto.randomUUID().slice(0, 8)}`
/** The process removes them when it exits. */
const sessionFolders = new Set<string>()
let folders = 0

/**
 * Compiles a bot, unless this process has done so and no file has changed, and returns a copy of the code, so that copies share no
 * module variables. Rejects with the errors that `framework dev` would report.
 */
export async function compileBot(folder: string): Promise<BotCopy> {
  const { root, files } = await openBotFolder(folder)
  const signature = signatureOf(root, files)
  let current = await compiled.get(root)?.catch(() => undefined)
  if (current?.signature !== signature || (await isOutdated(root, current.outside))) {
    const fresh = compile(root, files, signature)
    compiled.set(root, fresh)
    current = await fresh
  }
  const { manifest, codeId, configFile } = current
  const { modules, provide, remove } = current.copy()
  if (configFile !== undefined) provide(configFile)
  return {
    source: { manifest, root, modules, codeId, provide },
    code: current,
    configPath: configFile === undefined ? undefined : modules[configFile],
    remove: async () => remove(),
  }
}

async function compile(root: string, files: ReadonlySet<string>, signature: string): Promise<Compiled> {
  await removeDeadSessions(root, 'test')
  // One listener, however many bots the process compiles: Node warns about more than ten.
  if (sessionFolders.size === 0) process.once('exit', removeSessions)
  const sessionFolder = join(root, '.botwright/test', session)
  sessionFolders.add(sessionFolder)
  const folder = join(sessionFolder, String(++folders))
  /** A killed process, such as a worker of a test runner, removes nothing when it exits: so the last copy takes the folder with it. */
  let copies = 0
  const removeFolder = () => {
    rmSync(folder, { recursive: true, force: true })
    // Other bots of this process may have folders in it.
    removeIfEmpty(sessionFolder)
  }
  try {
    const compiler = new Compiler({ root, outDir: folder })
    const bot = new MountedBot({ root, compiler })
    const { folder: mounted, compiled } = await bot.compile({ own: readBotFolder(files), files })
    const roots = rootsOf(mounted)
    for (const text of [...compiler.warnings, ...conditionWarnings(compiler.packages, root)])
      process.emitWarning(printableLine(text))
    const { files: further, folders: around } = compiler.elsewhere
    const outside = {
      folders: bot.plugins.filter((one) => one.isSource).map((one) => one.folder),
      // The time of a folder changes with each new file.
      files: [...further, ...around].map((path) => slashed(relative(root, path))),
    }
    return {
      signature,
      outside: { ...outside, signature: await signatureOfOutside(root, outside) },
      copy() {
        const { pathOf, provide, remove } = compiler.copy(roots)
        copies++
        let isRemoved = false
        const modules = modulesOf(mounted, Object.fromEntries(roots.map((file) => [file, pathOf(file)])))
        return {
          modules,
          provide: (file) => {
            if (!mounted.installed?.has(file)) provide(mounted.places?.get(file) ?? file)
          },
          remove() {
            if (isRemoved) return
            isRemoved = true
            remove()
            if (--copies === 0) removeFolder()
          },
        }
      },
      manifest: mounted.manifest,
      codeId: compiled.codeId,
      configFile: mounted.configFile,
    }
  } catch (error) {
    removeFolder()
    throw error
  }
}

function removeSessions(): void {
  for (const folder of sessionFolders) rmSync(folder, { recursive: true, force: true })
}

/** Plugins of the same workspace, and files imported from elsewhere. */
async function isOutdated(root: string, outside: Compiled['outside']): Promise<boolean> {
  return outside.signature !== (await signatureOfOutside(root, outside))
}

async function signatureOfOutside(
  root: string,
  { folders, files }: Pick<Compiled['outside'], 'folders' | 'files'>,
): Promise<string> {
  const listed = folders.map(async (folder) =>
    (await listBotFiles(folder)).map((file) => slashed(relative(root, join(folder, file)))),
  )
  return signatureOf(root, new Set([...(await Promise.all(listed)).flat(), ...files]))
}

function signatureOf(root: string, files: Iterable<string>): string {
  let facts = ''
  for (const file of files) {
    const now = statOf(join(root, file))
    facts += `${file} ${now?.mtimeMs ?? 0} ${now?.size ?? 0}\n`
  }
  return facts
}
