import { systemClock } from '@botwright/clock'

const EVERY_MS = 1000

/**
 * `npx` and `npm run` pass a SIGTERM on to their shell, which dies of it without telling what it runs: that would live on alone, with its
 * port and the bot's lock. So whoever was started by such a runner ends as by SIGTERM when that has gone. Where nobody started it so, or
 * its starter is gone already (`nohup … &`), it is meant to live by itself.
 */
export function endWithRunner(env: NodeJS.ProcessEnv = process.env): void {
  const runner = process.ppid
  if (env['npm_execpath'] === undefined || runner <= 1) return
  const look = (): void => {
    if (process.ppid !== runner) process.kill(process.pid, 'SIGTERM')
    else systemClock.after(EVERY_MS, look)
  }
  systemClock.after(EVERY_MS, look)
}
