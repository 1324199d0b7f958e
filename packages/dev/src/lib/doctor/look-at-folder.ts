import { readConfig } from '@botwright/framework'
import {
  fault,
  faultsOf,
  type Finding,
  lookAtPackageFile,
  ok,
  type ThreadIo,
  warning,
} from '@botwright/framework/start'
import { isBotwrightError } from '@botwright/protocol/facts'
import { compilerOf, settingsOf } from '../compile/typecheck.ts'
import { settingsWithoutTypes, typesFile } from '../generated-types/write-types.ts'
import { loadFiles, type LoadedFolder } from '../load/loaded-folder.ts'
import { count } from '../terminal/terminal.ts'

/** The bot's files and its configuration; undefined if they do not load. */
export async function lookAtFolder(
  root: string,
  files: Set<string>,
  io: ThreadIo,
): Promise<{ findings: Finding[]; loaded?: LoadedFolder }> {
  const missing = lookAtPackageFile(root)
  if (missing.length > 0) return { findings: missing }
  try {
    // The doctor has read `.env`, and reports its faults.
    const loaded = await loadFiles(root, files, io)
    const handlers = loaded.definitions.length
    const found =
      handlers > 0
        ? ok('folder', handlers === 1 ? '1 handler loads' : `${handlers} handlers load`)
        : warning('folder', 'there are no handlers here', 'framework add command ping')
    return {
      findings: [found, ...(await lookAtTypes(root, files)), ...(await lookAtVariables(loaded, io.env))],
      loaded,
    }
  } catch (error) {
    const [first = ''] = (error as Error).message.split('\n')
    return { findings: [fault('folder', first, 'framework check shows every problem', codeOf(error))] }
  }
}

/** Without the compiler or its settings, the types of a bot are not checked at all, which is easy to miss. */
async function lookAtTypes(root: string, files: ReadonlySet<string>): Promise<Finding[]> {
  const settings = settingsOf(root)
  if (settings === undefined) {
    const isTyped = [...files].some((file) => /\.m?ts$/.test(file))
    const fix = 'copy it from a new bot of create-bot'
    return isTyped ? [warning('types', 'there is no tsconfig.json, so no types are checked', fix)] : []
  }
  if (compilerOf(root) === undefined)
    return [warning('types', 'typescript is not installed, so no types are checked', 'npm i -D typescript')]
  const without = await settingsWithoutTypes(root)
  if (without === undefined) return []
  const fix = `add "${typesFile}" to "include" in ${without}`
  return [warning('types', 'names of other files are not type-checked', fix)]
}

/** The variables that `env` of the configuration requires. */
async function lookAtVariables(
  { exported, configFile }: LoadedFolder,
  variables: NodeJS.ProcessEnv,
): Promise<Finding[]> {
  try {
    const { env } = await readConfig(exported, configFile, variables)
    return env ? [ok('environment', `${count(Object.keys(env).length, 'variable')} as ${configFile} declares`)] : []
  } catch (error) {
    return faultsOf((error as Error).message, 'environment')
  }
}

const codeOf = (error: unknown) => (isBotwrightError(error) ? error.code : undefined)
