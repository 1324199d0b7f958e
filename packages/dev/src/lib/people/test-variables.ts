import { openBotFolder } from '../files/open-folder.ts'
import { loadExports } from '../load/loaded-folder.ts'

/** One of these fits most declarations. */
const samples = ['test', '1', 'true', 'https://example.com', 'ann@example.com', '00000000-0000-4000-8000-000000000000']

interface Variable {
  safeParse(value: unknown): { success: boolean }
}

/**
 * Sample values for the variables that the configuration of a bot declares without a default: its tests do not start without them.
 * A variable that no sample fits is empty. The values of `.env` may be secret, so they do not belong in a test.
 */
export async function testVariables(folder: string, processEnv: NodeJS.ProcessEnv): Promise<Record<string, string>> {
  const { root, files } = await openBotFolder(folder)
  const exported = (await loadExports(root, files, processEnv)) as
    | { env?: { shape?: Record<string, Variable> } }
    | undefined
  const values: Record<string, string> = {}
  for (const [name, variable] of Object.entries(exported?.env?.shape ?? {}))
    if (!variable.safeParse(undefined).success)
      values[name] = samples.find((sample) => variable.safeParse(sample).success) ?? ''
  return values
}
