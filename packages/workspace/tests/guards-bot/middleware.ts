import { middleware } from '@botwright/framework'

/** Logs the user, the handler and its duration. */
export default middleware(async (ctx, next) => {
  const what = ctx.isCommand() ? `/${ctx.command}` : ctx.isClick() ? ctx.custom_id : ctx.envelope.type
  const startedMs = ctx.clock.monotonic()
  await next()
  ctx.log.info({ ms: ctx.clock.monotonic() - startedMs }, `${ctx.user.name}: ${what}`)
})
