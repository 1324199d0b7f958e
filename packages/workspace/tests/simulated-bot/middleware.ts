import { middleware } from '@botwright/framework'

/** The log shows each run of a handler, for the rules of the simulation. */
export default middleware(async (ctx, next) => {
  const facts = {
    event: ctx.envelope.id,
    era: ctx.envelope.era ?? 0,
    again: ctx.redelivered,
    text: ctx.event['content'] ?? ctx.event['custom_id'],
    user: ctx.user.id,
    file: ctx.file,
  }
  ctx.log.info({ ...facts, channel: ctx.channel_id, kind: ctx.kind }, 'begins')
  try {
    return await next()
  } finally {
    ctx.log.info(facts, 'ends')
  }
})
