import { middleware } from '@botwright/framework'

/** The log shows each run of a handler, for the rules of the simulation. */
export default middleware(async (ctx, next) => {
  const facts = {
    event: ctx.envelope.id,
    era: ctx.envelope.era ?? 0,
    again: ctx.redelivered,
    item: ctx.event['id'] ?? `${ctx.envelope.id}@${ctx.envelope.era ?? 0}`,
    file: ctx.file,
  }
  ctx.log.info(facts, 'begins')
  try {
    return await next()
  } finally {
    ctx.log.info(facts, 'ends')
  }
})
