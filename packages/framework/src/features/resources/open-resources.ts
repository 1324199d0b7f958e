import { systemClock } from '@botwright/clock'
import { endsWithin } from '@botwright/clock/timers'
import { BotwrightError } from '@botwright/protocol/facts'
import { codeOf } from '../../author/error-code.ts'
import type { Defined } from '../../author/definition.ts'
import type { Entry } from '../../author/files/entries.ts'
import { isThenable } from '../../author/outgoing.ts'
import { noOptions } from '../../author/plugins/plugin.ts'
import { handlerLog } from '../../bot/context/bot-context.ts'
import type { Disposal, OnNext } from '../../bot/dispose/disposal.ts'
import { loadReason } from '../../bot/load-reason.ts'
import type { BotServices } from '../../bot/services.ts'
import { sourceLine } from '../../link/errors/source-line.ts'
import { readable, wholeMessage } from '../../link/errors/whole-error.ts'
import { DISPOSE_MS } from '../../link/messages.ts'
import type { ResourceContext } from './resource.ts'
import type { Slot } from './slot.ts'

/** Less than a thread has for its first load, so that the error names the resource. */
const OPEN_MS = 20_000

export interface ResourcesHost {
  entries: readonly Entry[]
  load: (entry: Entry) => Promise<Defined>
  /** The services of the bot, or of a plugin. */
  servicesOf: (entry: Entry) => BotServices
  root: string
}

/** Opens what the bot's handlers need in this thread. `next` receives the file of what opens next. */
export type Open = (disposal: Disposal, options: { next?: OnNext; dry?: boolean }) => Promise<void>

/** A resource of the bot that is loaded. */
interface Loaded {
  slot: Slot
  file: string
  services: BotServices
}

/**
 * Opens the resources of a bot one after the other: a resource after those that its file imports. Rejects with the file of the first one that does
 * not open.
 */
export const openResources =
  ({ entries, load, servicesOf, root }: ResourcesHost): Open =>
  async (disposal, { next, dry = false }) => {
    const all = await Promise.all(
      entries
        .filter(({ kind }) => kind === 'resource')
        .map(async (entry): Promise<Loaded> => {
          const slot = (await load(entry)).payload as Slot
          return { slot, file: entry.file, services: servicesOf(entry) }
        }),
    )
    all.sort((one, other) => one.slot.order - other.slot.order)
    for (const { slot, file } of all) name(slot, file)
    for (const [i, one] of all.entries()) {
      for (const { slot } of all.slice(i)) slot.before = one.file
      next?.(one.file, 'open')
      try {
        disposal.add(await use(one, { root, dry }), one.file, 'close')
      } finally {
        for (const { slot } of all) slot.before = undefined
      }
    }
  }

function name(slot: Slot, file: string): void {
  if (slot.file !== undefined && slot.file !== file)
    throw new BotwrightError('ERR_DEFINITION', `${file} exports the resource of ${slot.file}: define its own`)
  slot.file = file
}

/** Opens a resource, unless another load of the bot's code has opened the same module. Returns the function that closes it after the last load. */
async function use(one: Loaded, how: { root: string; dry: boolean }): Promise<() => unknown> {
  const { slot, file, services } = one
  while (slot.changing) await slot.changing.catch(() => {})
  const owner = `${how.root} ${services.me.id}`
  if (slot.users > 0 && slot.owner !== owner)
    throw new BotwrightError(
      'ERR_CONFLICT',
      `${file} is open in another bot of this process, which loads the same module: end that bot first, or run them in workers`,
    )
  if (slot.users === 0) {
    slot.owner = owner
    slot.value = await changing(slot, opened(one, how))
    slot.state = 'open'
  }
  slot.users++
  return () => {
    if (--slot.users > 0) return undefined
    slot.state = 'closed'
    const { value } = slot
    slot.value = undefined
    const closing = (async () => slot.close?.(value as never))()
    // The next load waits no longer than this one.
    changing(slot, endsWithin(systemClock, DISPOSE_MS, closing)).catch(() => {})
    return closing
  }
}

/** Other loads wait for a change of a resource. */
function changing<T>(slot: Slot, change: Promise<T>): Promise<T> {
  const done = change.finally(() => (slot.changing = undefined))
  slot.changing = done
  return done
}

async function opened({ slot, file, services }: Loaded, { root, dry }: { root: string; dry: boolean }) {
  const over = new AbortController()
  const { env, log, options = noOptions } = services
  try {
    const ctx: ResourceContext = { env, log: handlerLog(log, { file }), options, signal: over.signal, dry }
    const value = slot.open(ctx as never)
    return isThenable(value) ? await inTime(value, { slot, file, services, over }) : value
  } catch (thrown) {
    const error = readable(thrown)
    const at = sourceLine(error, root, file) ?? file
    const code = codeOf(error) ?? 'ERR_HANDLER'
    const reason = loadReason(error)
    const text = error instanceof Error && reason !== error.message ? reason : wholeMessage(error)
    throw new BotwrightError(code, `${at}: open failed: ${text}`, { cause: error })
  }
}

/** In real time even if the bot's clock is stopped, because real sockets take real time. */
async function inTime(
  opening: PromiseLike<unknown>,
  { slot, file, services: { log }, over }: Loaded & { over: AbortController },
): Promise<unknown> {
  const late = new Error(`it did not end within ${OPEN_MS / 1000} s`)
  const limit = systemClock.after(OPEN_MS, () => over.abort(late), { keepAlive: true })
  const isLate = new Promise<never>((_resolve, reject) => {
    over.signal.addEventListener('abort', () => reject(late))
  })
  try {
    return await Promise.race([opening, isLate])
  } catch (error) {
    if (!over.signal.aborted) throw error
    // A value that comes too late is closed.
    const closed = opening.then((value) => slot.close?.(value as never))
    void closed.then(undefined, (failed: { cause?: unknown } | undefined) => {
      // Its own signal may end it.
      if (failed === late || failed?.cause === late) return
      log.error({ file, error: failed }, `${file}: open ended late, and failed: ${wholeMessage(failed)}`)
    })
    throw late
  } finally {
    limit.cancel()
  }
}
