import { codeOf } from '../../author/error-code.ts'
import type { Entry } from '../../author/files/entries.ts'
import { sourceLine } from '../../link/errors/source-line.ts'
import type { Handler } from '../compile-handler.ts'
import type { BotHost } from '../host.ts'
import type { createLoader } from './loader.ts'

interface Rest {
  loader: Pick<ReturnType<typeof createLoader>, 'load' | 'ready'>
  entries: readonly Entry[]
  host: Pick<BotHost, 'clock' | 'log'>
  root: string
}

/** Like the first load of a bot. */
const LOAD_SECONDS = 30

/** Loads the modules that no event has loaded yet. Never rejects: logs each one that does not load, as its first event would. */
export async function loadRest(handlers: readonly Handler[], { loader, entries, host, root }: Rest): Promise<void> {
  const { clock, log } = host
  const load = async (entry: Entry): Promise<void> => {
    const { file } = entry
    try {
      await loader.load(entry)
    } catch (error) {
      const at = sourceLine((error as Error).cause, root, file) ?? file
      const text = (error as Error).message.replace(file, () => at)
      log.error({ code: codeOf(error), file, at, error }, text)
    }
  }
  // One after another: the file of an event that arrives meanwhile would wait for all the others.
  for (const entry of entries) {
    const { file } = entry
    const tooLong = `${file}: did not finish loading within ${LOAD_SECONDS} s: is there an await that never ends outside of the handler?`
    await new Promise<void>((resolve) => {
      const late = clock.after(LOAD_SECONDS * 1000, () => {
        log.error({ file }, tooLong)
        resolve()
      })
      void load(entry).then(() => {
        late.cancel()
        resolve()
      })
    })
  }
  await Promise.allSettled(handlers.map(loader.ready))
}
