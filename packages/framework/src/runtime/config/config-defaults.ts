/** A bot's configuration where no `bot.config.ts` says otherwise. Durations are seconds. */
export const defaults = {
  delivery: 'poll',
  start: 'now',
  limits: { handlerSeconds: 60, graceSeconds: 10, waiting: 1000, workers: 1 },
  answerBots: false,
  help: true,
  tracing: false,
  webhook: { port: 8788, host: '127.0.0.1', path: '/' },
} as const
