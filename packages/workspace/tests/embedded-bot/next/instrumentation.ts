import type { EmbeddedBot } from '@botwright/framework/embed'

declare global {
  var bot: EmbeddedBot | undefined
}

/** Next calls it once, when the server starts. */
export async function register(): Promise<void> {
  if (process.env['NEXT_RUNTIME'] !== 'nodejs') return
  const { createBot } = await import('@botwright/framework/embed')
  globalThis.bot = await createBot('./my-bot', { basePath: '/bot' })
  await globalThis.bot.start()
}
