import type { Log } from '../author/ports.ts'

/** Tells that a file of the bot's own life takes longer than a handler may: nobody waits for it any more. */
export function tellLateLifecycle(log: Log, moment: 'ready' | 'shutdown', limitMs: number): void {
  const file = `events/${moment}.ts`
  const what = moment === 'ready' ? 'the bot runs' : 'the bot stops'
  log.error(
    { code: 'ERR_HANDLER_TIMEOUT', file },
    `${file}: did not end within ${limitMs / 1000} s; ${what} without it. Await less, or raise limits.handlerSeconds in bot.config.ts`,
  )
}
