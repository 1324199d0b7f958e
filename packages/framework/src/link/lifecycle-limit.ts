import type { Timer } from '@botwright/clock'
import type { DispatcherOptions } from './dispatcher.ts'
import type { Moment } from './messages.ts'

/** Waits for a lifecycle file for at most `limits.handlerSeconds`, then logs that it is late. `running` never rejects. */
export async function limitLifecycle(
  { clock, log, config }: DispatcherOptions,
  moment: Moment,
  running: Promise<void>,
): Promise<void> {
  const { handlerSeconds } = config.limits
  let timer!: Timer
  const late = new Promise<void>((resolve) => {
    timer = clock.after(handlerSeconds * 1000, () => (logLate(), resolve()), { keepAlive: true })
  })
  const logLate = () => {
    const file = `events/${moment}.ts`
    const what = moment === 'ready' ? 'the bot runs' : 'the bot stops'
    log.error(
      { code: 'ERR_HANDLER_TIMEOUT', file },
      `${file}: did not end within ${handlerSeconds} s; ${what} without it. Await less, or raise limits.handlerSeconds in bot.config.ts`,
    )
  }
  await Promise.race([running, late])
  timer.cancel()
}
